/* interp-local-advice.c
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <unistd.h>

#include <glib/gi18n.h>

#include "base/interp-text.h"
#include "models/interp-local-advice.h"

#define GIB (G_GUINT64_CONSTANT (1) << 30)

/* Largest first: the first whose need fits into the machine's memory is named. */
static const struct
{
  const char *name;
  guint64 memory;   /* bytes wanted in the machine */
  guint64 download; /* bytes, about */
} models[] = {
  { "gpt-oss:20b", 24 * GIB, 14 * GIB },
  { "qwen3:8b", 12 * GIB, 5 * GIB },
  { "qwen3:4b", 7 * GIB, 5 * GIB / 2 },
  { "qwen3:1.7b", 0, 3 * GIB / 2 },
};

static guint64
get_memory (void)
{
  long pages = sysconf (_SC_PHYS_PAGES);
  long page_size = sysconf (_SC_PAGESIZE);

  return pages > 0 && page_size > 0 ? (guint64) pages * page_size : 0;
}

InterpLocalAdvice *
interp_local_advice_new (gboolean has_ollama)
{
  InterpLocalAdvice *self = g_new0 (InterpLocalAdvice, 1);
  guint64 memory = get_memory ();
  guint chosen = G_N_ELEMENTS (models) - 1;

  for (guint i = 0; i < G_N_ELEMENTS (models); i++)
    if (memory >= models[i].memory)
      {
        chosen = i;
        break;
      }

  if (has_ollama)
    {
      g_autofree char *size = interp_text_format_size (models[chosen].download);

      self->model = g_strdup (models[chosen].name);
      self->command = g_strdup_printf ("ollama pull %s", models[chosen].name);
      /* Translators: %s is a size, "5 GB" */
      self->explanation
          = g_strdup_printf (_ ("Ollama runs but has no model yet. This one fits this computer’s memory; it "
                                "downloads about %s."),
                             size);
    }
  else
    {
      self->command = g_strdup ("curl -fsSL https://ollama.com/install.sh | sh");
      self->explanation
          = g_strdup (_ ("Installs Ollama, which runs models on this computer. It is found here by itself when it "
                         "is there."));
    }
  return self;
}

void
interp_local_advice_free (InterpLocalAdvice *self)
{
  g_free (self->model);
  g_free (self->command);
  g_free (self->explanation);
  g_free (self);
}
