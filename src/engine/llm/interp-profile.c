/* interp-profile.c: what we know of a provider before talking to it
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "llm/interp-profile.h"

#include "base/interp-paths.h"
#include "llm/interp-address.h"

#include <string.h>

#define GROUP "Provider"
#define MODEL_PREFIX "Model "
#define SUFFIX ".provider"
#define MAX_FILE (256 * 1024)

typedef struct
{
  GPatternSpec *pattern;
  InterpQuirks quirks;
  gint64 context_window;
  gint64 output_limit;
  int tools;
  int vision;
} ModelRule;

struct _InterpProfile
{
  gatomicrefcount ref_count;
  char *id;
  char *title;
  char *codec;
  char *compatible_codec;
  char *base_url;
  char *own_address;
  char *origin;
  GStrv key_variables;
  GStrv address_variables;
  GStrv aliases;
  GStrv bare_names;
  char *health;
  char *details;
  char *start;
  gboolean key_required;
  char *key_check;
  char *key_header;
  char *path;
  gboolean address_needed;
  gboolean probe;
  int rank;
  InterpQuirks quirks;
  GPtrArray *rules; /* ModelRule */
};

static const struct
{
  const char *name;
  InterpQuirks quirk;
} quirk_names[] = {
  { "completion-tokens", INTERP_QUIRK_COMPLETION_TOKENS },
  { "no-stream-options", INTERP_QUIRK_NO_STREAM_OPTIONS },
  { "no-temperature", INTERP_QUIRK_NO_TEMPERATURE },
  { "no-max-tokens", INTERP_QUIRK_NO_MAX_TOKENS },
  { "empty-content", INTERP_QUIRK_EMPTY_CONTENT },
  { "developer-role", INTERP_QUIRK_DEVELOPER_ROLE },
  { "short-call-ids", INTERP_QUIRK_SHORT_CALL_IDS },
  { "bridge-user", INTERP_QUIRK_BRIDGE_USER },
  { "echo-reasoning", INTERP_QUIRK_ECHO_REASONING },
  { "effort-none", INTERP_QUIRK_EFFORT_NONE },
  { "think-open", INTERP_QUIRK_THINK_OPEN },
  { "plain-pictures", INTERP_QUIRK_PLAIN_PICTURES },
  { "thinks", INTERP_QUIRK_THINKS },
  { "no-thinking", INTERP_QUIRK_NO_THINKING },
  { "no-summary", INTERP_QUIRK_NO_SUMMARY },
  { "cache-key", INTERP_QUIRK_CACHE_KEY },
};

static void
model_rule_free (gpointer data)
{
  ModelRule *rule = data;

  g_pattern_spec_free (rule->pattern);
  g_free (rule);
}

static InterpProfile *
profile_alloc (void)
{
  InterpProfile *self = g_new0 (InterpProfile, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->rules = g_ptr_array_new_with_free_func (model_rule_free);

  return self;
}

InterpProfile *
interp_profile_ref (InterpProfile *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

void
interp_profile_unref (InterpProfile *self)
{
  g_return_if_fail (self != NULL);

  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  g_free (self->id);
  g_free (self->title);
  g_free (self->codec);
  g_free (self->compatible_codec);
  g_free (self->origin);
  g_free (self->own_address);
  g_free (self->base_url);
  g_free (self->key_check);
  g_free (self->key_header);
  g_free (self->path);
  g_strfreev (self->key_variables);
  g_strfreev (self->address_variables);
  g_strfreev (self->aliases);
  g_strfreev (self->bare_names);
  g_free (self->health);
  g_free (self->details);
  g_free (self->start);
  g_ptr_array_unref (self->rules);
  g_free (self);
}

static gboolean
is_id (const char *id)
{
  if (id == NULL || *id == '\0' || strlen (id) > 80)
    return FALSE;

  for (const char *p = id; *p != '\0'; p++)
    if (!g_ascii_islower (*p) && !g_ascii_isdigit (*p) && *p != '-')
      return FALSE;

  return TRUE;
}

static GStrv
get_list (GKeyFile *file, const char *key)
{
  GStrv list = g_key_file_get_string_list (file, GROUP, key, NULL, NULL);

  return list != NULL ? list : g_new0 (char *, 1);
}

InterpQuirks
interp_quirks_read (GKeyFile *file, const char *group)
{
  g_auto (GStrv) list = g_key_file_get_string_list (file, group, "Quirks", NULL, NULL);
  InterpQuirks quirks = 0;

  for (gsize i = 0; list != NULL && list[i] != NULL; i++)
    {
      gboolean known = FALSE;

      for (gsize k = 0; k < G_N_ELEMENTS (quirk_names); k++)
        {
          if (g_str_equal (list[i], quirk_names[k].name))
            {
              quirks |= quirk_names[k].quirk;
              known = TRUE;
            }
        }

      /* A newer file may name what this version does not know. */
      if (!known)
        g_debug ("unknown quirk “%s”", list[i]);
    }

  return quirks;
}

void
interp_quirks_write (GKeyFile *file, const char *group, InterpQuirks quirks)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (quirk_names); i++)
    if (quirks & quirk_names[i].quirk)
      g_ptr_array_add (names, (gpointer) quirk_names[i].name);
  if (names->len > 0)
    g_key_file_set_string_list (file, group, "Quirks", (const char *const *) names->pdata, names->len);
}

