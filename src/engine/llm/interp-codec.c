/* interp-codec.c: the table of wire formats, and what they share
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "llm/interp-codec.h"

#include "base/interp-json.h"

#include <string.h>

static const InterpCodec *codecs[] = {
  &interp_codec_chat, &interp_codec_gemini, &interp_codec_messages, &interp_codec_ollama, &interp_codec_responses,
};

const InterpCodec *
interp_codec_find (const char *name)
{
  g_return_val_if_fail (name != NULL, NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (codecs); i++)
    if (g_str_equal (codecs[i]->name, name))
      return codecs[i];

  return NULL;
}

/* ---- context ---- */

InterpCodecContext *
interp_codec_context_new (InterpProfile *profile, const char *base_url, const char *key, InterpQuirks quirks,
                          const char *model)
{
  InterpCodecContext *self;
  const char *tag_end;

  g_return_val_if_fail (profile != NULL, NULL);
  g_return_val_if_fail (base_url != NULL, NULL);

  self = g_new0 (InterpCodecContext, 1);
  g_atomic_ref_count_init (&self->ref_count);
  self->profile = interp_profile_ref (profile);
  self->base_url = g_strdup (base_url);
  self->key = g_strdup (key);
  self->quirks = quirks;

  /* "name:tag" variants of one model share their signatures. */
  if (model == NULL)
    model = "";
  tag_end = strchr (model, ':');
  self->opaque_tag = g_strdup_printf ("%s/%.*s", interp_profile_get_id (profile),
                                      (int) (tag_end != NULL ? tag_end - model : (gssize) strlen (model)), model);

  return self;
}

InterpCodecContext *
interp_codec_context_ref (InterpCodecContext *self)
{
  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

void
interp_codec_context_unref (InterpCodecContext *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  interp_profile_unref (self->profile);
  g_free (self->base_url);
  g_free (self->key);
  g_free (self->opaque_tag);
  g_free (self);
}

/* ---- HTTP requests ---- */

InterpHttpRequest *
interp_http_request_new (const char *method, char *url, JsonNode *body)
{
  InterpHttpRequest *self = g_new0 (InterpHttpRequest, 1);

  self->method = method;
  self->url = url;
  self->headers = g_ptr_array_new_with_free_func (g_free);

  if (body != NULL)
    {
      char *text = interp_json_to_string (body);

      self->body = g_bytes_new_take (text, strlen (text));
      json_node_unref (body);
    }

  return self;
}

void
interp_http_request_add_header (InterpHttpRequest *self, const char *name, const char *value)
{
  g_ptr_array_add (self->headers, g_strdup (name));
  g_ptr_array_add (self->headers, g_strdup (value));
}

void
interp_http_request_free (InterpHttpRequest *self)
{
  g_free (self->url);
  g_ptr_array_unref (self->headers);
  g_clear_pointer (&self->body, g_bytes_unref);
  g_free (self);
}

/* ---- for codecs ---- */

void
interp_codec_authorize (InterpCodecContext *context, InterpHttpRequest *http)
{
  if (context->key != NULL && *context->key != '\0')
    {
      const char *header = interp_profile_get_key_header (context->profile);
      g_autofree char *value = g_strconcat ("Bearer ", context->key, NULL);

      if (header != NULL)
        interp_http_request_add_header (http, header, context->key);
      else
        interp_http_request_add_header (http, "Authorization", value);
    }
}

char *
interp_codec_make_url (InterpCodecContext *context, const char *version, const char *path)
{
  gboolean has_version = g_str_has_suffix (context->base_url, version);

  return g_strconcat (context->base_url, has_version ? "" : version, path, NULL);
}

char *
interp_codec_make_page_url (InterpCodecContext *context, const char *version, const char *path, const char *parameter,
                            const char *page)
{
  g_autofree char *escaped = page != NULL ? g_uri_escape_string (page, NULL, FALSE) : NULL;
  g_autofree char *whole = page != NULL ? g_strconcat (path, "&", parameter, "=", escaped, NULL) : g_strdup (path);

  return interp_codec_make_url (context, version, whole);
}

JsonNode *
interp_codec_copy_schema (InterpTool *tool)
{
  if (tool->schema != NULL)
    return json_node_copy (tool->schema);

  return interp_json_object ("type", INTERP_JSON_STRING ("object"), "properties",
                             INTERP_JSON_NODE (interp_json_object (NULL, NULL)), NULL);
}

char *
interp_codec_encode_picture (InterpPicture *picture)
{
  gsize size;
  const guchar *data = g_bytes_get_data (picture->bytes, &size);

  return g_base64_encode (data, size);
}

char *
interp_codec_make_picture_url (InterpPicture *picture)
{
  g_autofree char *base64 = interp_codec_encode_picture (picture);

  return g_strdup_printf ("data:%s;base64,%s", picture->mime, base64);
}

char *
interp_codec_make_call_id (const char *id)
{
  gsize length = strlen (id);
  gboolean fits = length > 0 && length <= 64;
  g_autofree char *sum = NULL;

  for (gsize i = 0; fits && i < length; i++)
    fits = g_ascii_isalnum (id[i]) || id[i] == '_' || id[i] == '-';

  if (fits)
    return g_strdup (id);

  sum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, id, -1);

  return g_strdup_printf ("call_%.24s", sum);
}

/* ---- facts ---- */

InterpModelFacts *
interp_model_facts_new (const char *name)
{
  InterpModelFacts *self = g_new0 (InterpModelFacts, 1);

  self->name = g_strdup (name);
  self->tools = -1;
  self->vision = -1;
  self->thinking = -1;
  self->chat = -1;

  return self;
}

void
interp_model_facts_free (InterpModelFacts *self)
{
  g_free (self->name);
  g_free (self->title);
  g_free (self);
}
