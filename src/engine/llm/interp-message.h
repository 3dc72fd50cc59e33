/* interp-message.h: what is said to a model and what it says, independent of provider
 *
 * Plain boxed values; immutable once handed on.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <glib-object.h>
#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* ---- calls ---- */

typedef enum
{
  INTERP_CALL_TOOL,      /* a tool call of the provider's API */
  INTERP_CALL_FENCE,     /* a fenced block (text mode) */
  INTERP_CALL_RECOVERED, /* a tool call that the model printed as text: always asks */
} InterpCallOrigin;

#define INTERP_TYPE_CALL (interp_call_get_type ())
typedef struct
{
  gatomicrefcount ref_count;
  InterpCallOrigin origin;
  char *id;        /* never NULL: made up where the provider gives none */
  char *name;      /* tool name; "run_code" for fences */
  char *arguments; /* raw JSON text as the model wrote it */
  char *language;  /* of run_code: as the model wrote it, nullable */
  char *code;      /* of run_code: exact bytes, nullable */
  char *fault;     /* why it cannot run (arguments do not parse, cut off): for the model and the user; NULL when fine */
} InterpCall;

GType interp_call_get_type (void);
InterpCall *interp_call_new (InterpCallOrigin origin, const char *id, const char *name, const char *arguments);
char *interp_call_make_id (void);
InterpCall *interp_call_ref (InterpCall *self);
void interp_call_unref (InterpCall *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InterpCall, interp_call_unref)

/* ---- messages of a request ---- */

typedef enum
{
  INTERP_ROLE_USER,
  INTERP_ROLE_ASSISTANT,
  INTERP_ROLE_TOOL, /* one result of one call */
} InterpRole;

typedef struct
{
  char *mime; /* image/png, image/jpeg, … */
  GBytes *bytes;
} InterpPicture;

#define INTERP_TYPE_MESSAGE (interp_message_get_type ())
typedef struct
{
  gatomicrefcount ref_count;
  InterpRole role;
  char *text;            /* nullable */
  char *reasoning;       /* assistant: visible thinking, nullable */
  GPtrArray *calls;      /* assistant: InterpCall, nullable */
  char *call_id;         /* tool: answers this call */
  char *call_name;       /* tool */
  gboolean is_error;     /* tool */
  GPtrArray *pictures;   /* InterpPicture, nullable */
  char *opaque_provider; /* assistant: who may get @opaque back (provider id "/" model family) */
  GBytes *opaque;        /* assistant: provider's own state, exact bytes, nullable */
} InterpMessage;

GType interp_message_get_type (void);
InterpMessage *interp_message_new (InterpRole role, const char *text);
InterpMessage *interp_message_ref (InterpMessage *self);
void interp_message_unref (InterpMessage *self);
void interp_message_add_call (InterpMessage *self, InterpCall *call);
void interp_message_add_picture (InterpMessage *self, const char *mime, GBytes *bytes);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InterpMessage, interp_message_unref)

/* ---- tools ---- */

typedef struct
{
  char *name;
  char *description;
  JsonNode *schema; /* JSON Schema object */
} InterpTool;

InterpTool *interp_tool_new (const char *name, const char *description, JsonNode *schema /* taken */);
void interp_tool_free (InterpTool *self);

/* ---- a request ---- */

#define INTERP_TYPE_REQUEST (interp_request_get_type ())
typedef struct
{
  gatomicrefcount ref_count;
  char *model;           /* wire name */
  char *system;          /* nullable */
  GPtrArray *messages;   /* InterpMessage */
  GPtrArray *tools;      /* InterpTool; empty in text mode */
  gboolean text_mode;    /* fences are calls */
  GPtrArray *languages;  /* text mode: char*, canonical names and aliases of runnable languages (see kernel specs) */
  double temperature;    /* NAN: not sent */
  gint64 max_tokens;     /* 0: not sent */
  gint64 context_window; /* tokens, 0: unknown; Ollama's num_ctx */
} InterpRequest;