static int
get_tristate (GKeyFile *file, const char *group, const char *key)
{
  g_autoptr (GError) error = NULL;
  gboolean value = g_key_file_get_boolean (file, group, key, &error);

  return error != NULL ? -1 : value;
}

InterpProfile *
interp_profile_new_from_data (const char *text, gssize length, GError **error)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (InterpProfile) self = profile_alloc ();
  g_autofree char *base_url = NULL;
  g_auto (GStrv) groups = NULL;

  g_return_val_if_fail (text != NULL, NULL);

  if (!g_key_file_load_from_data (file, text, length < 0 ? strlen (text) : (gsize) length, G_KEY_FILE_NONE, error))
    return NULL;

  self->id = g_key_file_get_string (file, GROUP, "Id", error);
  if (self->id == NULL)
    return NULL;

  if (!is_id (self->id))
    {
      g_set_error (error, G_KEY_FILE_ERROR, G_KEY_FILE_ERROR_INVALID_VALUE, "“%s” is not an identifier", self->id);
      return NULL;
    }

  self->title = g_key_file_get_string (file, GROUP, "Title", error);
  if (self->title == NULL)
    return NULL;

  self->codec = g_key_file_get_string (file, GROUP, "Codec", error);
  if (self->codec == NULL)
    return NULL;

  self->compatible_codec = g_key_file_get_string (file, GROUP, "CompatibleCodec", NULL);
  base_url = g_key_file_get_string (file, GROUP, "BaseUrl", NULL);
  if (base_url != NULL && !(self->base_url = interp_address_normalize (base_url, error)))
    return NULL;

  self->key_variables = get_list (file, "KeyVariables");
  self->address_variables = get_list (file, "AddressVariables");
  self->aliases = get_list (file, "Aliases");
  self->bare_names = get_list (file, "BareNames");
  self->health = g_key_file_get_string (file, GROUP, "Health", NULL);
  self->details = g_key_file_get_string (file, GROUP, "Details", NULL);
  self->start = g_key_file_get_string (file, GROUP, "Start", NULL);
  self->key_required = g_key_file_get_boolean (file, GROUP, "KeyRequired", NULL);
  self->key_check = g_key_file_get_string (file, GROUP, "KeyCheck", NULL);
  self->key_header = g_key_file_get_string (file, GROUP, "KeyHeader", NULL);
  self->path = g_key_file_get_string (file, GROUP, "Path", NULL);
  self->address_needed = g_key_file_get_boolean (file, GROUP, "AddressNeeded", NULL);
  self->probe = g_key_file_get_boolean (file, GROUP, "Probe", NULL);
  self->rank
      = g_key_file_has_key (file, GROUP, "Rank", NULL) ? g_key_file_get_integer (file, GROUP, "Rank", NULL) : 1000;
  self->quirks = interp_quirks_read (file, GROUP);

  groups = g_key_file_get_groups (file, NULL);
  for (gsize i = 0; groups[i] != NULL; i++)
    {
      ModelRule *rule;

      if (!g_str_has_prefix (groups[i], MODEL_PREFIX))
        continue;

      rule = g_new0 (ModelRule, 1);
      rule->pattern = g_pattern_spec_new (groups[i] + strlen (MODEL_PREFIX));
      rule->quirks = interp_quirks_read (file, groups[i]);
      rule->context_window = MAX (0, g_key_file_get_int64 (file, groups[i], "ContextWindow", NULL));
      rule->output_limit = MAX (0, g_key_file_get_int64 (file, groups[i], "OutputLimit", NULL));
      rule->tools = get_tristate (file, groups[i], "Tools");
      rule->vision = get_tristate (file, groups[i], "Vision");
      g_ptr_array_add (self->rules, rule);
    }

  return g_steal_pointer (&self);
}

