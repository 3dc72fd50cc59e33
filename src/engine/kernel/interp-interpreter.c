/* interp-interpreter.c: a program that can be a kernel's interpreter
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "kernel/interp-interpreter-private.h"

struct _InterpInterpreter
{
  GObject parent_instance;

  char *path;
  char *title;
  gboolean is_own;
};

enum
{
  PROP_PATH = 1,
  PROP_TITLE,
  N_PROPERTIES
};

static GParamSpec *properties[N_PROPERTIES];

G_DEFINE_FINAL_TYPE (InterpInterpreter, interp_interpreter, G_TYPE_OBJECT)

static void
interp_interpreter_finalize (GObject *object)
{
  InterpInterpreter *self = INTERP_INTERPRETER (object);

  g_free (self->path);
  g_free (self->title);
  G_OBJECT_CLASS (interp_interpreter_parent_class)->finalize (object);
}

static void
interp_interpreter_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  InterpInterpreter *self = INTERP_INTERPRETER (object);

  switch (id)
    {
    case PROP_PATH:
      g_value_set_string (value, self->path);
      break;
    case PROP_TITLE:
      g_value_set_string (value, self->title);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
interp_interpreter_class_init (InterpInterpreterClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = interp_interpreter_finalize;
  object_class->get_property = interp_interpreter_get_property;
  properties[PROP_PATH] = g_param_spec_string ("path", NULL, NULL, NULL, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  properties[PROP_TITLE] = g_param_spec_string ("title", NULL, NULL, NULL, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPERTIES, properties);
}

static void
interp_interpreter_init (InterpInterpreter *self)
{
}

InterpInterpreter *
interp_interpreter_new (const char *path, const char *title, gboolean is_own)
{
  InterpInterpreter *self = g_object_new (INTERP_TYPE_INTERPRETER, NULL);

  self->path = g_strdup (path);
  self->title = g_strdup (title);
  self->is_own = is_own;
  return self;
}

const char *
interp_interpreter_get_path (InterpInterpreter *self)
{
  g_return_val_if_fail (INTERP_IS_INTERPRETER (self), NULL);

  return self->path;
}

const char *
interp_interpreter_get_title (InterpInterpreter *self)
{
  g_return_val_if_fail (INTERP_IS_INTERPRETER (self), NULL);

  return self->title;
}

gboolean
interp_interpreter_is_own (InterpInterpreter *self)
{
  g_return_val_if_fail (INTERP_IS_INTERPRETER (self), FALSE);

  return self->is_own;
}
