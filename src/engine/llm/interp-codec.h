/* interp-codec.h: one wire format
 *
 * A codec turns a request into bytes and an answer's bytes into events. It knows no sockets, no timers and no retries.
 * One codec a file; the table of them is in interp-codec.c. To add one, write its file and enter it there; providers
 * name it in their profile (Codec=).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "llm/interp-message.h"
#include "llm/interp-profile.h"
#include "llm/interp-refusal.h"

G_BEGIN_DECLS

/* Where events go. @event is taken. */
typedef void (*InterpEventSink) (InterpEvent *event, gpointer data);

/* What a codec may know while building. Immutable; used on worker threads. */
typedef struct
{
  gatomicrefcount ref_count;
  InterpProfile *profile;
  char *base_url;
  char *key; /* nullable */
  InterpQuirks quirks;
  char *opaque_tag; /* who we are, for InterpMessage.opaque_provider */
} InterpCodecContext;

InterpCodecContext *interp_codec_context_new (InterpProfile *profile, const char *base_url, const char *key,
                                              InterpQuirks quirks, const char *model);
InterpCodecContext *interp_codec_context_ref (InterpCodecContext *self);
void interp_codec_context_unref (InterpCodecContext *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InterpCodecContext, interp_codec_context_unref)

/* An HTTP request. */
typedef struct
{
  const char *method; /* static */
  char *url;
  GPtrArray *headers; /* char *: name, value, name, value… */
  GBytes *body;       /* JSON, nullable */
} InterpHttpRequest;

InterpHttpRequest *interp_http_request_new (const char *method, char *url /* taken */,
                                            JsonNode *body /* taken, nullable */);
void interp_http_request_add_header (InterpHttpRequest *self, const char *name, const char *value);
void interp_http_request_free (InterpHttpRequest *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InterpHttpRequest, interp_http_request_free)

/* What a list or an inspection tells of one model. */
typedef struct
{
  char *name;            /* wire name */
  char *title;           /* nullable */
  gint64 context_window; /* tokens, 0 unknown */
  gint64 train_window;   /* what the model could do at most, 0 unknown */
  guint64 size;          /* bytes, 0 unknown */
  int tools;             /* −1 unknown, 0, 1 */
  int vision;
  int thinking;
  int chat; /* 0: not for conversations (embeddings, …) */
} InterpModelFacts;

InterpModelFacts *interp_model_facts_new (const char *name);
void interp_model_facts_free (InterpModelFacts *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InterpModelFacts, interp_model_facts_free)

typedef enum
{
  INTERP_DECODE_MORE,    /* go on reading */
  INTERP_DECODE_ENDING,  /* all of the answer has come; only usage or an end mark may follow: wait a moment at most */
  INTERP_DECODE_DONE,    /* the end mark has come: FINISH was given out, stop reading */
  INTERP_DECODE_REFUSED, /* the server reported an error: *refusal is set */
  INTERP_DECODE_BROKEN,  /* not what the API promises: *refusal says what */
} InterpDecodeResult;

typedef struct _InterpCodec InterpCodec;

struct _InterpCodec
{
  const char *name;

  /* Runs on a worker thread; touches nothing but its arguments. */
  InterpHttpRequest *(*build) (InterpCodecContext *context, InterpRequest *request);

  /* A decoder of one answer. @content_type: as the server said, nullable. */
  gpointer (*decoder_new) (InterpCodecContext *context, InterpRequest *request, const char *content_type,
                           InterpEventSink sink, gpointer sink_data);
  void (*decoder_free) (gpointer decoder);
  /* Bytes cut anywhere; @n_payloads counts messages other than comments and pings. */
  InterpDecodeResult (*decode) (gpointer decoder, const char *bytes, gsize length, guint *n_payloads,
                                InterpRefusal **refusal);
  /* The connection ended, or we wait no longer. DONE, or BROKEN when the answer is not whole. */
  InterpDecodeResult (*decode_end) (gpointer decoder, InterpRefusal **refusal);

  /* @page: of the list, NULL for the first one. */
  InterpHttpRequest *(*build_list) (InterpCodecContext *context, const char *page);
  /* GPtrArray of InterpModelFacts, or NULL when @body is no list. */
  GPtrArray *(*parse_list) (JsonNode *body);
  /* The page behind @body, or NULL; nullable where lists come whole. Transfer full. */
  char *(*get_next_page) (JsonNode *body);

  /* One question about one model; NULL when the list says all. */
  InterpHttpRequest *(*build_inspect) (InterpCodecContext *context, const char *model);
  void (*parse_inspect) (JsonNode *body, InterpModelFacts *facts);

  /* A cheap question that tells whether @model is loaded; nullable. */
  InterpHttpRequest *(*build_loaded) (InterpCodecContext *context);
  gboolean (*parse_loaded) (JsonNode *body, const char *model);
};

const InterpCodec *interp_codec_find (const char *name);

/* ---- for codecs ---- */

/* The key as bearer token, or in the header that the profile names, when there is one. */
void interp_codec_authorize (InterpCodecContext *context, InterpHttpRequest *http);
/* The address of @path, which lies below @version ("/v1"): people give addresses with it and without. */
char *interp_codec_make_url (InterpCodecContext *context, const char *version, const char *path);
/* The same for a list in pages: @page, nullable for the first, is the value of what @path is asked with last,
 * @parameter. */
char *interp_codec_make_page_url (InterpCodecContext *context, const char *version, const char *path,
                                  const char *parameter, const char *page);
JsonNode *interp_codec_copy_schema (InterpTool *tool);
/* Base64. */
char *interp_codec_encode_picture (InterpPicture *picture);
char *interp_codec_make_picture_url (InterpPicture *picture);
/* @id as a name of letters, digits, "_" and "-", at most 64: what other providers made up may be longer and stranger.
 * The same for the same @id. */
char *interp_codec_make_call_id (const char *id);

extern const InterpCodec interp_codec_chat;
extern const InterpCodec interp_codec_gemini;
extern const InterpCodec interp_codec_messages;
extern const InterpCodec interp_codec_ollama;
extern const InterpCodec interp_codec_responses;

G_END_DECLS
