/* interp-learnt.c: what models refused, from one run to the next
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "llm/interp-learnt.h"

#include "base/interp-clock.h"
#include "base/interp-fiber.h"
#include "base/interp-paths.h"

#include <glib/gstdio.h>

#define KEPT_MSEC ((gint64) 30 * 24 * 60 * 60 * 1000)
#define MAX_FILE (1024 * 1024)
#define MAX_MODELS 1000

static GKeyFile *learnt; /* NULL until it is needed */

static char *
get_path (void)
{
  return g_build_filename (interp_paths_cache (), "learnt-of-models", NULL);
}

/* What cannot be read is as good as none. */
static GKeyFile *
load (const char *path)
{
  GKeyFile *file = g_key_file_new ();
  GStatBuf info;

  if (g_stat (path, &info) == 0 && S_ISREG (info.st_mode) && info.st_size <= MAX_FILE)
    g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, NULL);

  return file;
}

static GKeyFile *
get_learnt (void)
{
  if (learnt == NULL)
    {
      g_autofree char *path = get_path ();

      learnt = load (path);
    }

  return learnt;
}

void
interp_learnt_reload (void)
{
  g_clear_pointer (&learnt, g_key_file_unref);
}

static char *
make_group (const char *base_url, const char *model)
{
  g_autofree char *escaped = g_uri_escape_string (model, ":/", FALSE);
  g_autofree char *place = g_uri_escape_string (base_url, ":/", FALSE);

  return g_strconcat (place, " ", escaped, NULL);
}

InterpQuirks
interp_learnt_lookup (const char *base_url, const char *model)
{
  g_autofree char *group = NULL;
  gint64 age;

  g_return_val_if_fail (base_url != NULL, 0);
  g_return_val_if_fail (model != NULL, 0);

  group = make_group (base_url, model);
  if (!g_key_file_has_group (get_learnt (), group))
    return 0;

  /* A time to come is none that we wrote. */
  age = interp_clock_now () - g_key_file_get_int64 (get_learnt (), group, "Time", NULL);

  return age >= 0 && age < KEPT_MSEC ? interp_quirks_read (get_learnt (), group) : 0;
}

typedef struct
{
  char *path;
  char *group;
  InterpQuirks quirks;
  gint64 time;
} Addition;

static void
addition_free (gpointer data)
{
  Addition *addition = data;

  g_free (addition->path);
  g_free (addition->group);
  g_free (addition);
}

static void
put (GKeyFile *file, const Addition *addition)
{
  interp_quirks_write (file, addition->group, interp_quirks_read (file, addition->group) | addition->quirks);
  g_key_file_set_int64 (file, addition->group, "Time", addition->time);
}

/* Into the file as it is now: other processes write to it as well. */
static DexFuture *
write_worker (gpointer data)
{
  static GMutex mutex;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&mutex);
  Addition *addition = data;
  g_autoptr (GKeyFile) file = load (addition->path);
  g_auto (GStrv) groups = g_key_file_get_groups (file, NULL);
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;

  if (g_strv_length (groups) >= MAX_MODELS)
    {
      g_key_file_unref (file);
      file = g_key_file_new ();
    }

  put (file, addition);
  text = g_key_file_to_data (file, NULL, NULL);
  if (!interp_paths_write_atomically (addition->path, text, -1, &error))
    g_debug ("What a model refused cannot be kept: %s", error->message);

  return dex_future_new_true ();
}

void
interp_learnt_add (const char *base_url, const char *model, InterpQuirks quirks)
{
  Addition *addition;

  g_return_if_fail (base_url != NULL);
  g_return_if_fail (model != NULL);

  addition = g_new0 (Addition, 1);
  addition->path = get_path ();
  addition->group = make_group (base_url, model);
  addition->quirks = quirks;
  addition->time = interp_clock_now ();
  put (get_learnt (), addition);

  dex_future_disown (interp_worker_run ("keep what a model refused", write_worker, addition, addition_free));
}
