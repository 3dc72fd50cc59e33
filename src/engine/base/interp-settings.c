/* interp-settings.c: preferences
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "base/interp-settings.h"

#include "base/interp-paths.h"

/* What holds where the schema is not installed, as GVariant text. The schema has the same values. */
static const struct
{
  const char *key;
  const char *value;
} defaults[] = {
  { "window-width", "1100" },      { "window-height", "720" },       { "window-maximized", "false" },
  { "sidebar-visible", "true" },   { "terminals-visible", "false" }, { "terminals-position", "0" },
  { "last-model", "''" },          { "last-folder", "''" },          { "recent-folders", "@as []" },
  { "recent-models", "@as []" },   { "favourite-models", "@as []" }, { "text-scale", "1.0" },
  { "terminal-scale", "1.0" },     { "approval-in-chat", "false" },  { "follow-answers", "true" },
  { "custom-instructions", "''" }, { "local-models-only", "false" }, { "safe-mode", "false" },
};

struct _InterpSettings
{
  GObject parent_instance;

  GSettings *settings;     /* NULL without a schema */
  GSettingsSchema *schema; /* that of settings */
  GHashTable *values;      /* key → GVariant: keys that the schema lacks */
};

G_DEFINE_FINAL_TYPE (InterpSettings, interp_settings, G_TYPE_OBJECT)

enum
{
  CHANGED,
  N_SIGNALS,
};

static guint signals[N_SIGNALS];

static void
emit_changed (InterpSettings *self, const char *key)
{
  g_signal_emit (self, signals[CHANGED], g_quark_from_string (key), key);
}

static GSettingsSchema *
find_schema (void)
{
  GSettingsSchemaSource *source = g_settings_schema_source_get_default ();
  GSettingsSchema *schema = NULL;
  static const char *const folders[] = { BUILDDIR "/data", PKGDATADIR "/../glib-2.0/schemas" };

  if (source != NULL)
    schema = g_settings_schema_source_lookup (source, APPLICATION_ID, TRUE);
  if (schema != NULL)
    return schema;

  /* The build's own, or installed into a prefix that XDG_DATA_DIRS does not name. */
  for (guint i = interp_paths_from_build () ? 0 : 1; schema == NULL && i < G_N_ELEMENTS (folders); i++)
    {
      g_autoptr (GSettingsSchemaSource) other
          = g_settings_schema_source_new_from_directory (folders[i], source, TRUE, NULL);

      if (other != NULL)
        schema = g_settings_schema_source_lookup (other, APPLICATION_ID, FALSE);
    }
  return schema;
}

static void
interp_settings_finalize (GObject *object)
{
  InterpSettings *self = INTERP_SETTINGS (object);

  if (self->settings != NULL)
    g_signal_handlers_disconnect_by_data (self->settings, self);
  g_clear_object (&self->settings);
  g_clear_pointer (&self->schema, g_settings_schema_unref);
  g_clear_pointer (&self->values, g_hash_table_unref);

  G_OBJECT_CLASS (interp_settings_parent_class)->finalize (object);
}

