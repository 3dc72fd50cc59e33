/* interp-code-printer.c: code with line numbers and simple colours, for a terminal
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "interp-code-printer.h"

#include <string.h>

#include "base/interp-text.h"

#define STYLE_NUMBER "2"
#define STYLE_KEYWORD "1;34"
#define STYLE_STRING "32"
#define STYLE_COMMENT "2;3"
#define STYLE_LITERAL "35"

/* What can run over the end of a line. */
typedef struct
{
  const char *open;
  const char *close;
  const char *style;
} Region;

typedef struct
{
  const char *id;
  const char *comment;          /* to the end of the line */
  gboolean comment_after_space; /* only at the start of a word ("a#b" is none) */
  const char *quotes;           /* strings within a line, backslash escapes */
  Region regions[3];
  const char *keywords; /* between blanks */
} Language;

/* clang-format off */
static const Language languages[] = {
  { "python", "#", FALSE, "\"'", { { "\"\"\"", "\"\"\"", STYLE_STRING }, { "'''", "'''", STYLE_STRING } },
    " and as assert async await break case class continue def del elif else except finally for from global if import in is lambda match"
    " nonlocal not or pass raise return try while with yield True False None " },
  { "shell", "#", TRUE, "\"'", { { NULL } },
    " if then else elif fi for while until do done case esac in function select return exit local export readonly declare unset set source"
    " trap break continue shift " },
  { "javascript", "//", FALSE, "\"'", { { "/*", "*/", STYLE_COMMENT }, { "`", "`", STYLE_STRING } },
    " async await break case catch class const continue debugger default delete do else export extends finally for from function if import"
    " in instanceof let new of return static super switch this throw try typeof var void while with yield true false null undefined " },
  { "r", "#", FALSE, "\"'", { { NULL } },
    " if else repeat while function for in next break TRUE FALSE NULL NA Inf NaN library require return " },
};
/* clang-format on */

struct _InterpCodePrinter
{
  const Language *language;
  gboolean styled;
  GString *printed; /* the code printed so far, whole lines */
  guint n_lines;
  const Region *region; /* goes on from the line before */
};

InterpCodePrinter *
interp_code_printer_new (const char *language, gboolean styled)
{
  InterpCodePrinter *self = g_new0 (InterpCodePrinter, 1);

  self->styled = styled;
  self->printed = g_string_new (NULL);
  for (guint i = 0; language != NULL && i < G_N_ELEMENTS (languages); i++)
    if (g_str_equal (languages[i].id, language))
      self->language = &languages[i];
  return self;
}

void
interp_code_printer_free (InterpCodePrinter *self)
{
  if (self == NULL)
    return;
  g_string_free (self->printed, TRUE);
  g_free (self);
}

static void
put_styled (GString *out, const char *style, const char *text, gsize length)
{
  g_string_append_printf (out, "\033[%sm", style);
  g_string_append_len (out, text, length);
  g_string_append (out, "\033[0m");
}

static gboolean
is_word_char (char c)
{
  return g_ascii_isalnum (c) || c == '_' || (c & 0x80) != 0;
}

static gboolean
is_keyword (const Language *language, const char *word, gsize length)
{
  g_autofree char *wanted = g_strdup_printf (" %.*s ", (int) length, word);

  return length < 16 && strstr (language->keywords, wanted) != NULL;
}

/* Where the region ends within @text; the end of the line when it does not. */
static const char *
find_region_end (const Region *region, const char *text, gboolean *ended)
{
  gsize length = strlen (region->close);

  *ended = TRUE;
  for (const char *p = text; *p != '\0'; p++)
    {
      if (*p == '\\' && p[1] != '\0' && region->style[0] != '2')
        p++;
      else if (strncmp (p, region->close, length) == 0)
        return p + length;
    }
  *ended = FALSE;
  return text + strlen (text);
}

static const char *
find_string_end (const char *text)
{
  const char *p = text + 1;

  while (*p != '\0' && *p != *text)
    p += *p == '\\' && p[1] != '\0' ? 2 : 1;
  return *p != '\0' ? p + 1 : p;
}

static const Region *
find_region (const Language *language, const char *text)
{
  for (guint i = 0; i < G_N_ELEMENTS (language->regions) && language->regions[i].open != NULL; i++)
    if (g_str_has_prefix (text, language->regions[i].open))
      return &language->regions[i];
  return NULL;
}

static void
highlight (InterpCodePrinter *self, GString *out, const char *line)
{
  const Language *language = self->language;
  const char *p = line;

  while (*p != '\0')
    {
      const Region *region = self->region;
      const char *end;
      const char *style = NULL;

      if (region != NULL || (region = find_region (language, p)) != NULL)
        {
          gboolean ended;

          end = find_region_end (region, self->region != NULL ? p : p + strlen (region->open), &ended);
          self->region = ended ? NULL : region;
          style = region->style;
        }
      else if (g_str_has_prefix (p, language->comment)
               && (!language->comment_after_space || p == line || g_ascii_isspace (p[-1]) || p[-1] == ';'))
        {
          end = p + strlen (p);
          style = STYLE_COMMENT;
        }
      else if (strchr (language->quotes, *p) != NULL)
        {
          end = find_string_end (p);
          style = STYLE_STRING;
        }
      else if (is_word_char (*p))
        {
          for (end = p; is_word_char (*end); end++)
            ;
          if (g_ascii_isdigit (*p))
            style = STYLE_LITERAL;
          else if (is_keyword (language, p, end - p))
            style = STYLE_KEYWORD;
        }
      else
        end = p + 1;

      if (style != NULL && end > p)
        put_styled (out, style, p, end - p);
      else
        g_string_append_len (out, p, end - p);
      p = end;
    }
}

static void
put_line (InterpCodePrinter *self, GString *out, const char *line, gsize length)
{
  g_autofree char *raw = g_strndup (line, length);
  g_autofree char *visible = interp_text_make_visible (raw);
  g_autofree char *number = g_strdup_printf ("%4u │ ", ++self->n_lines);

  if (!self->styled)
    {
      g_string_append (out, number);
      g_string_append (out, visible);
    }
  else
    {
      put_styled (out, STYLE_NUMBER, number, strlen (number));
      if (self->language != NULL)
        highlight (self, out, visible);
      else
        g_string_append (out, visible);
    }
  g_string_append_c (out, '\n');
}

gboolean
interp_code_printer_is_outdated (InterpCodePrinter *self, const char *code)
{
  return !g_str_has_prefix (code, self->printed->str);
}

char *
interp_code_printer_update (InterpCodePrinter *self, const char *code, gboolean at_end)
{
  GString *out = g_string_new (NULL);
  const char *p;

  g_return_val_if_fail (!interp_code_printer_is_outdated (self, code), g_string_free_and_steal (out));

  for (p = code + self->printed->len; *p != '\0';)
    {
      const char *end = strchr (p, '\n');

      if (end == NULL && !at_end)
        break;
      put_line (self, out, p, end != NULL ? (gsize) (end - p) : strlen (p));
      p = end != NULL ? end + 1 : p + strlen (p);
    }
  g_string_append_len (self->printed, code + self->printed->len, p - (code + self->printed->len));
  return g_string_free_and_steal (out);
}
