/* interp-magic-messages.c: conversations as Open Interpreter's messages
 *
 * A list of {role: user | assistant | computer, type: message | code | console | image, format, content}.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "interp-magic.h"

#include <glib/gi18n.h>
#include <string.h>

#include "base/interp-json.h"

static JsonNode *
make_message (const char *role, const char *type, const char *format, const char *content)
{
  return interp_json_object ("role", INTERP_JSON_STRING (role), "type", INTERP_JSON_STRING (type), "format",
                             INTERP_JSON_STRING (format), "content", INTERP_JSON_STRING (content), NULL);
}

static void
add_cell (JsonNode *messages, InterpCell *cell)
{
  InterpKernelSpec *spec = interp_cell_get_spec (cell);
  g_autofree char *output = interp_cell_dup_output (cell, NULL);
  const char *traceback = interp_cell_get_traceback (cell);
  GListModel *displays = interp_cell_get_displays (cell);

  interp_json_append (messages,
                      make_message (interp_cell_is_by_user (cell) ? "user" : "assistant", "code",
                                    spec != NULL ? interp_kernel_spec_get_id (spec) : interp_cell_get_language (cell),
                                    interp_cell_get_code (cell)));
  if (output != NULL && *output != '\0')
    interp_json_append (messages, make_message ("computer", "console", "output", output));
  if (traceback != NULL && *traceback != '\0' && (output == NULL || strstr (output, traceback) == NULL))
    interp_json_append (messages, make_message ("computer", "console", "output", traceback));
  for (guint i = 0; displays != NULL && i < g_list_model_get_n_items (displays); i++)
    {
      g_autoptr (InterpDisplay) display = g_list_model_get_item (displays, i);

      if (g_str_has_prefix (interp_display_get_mime (display), "image/") && interp_display_get_path (display) != NULL)
        interp_json_append (messages, make_message ("computer", "image", "path", interp_display_get_path (display)));
    }
}

char *
interp_magic_export_messages (InterpSession *session)
{
  g_autoptr (JsonNode) messages = interp_json_array (INTERP_JSON_END);
  GListModel *items = interp_session_get_items (session);

  for (guint i = 0; i < g_list_model_get_n_items (items); i++)
    {
      g_autoptr (InterpItem) item = g_list_model_get_item (items, i);

      switch (interp_item_get_kind (item))
        {
        case INTERP_ITEM_USER:
          interp_json_append (messages, make_message ("user", "message", NULL, interp_item_get_text (item)));
          break;
        case INTERP_ITEM_ASSISTANT:
          interp_json_append (messages, make_message ("assistant", "message", NULL, interp_item_get_text (item)));
          break;
        case INTERP_ITEM_CELL:
          add_cell (messages, INTERP_CELL (item));
          break;
        case INTERP_ITEM_REASONING:
        case INTERP_ITEM_NOTICE:
        case INTERP_ITEM_ERROR:
        default:
          break;
        }
    }
  return interp_json_to_string (messages);
}

char *
interp_magic_import_messages (const char *json, guint *n_messages, GError **error)
{
  g_autoptr (JsonNode) messages = interp_json_parse (json, -1, INTERP_JSON_PARSE_NONE, error);
  g_autoptr (GString) text = NULL;

  *n_messages = 0;
  if (messages == NULL)
    return NULL;
  text = g_string_new (NULL);
  for (guint i = 0; i < interp_json_get_length (messages, NULL); i++)
    {
      g_autofree char *place = g_strdup_printf ("%u", i);
      JsonNode *message = interp_json_get (messages, place);
      const char *role = interp_json_get_string (message, "role");
      const char *type = interp_json_get_string (message, "type");
      const char *format = interp_json_get_string (message, "format");
      const char *content = interp_json_get_string (message, "content");

      if (role == NULL || content == NULL || g_strcmp0 (type, "image") == 0)
        continue;
      if (g_strcmp0 (type, "code") == 0)
        g_string_append_printf (text, "[%s, code%s%s]\n%s\n\n", role, format != NULL ? ", " : "",
                                format != NULL ? format : "", content);
      else if (g_strcmp0 (type, "console") == 0)
        g_string_append_printf (text, "[output]\n%s\n\n", content);
      else
        g_string_append_printf (text, "[%s]\n%s\n\n", role, content);
      (*n_messages)++;
    }
  if (*n_messages == 0)
    {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, _ ("There are no messages in it."));
      return NULL;
    }
  return g_string_free_and_steal (g_steal_pointer (&text));
}
