/* interp-settings.h: preferences
 *
 * Wraps GSettings; where the schema is not installed the built-in defaults hold, with one warning
 * (g_settings_new () would abort).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

#define INTERP_TYPE_SETTINGS (interp_settings_get_type ())
G_DECLARE_FINAL_TYPE (InterpSettings, interp_settings, INTERP, SETTINGS, GObject)

/* Emitted as "changed" (detail: key). Keys: those of the schema in data/. */
InterpSettings *interp_settings_new (void);
char *interp_settings_get_string (InterpSettings *self, const char *key);
void interp_settings_set_string (InterpSettings *self, const char *key, const char *value);
gboolean interp_settings_get_boolean (InterpSettings *self, const char *key);
void interp_settings_set_boolean (InterpSettings *self, const char *key, gboolean value);
int interp_settings_get_int (InterpSettings *self, const char *key);
void interp_settings_set_int (InterpSettings *self, const char *key, int value);
double interp_settings_get_double (InterpSettings *self, const char *key);
void interp_settings_set_double (InterpSettings *self, const char *key, double value);
GStrv interp_settings_get_strv (InterpSettings *self, const char *key);
void interp_settings_set_strv (InterpSettings *self, const char *key, const char *const *value);

G_END_DECLS
