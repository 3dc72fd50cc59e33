/* interp-profile.h: what we know of a provider before talking to it
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Read from data/providers/NAME.provider and $XDG_CONFIG_HOME/interpreter/providers/NAME.provider, key files:
 *
 *   [Provider]
 *   Id=openai                       lower case, digits, "-"; the part before "/" of model names
 *   Title=OpenAI
 *   Codec=chat                      see interp-codec.h
 *   CompatibleCodec=chat            what is spoken instead when another address is given
 *   BaseUrl=https://…               the address below which the codec's paths lie
 *   AddressVariables=A;B;           environment variables that replace BaseUrl
 *   KeyVariables=A;B;               environment variables that may hold the key
 *   KeyRequired=true
 *   KeyHeader=api-key               the header of the key, in place of a bearer token
 *   AddressNeeded=true              BaseUrl only shows what an address looks like: everyone has one of their own
 *   Path=/openai/v1                 what an address that ends with its host is completed by
 *   KeyCheck=/key                   a path below BaseUrl that refuses wrong keys, where the list of models does not
 *   Probe=true                      look for it at start (servers on this computer)
 *   Health=/health                  a path that answers while a model loads, relative to the host
 *   Details=/props                  a path that tells more of the models (llama.cpp, LM Studio), relative to the host
 *   Aliases=x;y;                    other names for Id in model names
 *   BareNames=gpt-*;                model names that mean this provider when given alone
 *   Start=ollama serve              the command that starts the server
 *   Rank=10                         order in lists, smaller first
 *   Quirks=no-stream-options;…      see InterpQuirks
 *
 *   [Model gpt-5*]                  for models whose wire name matches; all that match apply, in order
 *   Quirks=…                        added to the provider's
 *   ContextWindow=400000            tokens
 *   OutputLimit=32000               most tokens of one answer, for APIs that want to be told
 *   Tools=false
 *   Vision=true
 *
 * Profiles are immutable and may be shared between threads.
 */

#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Where servers and models differ from the plain protocol. */
typedef enum
{
  INTERP_QUIRK_COMPLETION_TOKENS = 1 << 0, /* completion-tokens: the limit is max_completion_tokens */
  INTERP_QUIRK_NO_STREAM_OPTIONS = 1 << 1, /* no-stream-options: refused or not needed */
  INTERP_QUIRK_NO_TEMPERATURE = 1 << 2,    /* no-temperature */
  INTERP_QUIRK_NO_MAX_TOKENS = 1 << 3,     /* no-max-tokens */
  INTERP_QUIRK_EMPTY_CONTENT = 1 << 4,     /* empty-content: content null is refused, send "" */
  INTERP_QUIRK_DEVELOPER_ROLE = 1 << 5,    /* developer-role: the system text has role "developer" */
  INTERP_QUIRK_SHORT_CALL_IDS = 1 << 6,    /* short-call-ids: nine letters or digits */
  INTERP_QUIRK_BRIDGE_USER = 1 << 7,       /* bridge-user: no user message right after a tool message */
  INTERP_QUIRK_ECHO_REASONING = 1 << 8,    /* echo-reasoning: reasoning_content goes back, "" if there was none */
  INTERP_QUIRK_EFFORT_NONE = 1 << 9,       /* effort-none: tools only with reasoning_effort "none" */
  INTERP_QUIRK_THINK_OPEN = 1 << 10,       /* think-open: answers begin inside a thinking block not opened by a tag */
  INTERP_QUIRK_PLAIN_PICTURES = 1 << 11,   /* plain-pictures: image_url is a string, not an object */
  INTERP_QUIRK_THINKS = 1 << 12,           /* thinks: it thinks and shows it when asked */
  INTERP_QUIRK_NO_THINKING = 1 << 13,      /* no-thinking: nothing about thinking may be asked for */
  INTERP_QUIRK_NO_SUMMARY = 1 << 14,       /* no-summary: thinking is not summed up */
  INTERP_QUIRK_CACHE_KEY = 1 << 15,        /* cache-key: prompts of one chat are told by prompt_cache_key */
} InterpQuirks;

/* Quirks= of @group in a key file; names that are not known are left out. */
InterpQuirks interp_quirks_read (GKeyFile *file, const char *group);
void interp_quirks_write (GKeyFile *file, const char *group, InterpQuirks quirks);

typedef struct _InterpProfile InterpProfile;

InterpProfile *interp_profile_ref (InterpProfile *self);
void interp_profile_unref (InterpProfile *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InterpProfile, interp_profile_unref)

InterpProfile *interp_profile_new_from_data (const char *text, gssize length, GError **error);
InterpProfile *interp_profile_new_from_file (const char *path, GError **error);

/* All profiles, shipped ones first replaced by the user's of the same Id, by rank. A user's file without Codec only
 * changes the profile of its Id: its BaseUrl is the user's address for it. A file that does not parse is left
 * out with a warning. Transfer container: GPtrArray of InterpProfile. */
GPtrArray *interp_profile_load_all (void);

/* An OpenAI-compatible server at @base_url. */
InterpProfile *interp_profile_new_for_address (const char *base_url);
/* A copy of @self at another address, under another id. */
InterpProfile *interp_profile_with_address (InterpProfile *self, const char *id, const char *base_url);
/* As what such a server is spoken to: the id of the profile that was copied, or INTERP_PROFILE_CUSTOM. NULL for a
 * profile that was read from a file. */
const char *interp_profile_get_origin (InterpProfile *self);
#define INTERP_PROFILE_CUSTOM "custom"

/* The profile as a key file. */
char *interp_profile_to_data (InterpProfile *self);

const char *interp_profile_get_id (InterpProfile *self);
const char *interp_profile_get_title (InterpProfile *self);
const char *interp_profile_get_codec (InterpProfile *self);
/* What is spoken at @base_url. */
const char *interp_profile_get_codec_at (InterpProfile *self, const char *base_url);
const char *interp_profile_get_base_url (InterpProfile *self); /* nullable */
/* The user's address for it, in place of BaseUrl and variables; nullable. */
const char *interp_profile_get_own_address (InterpProfile *self);
const char *const *interp_profile_get_key_variables (InterpProfile *self);
const char *const *interp_profile_get_address_variables (InterpProfile *self);
gboolean interp_profile_get_key_required (InterpProfile *self);
const char *interp_profile_get_key_check (InterpProfile *self);  /* nullable */
const char *interp_profile_get_key_header (InterpProfile *self); /* nullable: a bearer token */
gboolean interp_profile_get_address_needed (InterpProfile *self);
const char *interp_profile_get_path (InterpProfile *self); /* nullable */
gboolean interp_profile_get_probe (InterpProfile *self);
const char *interp_profile_get_health (InterpProfile *self);  /* nullable */
const char *interp_profile_get_details (InterpProfile *self); /* nullable */
const char *interp_profile_get_start (InterpProfile *self);   /* nullable */
int interp_profile_get_rank (InterpProfile *self);
gboolean interp_profile_has_name (InterpProfile *self, const char *name); /* Id or alias */
gboolean interp_profile_claims (InterpProfile *self, const char *bare_name);

InterpQuirks interp_profile_get_quirks (InterpProfile *self, const char *model);
gint64 interp_profile_get_context_window (InterpProfile *self, const char *model); /* 0: not said */
gint64 interp_profile_get_output_limit (InterpProfile *self, const char *model);   /* 0: not said */
/* −1: not said, 0: no, 1: yes */
int interp_profile_get_tools (InterpProfile *self, const char *model);
int interp_profile_get_vision (InterpProfile *self, const char *model);

G_END_DECLS