GType interp_request_get_type (void);
InterpRequest *interp_request_new (const char *model);
InterpRequest *interp_request_ref (InterpRequest *self);
void interp_request_unref (InterpRequest *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InterpRequest, interp_request_unref)

/* ---- events of an answer ---- */

typedef enum
{
  INTERP_EVENT_TEXT,          /* text: what to append */
  INTERP_EVENT_REASONING,     /* text: what to append */
  INTERP_EVENT_CALL_BEGIN,    /* index; call: id and name known so far, code empty */
  INTERP_EVENT_CALL_PROGRESS, /* index; call: language and code as far as they have arrived */
  INTERP_EVENT_CALL_END,      /* index; call: whole; call->fault set when it must not run */
  INTERP_EVENT_OPAQUE,        /* opaque, text = provider tag: keep with the turn */
  INTERP_EVENT_USAGE,         /* usage, last one wins */
  INTERP_EVENT_PROGRESS, /* text: what is being waited for ("Loading the model"), or why ("OpenAI is busy."); fraction;
                          * retry_in */
  INTERP_EVENT_WARNING,  /* text: a sentence for the user (the server cut the context, …) */
  INTERP_EVENT_FINISH,   /* finish; always the last event of a whole answer */
  INTERP_EVENT_RETHINK,  /* a </think> came whose opening tag never did: all TEXT so far was REASONING, and
                          * calls of origin FENCE so far are void */
} InterpEventKind;

typedef enum
{
  INTERP_FINISH_END,
  INTERP_FINISH_CALLS,
  INTERP_FINISH_LENGTH,
  INTERP_FINISH_STOP_SEQUENCE,
  INTERP_FINISH_REFUSED,
  INTERP_FINISH_PAUSED,
} InterpFinish;

typedef struct
{
  gint64 input_tokens; /* −1: unknown */
  gint64 cached_tokens;
  gint64 output_tokens;
  gint64 reasoning_tokens;
} InterpUsage;

#define INTERP_TYPE_EVENT (interp_event_get_type ())
typedef struct
{
  gatomicrefcount ref_count;
  InterpEventKind kind;
  char *text;
  guint index;
  InterpCall *call;
  GBytes *opaque;
  InterpUsage usage;
  double fraction; /* 0–1, or −1 */
  gint64 retry_in; /* milliseconds until the next try, 0 when not waiting */
  InterpFinish finish;
} InterpEvent;

GType interp_event_get_type (void);
InterpEvent *interp_event_new (InterpEventKind kind);
InterpEvent *interp_event_new_text (InterpEventKind kind, const char *text);
InterpEvent *interp_event_ref (InterpEvent *self);
void interp_event_unref (InterpEvent *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InterpEvent, interp_event_unref)

/* ---- errors ---- */

#define INTERP_LLM_ERROR (interp_llm_error_quark ())
typedef enum
{
  INTERP_LLM_ERROR_UNREACHABLE, /* no connection */
  INTERP_LLM_ERROR_KEY,         /* missing or refused */
  INTERP_LLM_ERROR_NO_MODEL,    /* the server does not have it */
  INTERP_LLM_ERROR_QUOTA,       /* money or daily limit: do not retry */
  INTERP_LLM_ERROR_BUSY,        /* rate limit, overloaded, after all retries */
  INTERP_LLM_ERROR_CONTEXT,     /* the conversation is too long for the model */
  INTERP_LLM_ERROR_NO_TOOLS,    /* the model has no tool calling: use text mode */
  INTERP_LLM_ERROR_REQUEST,     /* other refusals of the request */
  INTERP_LLM_ERROR_INCOMPLETE,  /* the stream ended without its end; what arrived stands */
  INTERP_LLM_ERROR_PROTOCOL,    /* not what the API promises */
  INTERP_LLM_ERROR_OFFLINE,     /* "Local Models Only" forbids this address */
} InterpLlmError;
GQuark interp_llm_error_quark (void);

G_END_DECLS