InterpProfile *
interp_profile_new_from_file (const char *path, GError **error)
{
  g_autofree char *text = NULL;
  gsize length;

  g_return_val_if_fail (path != NULL, NULL);

  if (!g_file_get_contents (path, &text, &length, error))
    return NULL;

  if (length > MAX_FILE)
    {
      g_set_error_literal (error, G_KEY_FILE_ERROR, G_KEY_FILE_ERROR_PARSE, "too long");
      return NULL;
    }

  return interp_profile_new_from_data (text, length, error);
}

/* TRUE: the file only says where a profile's server is. */
static gboolean
load_address (GHashTable *addresses, const char *path)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autofree char *id = NULL;
  g_autofree char *typed = NULL;
  g_autofree char *address = NULL;

  if (!g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, NULL) || g_key_file_has_key (file, GROUP, "Codec", NULL))
    return FALSE;

  id = g_key_file_get_string (file, GROUP, "Id", NULL);
  typed = g_key_file_get_string (file, GROUP, "BaseUrl", NULL);
  if (typed != NULL)
    address = interp_address_normalize (typed, NULL);
  if (id == NULL || address == NULL)
    return FALSE;

  g_hash_table_replace (addresses, g_steal_pointer (&id), g_steal_pointer (&address));

  return TRUE;
}

static void
load_folder (GHashTable *profiles, GHashTable *addresses, const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  if (dir == NULL)
    return;

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      g_autoptr (InterpProfile) profile = NULL;
      g_autoptr (GError) error = NULL;

      if (!g_str_has_suffix (name, SUFFIX) || (addresses != NULL && load_address (addresses, path)))
        continue;

      profile = interp_profile_new_from_file (path, &error);
      if (profile == NULL)
        {
          g_warning ("The provider file %s cannot be used: %s", path, error->message);
          continue;
        }

      g_hash_table_replace (profiles, g_strdup (profile->id), interp_profile_ref (profile));
    }
}

static int
compare_rank (gconstpointer a, gconstpointer b)
{
  InterpProfile *first = *(InterpProfile *const *) a;
  InterpProfile *second = *(InterpProfile *const *) b;

  if (first->rank != second->rank)
    return first->rank < second->rank ? -1 : 1;

  return strcmp (first->id, second->id);
}

GPtrArray *
interp_profile_load_all (void)
{
  g_autoptr (GHashTable) profiles
      = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) interp_profile_unref);
  g_autoptr (GHashTable) addresses = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  GPtrArray *all = g_ptr_array_new_with_free_func ((GDestroyNotify) interp_profile_unref);
  g_autofree char *shipped = interp_paths_find_data ("providers");
  g_autofree char *own = g_build_filename (interp_paths_config (), "providers", NULL);
  GHashTableIter iter;
  gpointer value;

  if (shipped != NULL)
    load_folder (profiles, NULL, shipped);
  load_folder (profiles, addresses, own);

  g_hash_table_iter_init (&iter, profiles);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      InterpProfile *profile = value;

      profile->own_address = g_strdup (g_hash_table_lookup (addresses, profile->id));
      g_ptr_array_add (all, interp_profile_ref (profile));
    }

  g_ptr_array_sort (all, compare_rank);

  return all;
}

