/* interp-list.c: models and conversations, listed
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "interp-list.h"

#include <glib/gi18n.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/interp-text.h"
#include "interp-prompt.h"
#include "interp-task.h"
#include "interp-terminal-chat.h"

static gboolean
wait_for (DexFuture *future, GError **error)
{
  g_autoptr (DexFuture) owned = future;

  while (dex_future_is_pending (owned))
    g_main_context_iteration (NULL, TRUE);
  return dex_future_get_value (owned, error) != NULL;
}

/* ---- models ---- */

static void
print_model (InterpModel *model)
{
  g_autofree char *name = interp_model_dup_name (model);
  g_autofree char *visible = interp_text_make_visible (name);
  gint64 window = interp_model_get_context_window (model);
  guint64 size = interp_model_get_size (model);
  g_autofree char *window_text = window > 0 ? g_strdup_printf (_ ("%ld tokens"), (long) window) : g_strdup ("");
  g_autofree char *size_text = size > 0 ? interp_text_format_size (size) : g_strdup ("");

  printf ("%s%*s  %16s  %8s\n", visible, (int) MAX (0, 44 - g_utf8_strlen (visible, -1)), "", window_text, size_text);
}

static DexFuture *
drop_failure (DexFuture *completed, gpointer data)
{
  return dex_future_new_true ();
}

/* Context windows are known only once each model has been asked about: all at once. */
static void
inspect_all (InterpProvider *provider, GListModel *models)
{
  guint n = g_list_model_get_n_items (models);
  g_autoptr (GPtrArray) futures = g_ptr_array_new_with_free_func (dex_unref);

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (InterpModel) model = g_list_model_get_item (models, i);

      if (interp_model_get_context_window (model) == 0 && interp_provider_is_local (provider))
        g_ptr_array_add (futures,
                         dex_future_catch (interp_provider_inspect (provider, model), drop_failure, NULL, NULL));
    }
  if (futures->len > 0)
    wait_for (dex_future_allv ((DexFuture *const *) futures->pdata, futures->len), NULL);
}

static guint
print_models (InterpProvider *provider, GListModel *models)
{
  guint n = g_list_model_get_n_items (models);

  inspect_all (provider, models);
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (InterpModel) model = g_list_model_get_item (models, i);

      print_model (model);
    }
  return n;
}

/* Transfer full. */
static gpointer
wait_for_object (DexFuture *future, GError **error)
{
  g_autoptr (DexFuture) owned = future;
  const GValue *value;

  wait_for (dex_ref (owned), NULL);
  value = dex_future_get_value (owned, error);
  return value != NULL ? g_value_dup_object (value) : NULL;
}

/* What the server at an address has, and nobody else. */
static int
list_address (InterpModels *models, const InterpOptions *options)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (InterpModel) model
      = wait_for_object (interp_models_resolve (models, options->model, options->api_base, options->api_key), &error);
  g_autoptr (GListModel) list = NULL;

  if (model != NULL)
    list = wait_for_object (interp_provider_list_models (interp_model_get_provider (model)), &error);
  if (list == NULL)
    {
      g_autofree char *visible = interp_text_make_visible (error->message);

      fprintf (stderr, "%s\n", visible);
      return INTERP_EXIT_FAILED;
    }
  print_models (interp_model_get_provider (model), list);
  return INTERP_EXIT_DONE;
}

int
interp_list_models (InterpModels *models, const InterpOptions *options)
{
  GListModel *findings;
  guint n_models = 0;

  if (options->api_base != NULL)
    return list_address (models, options);
  wait_for (interp_models_discover (models), NULL);
  findings = interp_models_get_findings (models);
  for (guint i = 0; i < g_list_model_get_n_items (findings); i++)
    {
      g_autoptr (InterpFinding) finding = g_list_model_get_item (findings, i);

      if (interp_finding_get_error (finding) != NULL)
        {
          g_autofree char *error = interp_text_make_visible (interp_finding_get_error (finding));

          fprintf (stderr, "%s: %s\n", interp_provider_get_title (interp_finding_get_provider (finding)), error);
        }
      if (!interp_finding_answers (finding))
        continue;
      n_models += print_models (interp_finding_get_provider (finding), interp_finding_get_models (finding));
    }
  if (n_models > 0)
    return INTERP_EXIT_DONE;
  fprintf (stderr, "%s\n",
           _ ("No model can be reached. Start a local server (Ollama, llama.cpp, LM Studio), set a "
              "provider’s key in the environment, "
              "or give an address with --api_base."));
  return INTERP_EXIT_FAILED;
}

/* ---- conversations ---- */

static void
print_conversation (InterpChat *chat, guint number)
{
  g_autoptr (GDateTime) utc = g_date_time_new_from_unix_utc (interp_chat_get_updated (chat) / 1000);
  g_autoptr (GDateTime) local = utc != NULL ? g_date_time_to_local (utc) : NULL;
  g_autofree char *date = local != NULL ? g_date_time_format (local, "%Y-%m-%d %H:%M") : g_strdup ("");
  g_autofree char *title = interp_text_make_visible (interp_chat_get_title (chat));

  g_strdelimit (title, "\n\t", ' ');
  printf ("%4u  %s  %s\n", number, date, title);
}

static guint64
ask_number (guint n)
{
  InterpTty *tty = interp_tty_new (stdout, FALSE);
  guint64 number = 0;

  interp_prompt_begin (tty, NULL);
  for (gboolean again = TRUE; again;)
    {
      g_autoptr (DexFuture) answer = interp_prompt_ask (_ ("Which one? (Enter: none) "), "1", FALSE);
      const GValue *value;
      const char *text;

      wait_for (dex_ref (answer), NULL);
      value = dex_future_get_value (answer, NULL);
      text = value != NULL ? g_value_get_string (value) : NULL;
      again = text != NULL && *text != '\0' && !g_ascii_string_to_unsigned (text, 10, 1, n, &number, NULL);
    }
  interp_prompt_end ();
  interp_tty_unref (tty);
  return number;
}

int
interp_list_conversations (InterpEngine *engine, const InterpCommandLine *command_line)
{
  GListModel *chats = interp_engine_get_chats (engine);
  guint n = g_list_model_get_n_items (chats);
  g_autoptr (InterpChat) chat = NULL;
  g_autoptr (DexFuture) opened = NULL;
  g_autoptr (GError) error = NULL;
  guint64 number;

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (InterpChat) listed = g_list_model_get_item (chats, i);

      print_conversation (listed, i + 1);
    }
  fflush (stdout);
  if (n == 0)
    fprintf (stderr, "%s\n", _ ("There are no kept conversations."));
  if (n == 0 || !isatty (STDIN_FILENO) || !isatty (STDOUT_FILENO))
    return INTERP_EXIT_DONE;

  number = ask_number (n);
  if (number == 0)
    return INTERP_EXIT_DONE;
  chat = g_list_model_get_item (chats, number - 1);
  opened = interp_engine_open_session (engine, interp_chat_get_id (chat));
  if (!wait_for (dex_ref (opened), &error))
    {
      fprintf (stderr, "%s\n", error->message);
      return INTERP_EXIT_FAILED;
    }
  return interp_terminal_chat_run (engine, command_line, g_value_get_object (dex_future_get_value (opened, NULL)));
}
