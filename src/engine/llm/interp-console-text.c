/* interp-console-text.c: code copied from a terminal, with its prompts
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "llm/interp-console-text.h"

#include <string.h>

static const struct
{
  const char *first; /* without the space behind it */
  const char *next;
} prompts[] = {
  { ">>>", "..." },
  { "$", ">" },
  { "%", ">" },
};

static const char *
after_prompt (const char *line, const char *prompt)
{
  gsize length = strlen (prompt);

  if (strncmp (line, prompt, length) != 0)
    return NULL;

  if (line[length] == '\0')
    return line + length;

  return line[length] == ' ' ? line + length + 1 : NULL;
}

static int
find_prompt (const char *text)
{
  const char *p = text;
  g_autofree char *line = NULL;

  while (g_ascii_isspace (*p))
    p++;

  line = g_strndup (p, strcspn (p, "\n"));
  for (gsize i = 0; i < G_N_ELEMENTS (prompts); i++)
    {
      const char *code = after_prompt (line, prompts[i].first);

      if (code != NULL && *code != '\0')
        return (int) i;
    }

  return -1;
}

gboolean
interp_console_text_has_prompts (const char *text)
{
  g_return_val_if_fail (text != NULL, FALSE);

  return find_prompt (text) >= 0;
}

char *
interp_console_text_strip (const char *text)
{
  int prompt = find_prompt (text);
  g_auto (GStrv) lines = NULL;
  g_autoptr (GString) code = g_string_new (NULL);
  gboolean continued = FALSE;

  g_return_val_if_fail (text != NULL, NULL);

  if (prompt < 0)
    return g_strdup (text);

  lines = g_strsplit (text, "\n", -1);
  for (gsize i = 0; lines[i] != NULL; i++)
    {
      const char *line = lines[i];
      const char *typed;

      while (*line == ' ' && after_prompt (line, prompts[prompt].first) == NULL && *line != '\0')
        line++;

      typed = after_prompt (line, prompts[prompt].first);
      if (typed == NULL && code->len > 0)
        typed = after_prompt (line, prompts[prompt].next);
      if (typed == NULL && continued)
        typed = lines[i];

      /* What is left is output. */
      if (typed == NULL)
        continue;

      if (code->len > 0)
        g_string_append_c (code, '\n');
      g_string_append (code, typed);
      continued = g_str_has_suffix (typed, "\\");
    }

  return g_string_free_and_steal (g_steal_pointer (&code));
}
