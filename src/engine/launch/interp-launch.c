/* interp-launch.c: a command on its way to becoming a process
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "launch/interp-launch.h"

#include <glib/gstdio.h>

typedef struct
{
  GStrvBuilder *argv;
  GStrv env; /* nullable */
  char *folder;
  InterpLaunchLayer rewrite; /* NULL for the host */
  gpointer user_data;
  GDestroyNotify destroy;
} Layer;

typedef struct
{
  int fd;
  int target;
} Descriptor;

struct _InterpLaunch
{
  GObject parent_instance;

  GPtrArray *layers; /* of Layer; the host first */
  GArray *fds;       /* of Descriptor */
  GStrv argv;        /* what get_argv () gave out */
};

G_DEFINE_FINAL_TYPE (InterpLaunch, interp_launch, G_TYPE_OBJECT)

static Layer *
layer_new (InterpLaunchLayer rewrite, gpointer user_data, GDestroyNotify destroy)
{
  Layer *self = g_new0 (Layer, 1);

  self->argv = g_strv_builder_new ();
  self->rewrite = rewrite;
  self->user_data = user_data;
  self->destroy = destroy;
  return self;
}

static void
layer_free (Layer *self)
{
  g_strv_builder_unref (self->argv);
  g_strfreev (self->env);
  g_free (self->folder);
  if (self->destroy)
    self->destroy (self->user_data);
  g_free (self);
}

static Layer *
interp_launch_innermost (InterpLaunch *self)
{
  return g_ptr_array_index (self->layers, self->layers->len - 1);
}

static void
clear_descriptor (gpointer data)
{
  Descriptor *descriptor = data;

  g_clear_fd (&descriptor->fd, NULL);
}

static void
interp_launch_finalize (GObject *object)
{
  InterpLaunch *self = INTERP_LAUNCH (object);

  g_ptr_array_unref (self->layers);
  g_array_unref (self->fds);
  g_strfreev (self->argv);
  G_OBJECT_CLASS (interp_launch_parent_class)->finalize (object);
}

static void
interp_launch_class_init (InterpLaunchClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = interp_launch_finalize;
}

static void
interp_launch_init (InterpLaunch *self)
{
  self->layers = g_ptr_array_new_with_free_func ((GDestroyNotify) layer_free);
  g_ptr_array_add (self->layers, layer_new (NULL, NULL, NULL));
  self->fds = g_array_new (FALSE, FALSE, sizeof (Descriptor));
  g_array_set_clear_func (self->fds, clear_descriptor);
}

InterpLaunch *
interp_launch_new (void)
{
  return g_object_new (INTERP_TYPE_LAUNCH, NULL);
}

void
interp_launch_push (InterpLaunch *self, InterpLaunchLayer layer, gpointer user_data, GDestroyNotify destroy)
{
  g_return_if_fail (INTERP_IS_LAUNCH (self));
  g_return_if_fail (layer != NULL);

  g_ptr_array_add (self->layers, layer_new (layer, user_data, destroy));
}

void
interp_launch_append (InterpLaunch *self, const char *argument)
{
  g_return_if_fail (INTERP_IS_LAUNCH (self));
  g_return_if_fail (argument != NULL);

  g_strv_builder_add (interp_launch_innermost (self)->argv, argument);
}

void
interp_launch_append_all (InterpLaunch *self, const char *const *arguments)
{
  g_return_if_fail (INTERP_IS_LAUNCH (self));

  for (guint i = 0; arguments && arguments[i]; i++)
    interp_launch_append (self, arguments[i]);
}

void
interp_launch_set_environment (InterpLaunch *self, const char *const *env)
{
  Layer *layer;

  g_return_if_fail (INTERP_IS_LAUNCH (self));

  layer = interp_launch_innermost (self);
  g_strfreev (layer->env);
  layer->env = g_strdupv ((GStrv) env);
}

void
interp_launch_set_variable (InterpLaunch *self, const char *name, const char *value)
{
  Layer *layer;

  g_return_if_fail (INTERP_IS_LAUNCH (self));
  g_return_if_fail (name != NULL && value != NULL);

  layer = interp_launch_innermost (self);
  for (guint i = self->layers->len; !layer->env && i > 0; i--)
    {
      Layer *outer = g_ptr_array_index (self->layers, i - 1);

      layer->env = g_strdupv (outer->env);
    }
  if (!layer->env)
    layer->env = g_get_environ ();
  layer->env = g_environ_setenv (layer->env, name, value, TRUE);
}

void
interp_launch_set_folder (InterpLaunch *self, const char *folder)
{
  g_return_if_fail (INTERP_IS_LAUNCH (self));

  g_set_str (&interp_launch_innermost (self)->folder, folder);
}

void
interp_launch_take_fd (InterpLaunch *self, int fd, int target)
{
  Descriptor descriptor = { fd, target };

  g_return_if_fail (INTERP_IS_LAUNCH (self));
  g_return_if_fail (fd >= 0 && target >= 0);

  g_array_append_val (self->fds, descriptor);
}

gboolean
interp_launch_resolve (InterpLaunch *self, GError **error)
{
  g_return_val_if_fail (INTERP_IS_LAUNCH (self), FALSE);

  while (self->layers->len > 1)
    {
      Layer *layer = g_ptr_array_steal_index (self->layers, self->layers->len - 1);
      g_auto (GStrv) argv = g_strv_builder_end (layer->argv);
      gboolean resolved = layer->rewrite (self, (const char *const *) argv, (const char *const *) layer->env,
                                          layer->folder, layer->user_data, error);

      layer_free (layer);
      if (!resolved)
        return FALSE;
    }
  return TRUE;
}

const char *const *
interp_launch_get_argv (InterpLaunch *self)
{
  Layer *layer;

  g_return_val_if_fail (INTERP_IS_LAUNCH (self), NULL);

  /* A builder can only be emptied, so it is filled again. */
  layer = interp_launch_innermost (self);
  g_strfreev (self->argv);
  self->argv = g_strv_builder_end (layer->argv);
  g_strv_builder_addv (layer->argv, (const char **) self->argv);
  return (const char *const *) self->argv;
}

const char *const *
interp_launch_get_environment (InterpLaunch *self)
{
  g_return_val_if_fail (INTERP_IS_LAUNCH (self), NULL);

  return (const char *const *) interp_launch_innermost (self)->env;
}

const char *
interp_launch_get_folder (InterpLaunch *self)
{
  g_return_val_if_fail (INTERP_IS_LAUNCH (self), NULL);

  return interp_launch_innermost (self)->folder;
}

guint
interp_launch_get_n_fds (InterpLaunch *self)
{
  g_return_val_if_fail (INTERP_IS_LAUNCH (self), 0);

  return self->fds->len;
}

int
interp_launch_get_fd (InterpLaunch *self, guint n, int *target)
{
  Descriptor *descriptor;

  g_return_val_if_fail (INTERP_IS_LAUNCH (self), -1);
  g_return_val_if_fail (n < self->fds->len, -1);

  descriptor = &g_array_index (self->fds, Descriptor, n);
  if (target)
    *target = descriptor->target;
  return descriptor->fd;
}

void
interp_launch_close_fds (InterpLaunch *self)
{
  g_return_if_fail (INTERP_IS_LAUNCH (self));

  g_array_set_size (self->fds, 0);
}