InterpProfile *
interp_profile_new_for_address (const char *base_url)
{
  InterpProfile *self = profile_alloc ();
  g_autoptr (GUri) uri = NULL;
  g_autoptr (GString) id = g_string_new ("at-");
  g_autofree char *place = NULL;

  g_return_val_if_fail (base_url != NULL, NULL);

  uri = g_uri_parse (base_url, G_URI_FLAGS_NONE, NULL);
  g_assert (uri != NULL);

  place = g_uri_get_port (uri) > 0 ? g_strdup_printf ("%s:%d", g_uri_get_host (uri), g_uri_get_port (uri))
                                   : g_strdup (g_uri_get_host (uri));

  for (const char *p = place; *p != '\0' && id->len < 60; p++)
    g_string_append_c (id, g_ascii_isalnum (*p) ? g_ascii_tolower (*p) : '-');

  /* Two paths on one host are two providers. */
  if (g_uri_get_path (uri)[0] != '\0' && !g_str_equal (g_uri_get_path (uri), "/v1"))
    g_string_append_printf (id, "-%x", g_str_hash (g_uri_get_path (uri)));

  self->id = g_strdup (id->str);
  self->title = g_steal_pointer (&place);
  self->codec = g_strdup ("chat");
  self->base_url = g_strdup (base_url);
  self->origin = g_strdup (INTERP_PROFILE_CUSTOM);
  self->key_variables = g_new0 (char *, 1);
  self->address_variables = g_new0 (char *, 1);
  self->aliases = g_new0 (char *, 1);
  self->bare_names = g_new0 (char *, 1);
  self->probe = interp_address_is_loopback (base_url);
  self->health = self->probe ? g_strdup ("/health") : NULL;
  self->details = self->probe ? g_strdup ("/props") : NULL;
  self->rank = 500;
  self->quirks = INTERP_QUIRK_EMPTY_CONTENT;

  return self;
}

InterpProfile *
interp_profile_with_address (InterpProfile *self, const char *id, const char *base_url)
{
  InterpProfile *copy;

  g_return_val_if_fail (self != NULL, NULL);
  g_return_val_if_fail (is_id (id), NULL);
  g_return_val_if_fail (base_url != NULL, NULL);

  copy = profile_alloc ();
  copy->id = g_strdup (id);
  copy->title = g_strdup (self->title);
  copy->codec = g_strdup (self->codec);
  copy->base_url = g_strdup (base_url);
  copy->origin = g_strdup (self->id);
  copy->key_check = g_strdup (self->key_check);
  copy->key_header = g_strdup (self->key_header);
  copy->key_variables = g_new0 (char *, 1);
  copy->address_variables = g_new0 (char *, 1);
  copy->aliases = g_new0 (char *, 1);
  copy->bare_names = g_new0 (char *, 1);
  copy->health = g_strdup (self->health);
  copy->details = g_strdup (self->details);
  copy->start = g_strdup (self->start);
  copy->rank = self->rank;
  copy->quirks = self->quirks;

  for (guint i = 0; i < self->rules->len; i++)
    {
      ModelRule *rule = g_memdup2 (g_ptr_array_index (self->rules, i), sizeof (ModelRule));

      rule->pattern = g_pattern_spec_copy (rule->pattern);
      g_ptr_array_add (copy->rules, rule);
    }

  return copy;
}

const char *
interp_profile_get_origin (InterpProfile *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->origin;
}

char *
interp_profile_to_data (InterpProfile *self)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();

  g_return_val_if_fail (self != NULL, NULL);

  g_key_file_set_string (file, GROUP, "Id", self->id);
  g_key_file_set_string (file, GROUP, "Title", self->title);
  g_key_file_set_string (file, GROUP, "Codec", self->codec);
  if (self->base_url != NULL)
    g_key_file_set_string (file, GROUP, "BaseUrl", self->base_url);
  if (self->key_required)
    g_key_file_set_boolean (file, GROUP, "KeyRequired", TRUE);
  if (self->key_check != NULL)
    g_key_file_set_string (file, GROUP, "KeyCheck", self->key_check);
  if (self->key_header != NULL)
    g_key_file_set_string (file, GROUP, "KeyHeader", self->key_header);
  if (self->probe)
    g_key_file_set_boolean (file, GROUP, "Probe", TRUE);
  if (self->health != NULL)
    g_key_file_set_string (file, GROUP, "Health", self->health);
  if (self->details != NULL)
    g_key_file_set_string (file, GROUP, "Details", self->details);
  g_key_file_set_integer (file, GROUP, "Rank", self->rank);

  interp_quirks_write (file, GROUP, self->quirks);

  return g_key_file_to_data (file, NULL, NULL);
}

const char *
interp_profile_get_id (InterpProfile *self)
{
  return self->id;
}