static void
interp_settings_class_init (InterpSettingsClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = interp_settings_finalize;

  signals[CHANGED] = g_signal_new ("changed", INTERP_TYPE_SETTINGS, G_SIGNAL_RUN_LAST | G_SIGNAL_DETAILED, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
interp_settings_init (InterpSettings *self)
{
  self->values = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_variant_unref);
  for (guint i = 0; i < G_N_ELEMENTS (defaults); i++)
    {
      GVariant *value = g_variant_parse (NULL, defaults[i].value, NULL, NULL, NULL);

      g_assert (value != NULL);
      g_hash_table_insert (self->values, g_strdup (defaults[i].key), value);
    }

  self->schema = find_schema ();
  if (self->schema == NULL)
    {
      static gboolean warned;

      if (!warned)
        g_message ("The settings schema %s is not installed: preferences are not kept.", APPLICATION_ID);
      warned = TRUE;
      return;
    }
  self->settings = g_settings_new_full (self->schema, NULL, NULL);
  g_signal_connect_swapped (self->settings, "changed", G_CALLBACK (emit_changed), self);
}

InterpSettings *
interp_settings_new (void)
{
  return g_object_new (INTERP_TYPE_SETTINGS, NULL);
}

/* Whether the installed schema, which may be of another version, has @key with this type. */
static gboolean
has_key (InterpSettings *self, const char *key, const GVariantType *type)
{
  g_autoptr (GSettingsSchemaKey) schema_key = NULL;

  if (self->settings == NULL || !g_settings_schema_has_key (self->schema, key))
    return FALSE;
  schema_key = g_settings_schema_get_key (self->schema, key);
  return g_variant_type_equal (g_settings_schema_key_get_value_type (schema_key), type);
}

static GVariant *
get_value (InterpSettings *self, const char *key, const GVariantType *type)
{
  GVariant *value;

  if (has_key (self, key, type))
    return g_settings_get_value (self->settings, key);

  value = g_hash_table_lookup (self->values, key);
  if (value != NULL && g_variant_is_of_type (value, type))
    return g_variant_ref (value);
  g_critical ("There is no preference \"%s\" of type %.*s", key, (int) g_variant_type_get_string_length (type),
              g_variant_type_peek_string (type));
  return NULL;
}

static void
set_value (InterpSettings *self, const char *key, GVariant *floating)
{
  g_autoptr (GVariant) value = g_variant_ref_sink (floating);
  GVariant *old;

  if (has_key (self, key, g_variant_get_type (value)))
    {
      g_settings_set_value (self->settings, key, value);
      return;
    }

  old = g_hash_table_lookup (self->values, key);
  if (old == NULL || !g_variant_is_of_type (old, g_variant_get_type (value)))
    g_critical ("There is no preference \"%s\" of type %s", key, g_variant_get_type_string (value));
  else if (!g_variant_equal (old, value))
    {
      g_hash_table_insert (self->values, g_strdup (key), g_variant_ref (value));
      emit_changed (self, key);
    }
}

char *
interp_settings_get_string (InterpSettings *self, const char *key)
{
  g_autoptr (GVariant) value = NULL;

  g_return_val_if_fail (INTERP_IS_SETTINGS (self), NULL);

  value = get_value (self, key, G_VARIANT_TYPE_STRING);
  return value != NULL ? g_variant_dup_string (value, NULL) : g_strdup ("");
}

void
interp_settings_set_string (InterpSettings *self, const char *key, const char *value)
{
  g_return_if_fail (INTERP_IS_SETTINGS (self));

  set_value (self, key, g_variant_new_string (value != NULL ? value : ""));
}

gboolean
interp_settings_get_boolean (InterpSettings *self, const char *key)
{
  g_autoptr (GVariant) value = NULL;

  g_return_val_if_fail (INTERP_IS_SETTINGS (self), FALSE);

  value = get_value (self, key, G_VARIANT_TYPE_BOOLEAN);
  return value != NULL && g_variant_get_boolean (value);
}

void
interp_settings_set_boolean (InterpSettings *self, const char *key, gboolean value)
{
  g_return_if_fail (INTERP_IS_SETTINGS (self));

  set_value (self, key, g_variant_new_boolean (value));
}

int
interp_settings_get_int (InterpSettings *self, const char *key)
{
  g_autoptr (GVariant) value = NULL;

  g_return_val_if_fail (INTERP_IS_SETTINGS (self), 0);

  value = get_value (self, key, G_VARIANT_TYPE_INT32);
  return value != NULL ? g_variant_get_int32 (value) : 0;
}

void
interp_settings_set_int (InterpSettings *self, const char *key, int value)
{
  g_return_if_fail (INTERP_IS_SETTINGS (self));

  set_value (self, key, g_variant_new_int32 (value));
}

double
interp_settings_get_double (InterpSettings *self, const char *key)
{
  g_autoptr (GVariant) value = NULL;

  g_return_val_if_fail (INTERP_IS_SETTINGS (self), 0.0);

  value = get_value (self, key, G_VARIANT_TYPE_DOUBLE);
  return value != NULL ? g_variant_get_double (value) : 0.0;
}

void
interp_settings_set_double (InterpSettings *self, const char *key, double value)
{
  g_return_if_fail (INTERP_IS_SETTINGS (self));

  set_value (self, key, g_variant_new_double (value));
}

GStrv
interp_settings_get_strv (InterpSettings *self, const char *key)
{
  g_autoptr (GVariant) value = NULL;

  g_return_val_if_fail (INTERP_IS_SETTINGS (self), NULL);

  value = get_value (self, key, G_VARIANT_TYPE_STRING_ARRAY);
  return value != NULL ? g_variant_dup_strv (value, NULL) : g_new0 (char *, 1);
}

void
interp_settings_set_strv (InterpSettings *self, const char *key, const char *const *value)
{
  static const char *const empty[] = { NULL };

  g_return_if_fail (INTERP_IS_SETTINGS (self));

  set_value (self, key, g_variant_new_strv (value != NULL ? value : empty, -1));
}