const char *
interp_profile_get_title (InterpProfile *self)
{
  return self->title;
}

const char *
interp_profile_get_codec (InterpProfile *self)
{
  return self->codec;
}

const char *
interp_profile_get_codec_at (InterpProfile *self, const char *base_url)
{
  if (self->compatible_codec == NULL || g_strcmp0 (base_url, self->base_url) == 0)
    return self->codec;

  return self->compatible_codec;
}

const char *
interp_profile_get_base_url (InterpProfile *self)
{
  return self->base_url;
}

const char *
interp_profile_get_own_address (InterpProfile *self)
{
  return self->own_address;
}

const char *const *
interp_profile_get_key_variables (InterpProfile *self)
{
  return (const char *const *) self->key_variables;
}

const char *const *
interp_profile_get_address_variables (InterpProfile *self)
{
  return (const char *const *) self->address_variables;
}

gboolean
interp_profile_get_key_required (InterpProfile *self)
{
  return self->key_required;
}

const char *
interp_profile_get_key_check (InterpProfile *self)
{
  return self->key_check;
}

const char *
interp_profile_get_key_header (InterpProfile *self)
{
  return self->key_header;
}

gboolean
interp_profile_get_address_needed (InterpProfile *self)
{
  return self->address_needed;
}

const char *
interp_profile_get_path (InterpProfile *self)
{
  return self->path;
}

gboolean
interp_profile_get_probe (InterpProfile *self)
{
  return self->probe;
}

const char *
interp_profile_get_health (InterpProfile *self)
{
  return self->health;
}

const char *
interp_profile_get_details (InterpProfile *self)
{
  return self->details;
}

const char *
interp_profile_get_start (InterpProfile *self)
{
  return self->start;
}

int
interp_profile_get_rank (InterpProfile *self)
{
  return self->rank;
}

gboolean
interp_profile_has_name (InterpProfile *self, const char *name)
{
  return g_str_equal (self->id, name) || g_strv_contains ((const char *const *) self->aliases, name);
}

gboolean
interp_profile_claims (InterpProfile *self, const char *bare_name)
{
  for (gsize i = 0; self->bare_names[i] != NULL; i++)
    if (g_pattern_match_simple (self->bare_names[i], bare_name))
      return TRUE;

  return FALSE;
}

InterpQuirks
interp_profile_get_quirks (InterpProfile *self, const char *model)
{
  InterpQuirks quirks = self->quirks;

  for (guint i = 0; model != NULL && i < self->rules->len; i++)
    {
      ModelRule *rule = g_ptr_array_index (self->rules, i);

      if (g_pattern_spec_match_string (rule->pattern, model))
        quirks |= rule->quirks;
    }

  return quirks;
}

gint64
interp_profile_get_context_window (InterpProfile *self, const char *model)
{
  gint64 tokens = 0;

  for (guint i = 0; i < self->rules->len; i++)
    {
      ModelRule *rule = g_ptr_array_index (self->rules, i);

      if (rule->context_window > 0 && g_pattern_spec_match_string (rule->pattern, model))
        tokens = rule->context_window;
    }

  return tokens;
}

gint64
interp_profile_get_output_limit (InterpProfile *self, const char *model)
{
  gint64 tokens = 0;

  for (guint i = 0; i < self->rules->len; i++)
    {
      ModelRule *rule = g_ptr_array_index (self->rules, i);

      if (rule->output_limit > 0 && g_pattern_spec_match_string (rule->pattern, model))
        tokens = rule->output_limit;
    }

  return tokens;
}

int
interp_profile_get_tools (InterpProfile *self, const char *model)
{
  int tools = -1;

  for (guint i = 0; i < self->rules->len; i++)
    {
      ModelRule *rule = g_ptr_array_index (self->rules, i);

      if (rule->tools >= 0 && g_pattern_spec_match_string (rule->pattern, model))
        tools = rule->tools;
    }

  return tools;
}

int
interp_profile_get_vision (InterpProfile *self, const char *model)
{
  int vision = -1;

  for (guint i = 0; i < self->rules->len; i++)
    {
      ModelRule *rule = g_ptr_array_index (self->rules, i);

      if (rule->vision >= 0 && g_pattern_spec_match_string (rule->pattern, model))
        vision = rule->vision;
    }

  return vision;
}
