/* interp-item.c: one entry of a conversation
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "base/interp-clock.h"
#include "base/interp-json.h"
#include "base/interp-text.h"
#include "session/interp-cell-private.h"
#include "session/interp-item-private.h"

typedef struct
{
  gint64 id;
  gint64 parent;
  gint64 created;
  gint64 duration;
  gint64 answer;
  InterpItemKind kind;
  InterpItemState state;
  InterpOffers offers;
  GString *text; /* shown */
  GString *full; /* all that has arrived */
  gsize taken;   /* bytes of @full given to the store */
  guint flush_source;
  gboolean premature;
  gboolean mid_turn;
  guint branch;
  guint n_branches;
  char *model;
  char **attachments;
  char *nudge;
  char *opaque_provider;
  GBytes *opaque;
  gboolean has_usage;
  InterpUsage usage;
  GPtrArray *pictures;
} InterpItemPrivate;

enum
{
  PROP_0,
  PROP_KIND,
  PROP_STATE,
  PROP_TEXT,
  PROP_DURATION,
  PROP_OFFERS,
  PROP_PREMATURE,
  PROP_N_BRANCHES,
  PROP_BRANCH,
  N_PROPS,
};

enum
{
  APPENDED,
  N_SIGNALS,
};

static GParamSpec *properties[N_PROPS];
static guint signals[N_SIGNALS];

G_DEFINE_TYPE_WITH_PRIVATE (InterpItem, interp_item, G_TYPE_OBJECT)

static const char *const kind_names[] = { "user", "assistant", "reasoning", "cell", "notice", "error" };
static const char *const state_names[] = { "open", "complete", "interrupted", "incomplete", "queued" };

G_DEFINE_ENUM_TYPE (InterpItemKind, interp_item_kind, G_DEFINE_ENUM_VALUE (INTERP_ITEM_USER, "user"),
                    G_DEFINE_ENUM_VALUE (INTERP_ITEM_ASSISTANT, "assistant"),
                    G_DEFINE_ENUM_VALUE (INTERP_ITEM_REASONING, "reasoning"),
                    G_DEFINE_ENUM_VALUE (INTERP_ITEM_CELL, "cell"), G_DEFINE_ENUM_VALUE (INTERP_ITEM_NOTICE, "notice"),
                    G_DEFINE_ENUM_VALUE (INTERP_ITEM_ERROR, "error"))

G_DEFINE_ENUM_TYPE (InterpItemState, interp_item_state, G_DEFINE_ENUM_VALUE (INTERP_ITEM_OPEN, "open"),
                    G_DEFINE_ENUM_VALUE (INTERP_ITEM_COMPLETE, "complete"),
                    G_DEFINE_ENUM_VALUE (INTERP_ITEM_INTERRUPTED, "interrupted"),
                    G_DEFINE_ENUM_VALUE (INTERP_ITEM_INCOMPLETE, "incomplete"),
                    G_DEFINE_ENUM_VALUE (INTERP_ITEM_QUEUED, "queued"))

#define PRIV(self) ((InterpItemPrivate *) interp_item_get_instance_private (self))

const char *
interp_item_kind_to_string (InterpItemKind kind)
{
  g_return_val_if_fail ((guint) kind < G_N_ELEMENTS (kind_names), "notice");

  return kind_names[kind];
}

gboolean
interp_item_kind_from_string (const char *text, InterpItemKind *kind)
{
  for (guint i = 0; i < G_N_ELEMENTS (kind_names); i++)
    if (g_strcmp0 (text, kind_names[i]) == 0)
      {
        *kind = i;
        return TRUE;
      }

  return FALSE;
}

const char *
interp_item_state_to_string (InterpItemState state)
{
  g_return_val_if_fail ((guint) state < G_N_ELEMENTS (state_names), "complete");

  return state_names[state];
}

InterpItemState
interp_item_state_from_string (const char *text)
{
  for (guint i = 0; i < G_N_ELEMENTS (state_names); i++)
    if (g_strcmp0 (text, state_names[i]) == 0)
      return i;

  return INTERP_ITEM_COMPLETE;
}

/* ---- object ---- */

static void
interp_item_finalize (GObject *object)
{
  InterpItemPrivate *priv = PRIV (INTERP_ITEM (object));

  g_clear_handle_id (&priv->flush_source, g_source_remove);
  g_string_free (priv->text, TRUE);
  g_string_free (priv->full, TRUE);
  g_free (priv->model);
  g_strfreev (priv->attachments);
  g_free (priv->nudge);
  g_free (priv->opaque_provider);
  g_clear_pointer (&priv->opaque, g_bytes_unref);
  g_clear_pointer (&priv->pictures, g_ptr_array_unref);

  G_OBJECT_CLASS (interp_item_parent_class)->finalize (object);
}

static void
interp_item_get_property (GObject *object, guint prop_id, GValue *value, GParamSpec *pspec)
{
  InterpItemPrivate *priv = PRIV (INTERP_ITEM (object));

  switch (prop_id)
    {
    case PROP_KIND:
      g_value_set_enum (value, priv->kind);
      break;
    case PROP_STATE:
      g_value_set_enum (value, priv->state);
      break;
    case PROP_TEXT:
      g_value_set_string (value, priv->text->str);
      break;
    case PROP_DURATION:
      g_value_set_int64 (value, priv->duration);
      break;
    case PROP_OFFERS:
      g_value_set_uint (value, priv->offers);
      break;
    case PROP_PREMATURE:
      g_value_set_boolean (value, priv->premature);
      break;
    case PROP_N_BRANCHES:
      g_value_set_uint (value, priv->n_branches);
      break;
    case PROP_BRANCH:
      g_value_set_uint (value, priv->branch);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
interp_item_class_init (InterpItemClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;

  object_class->finalize = interp_item_finalize;
  object_class->get_property = interp_item_get_property;

  properties[PROP_KIND] = g_param_spec_enum ("kind", NULL, NULL, INTERP_TYPE_ITEM_KIND, INTERP_ITEM_USER, flags);
  properties[PROP_STATE] = g_param_spec_enum ("state", NULL, NULL, INTERP_TYPE_ITEM_STATE, INTERP_ITEM_COMPLETE, flags);
  properties[PROP_TEXT] = g_param_spec_string ("text", NULL, NULL, "", flags);
  properties[PROP_DURATION] = g_param_spec_int64 ("duration", NULL, NULL, 0, G_MAXINT64, 0, flags);
  properties[PROP_OFFERS] = g_param_spec_uint ("offers", NULL, NULL, 0, G_MAXUINT, 0, flags);
  properties[PROP_PREMATURE] = g_param_spec_boolean ("premature", NULL, NULL, FALSE, flags);
  properties[PROP_N_BRANCHES] = g_param_spec_uint ("n-branches", NULL, NULL, 1, G_MAXUINT, 1, flags);
  properties[PROP_BRANCH] = g_param_spec_uint ("branch", NULL, NULL, 0, G_MAXUINT, 0, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);

  signals[APPENDED] = g_signal_new ("appended", INTERP_TYPE_ITEM, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE,
                                    1, G_TYPE_STRING | G_SIGNAL_TYPE_STATIC_SCOPE);
}

static void
interp_item_init (InterpItem *self)
{
  InterpItemPrivate *priv = PRIV (self);

  priv->text = g_string_new (NULL);
  priv->full = g_string_new (NULL);
  priv->state = INTERP_ITEM_COMPLETE;
  priv->created = interp_clock_now ();
  priv->n_branches = 1;
}

InterpItem *
interp_item_new (InterpItemKind kind, const char *text)
{
  InterpItem *self;

  self = g_object_new (kind == INTERP_ITEM_CELL ? INTERP_TYPE_CELL : INTERP_TYPE_ITEM, NULL);
  PRIV (self)->kind = kind;
  if (text != NULL)
    interp_item_set_text (self, text);

  return self;
}

/* ---- rows ---- */

static JsonNode *
usage_to_json (const InterpUsage *usage)
{
  return interp_json_object ("input", INTERP_JSON_INT (usage->input_tokens), "cached",
                             INTERP_JSON_INT (usage->cached_tokens), "output", INTERP_JSON_INT (usage->output_tokens),
                             "reasoning", INTERP_JSON_INT (usage->reasoning_tokens), NULL);
}

static JsonNode *
strv_to_json (const char *const *strings)
{
  JsonNode *array = interp_json_array (INTERP_JSON_END);

  for (gsize i = 0; strings[i] != NULL; i++)
    {
      JsonNode *node = json_node_alloc ();

      json_node_init_string (node, strings[i]);
      interp_json_append (array, node);
    }

  return array;
}

static JsonNode *
item_data_to_json (InterpItem *self)
{
  InterpItemPrivate *priv = PRIV (self);
  JsonNode *data
      = interp_json_object ("model", INTERP_JSON_STRING (priv->model), "nudge", INTERP_JSON_STRING (priv->nudge), NULL);

  /* The kind of a row is fixed; what turned out to be thinking says so here. */
  if (priv->kind == INTERP_ITEM_REASONING)
    interp_json_set (data, "kind", json_node_init_string (json_node_alloc (), "reasoning"));
  if (priv->answer != 0)
    interp_json_set (data, "answer", json_node_init_int (json_node_alloc (), priv->answer));
  if (priv->duration != 0)
    interp_json_set (data, "duration", json_node_init_int (json_node_alloc (), priv->duration));
  if (priv->offers != 0)
    interp_json_set (data, "offers", json_node_init_int (json_node_alloc (), priv->offers));
  if (priv->premature)
    interp_json_set (data, "premature", json_node_init_boolean (json_node_alloc (), TRUE));
  if (priv->mid_turn)
    interp_json_set (data, "mid_turn", json_node_init_boolean (json_node_alloc (), TRUE));
  if (priv->attachments != NULL && priv->attachments[0] != NULL)
    interp_json_set (data, "attachments", strv_to_json ((const char *const *) priv->attachments));
  if (priv->has_usage)
    interp_json_set (data, "usage", usage_to_json (&priv->usage));
  if (priv->opaque != NULL)
    {
      gsize length;
      const guchar *bytes = g_bytes_get_data (priv->opaque, &length);
      g_autofree char *encoded = g_base64_encode (bytes, length);

      interp_json_set (data, "opaque",
                       interp_json_object ("provider", INTERP_JSON_STRING (priv->opaque_provider), "bytes",
                                           INTERP_JSON_STRING (encoded), NULL));
    }

  return data;
}

static void
item_data_from_json (InterpItem *self, JsonNode *data)
{
  InterpItemPrivate *priv = PRIV (self);
  const char *encoded;
  guint n_attachments;

  if (g_strcmp0 (interp_json_get_string (data, "kind"), "reasoning") == 0)
    interp_item_set_kind (self, INTERP_ITEM_REASONING);
  g_set_str (&priv->model, interp_json_get_string (data, "model"));
  g_set_str (&priv->nudge, interp_json_get_string (data, "nudge"));
  priv->answer = interp_json_get_int (data, "answer", 0);
  interp_item_set_duration (self, MAX (interp_json_get_int (data, "duration", 0), 0));
  interp_item_set_offers (self, interp_json_get_int (data, "offers", 0));
  interp_item_set_premature (self, interp_json_get_bool (data, "premature", FALSE));
  priv->mid_turn = interp_json_get_bool (data, "mid_turn", FALSE);

  n_attachments = interp_json_get_length (data, "attachments");
  if (n_attachments > 0)
    {
      g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
      JsonArray *array = json_node_get_array (interp_json_get (data, "attachments"));

      for (guint i = 0; i < n_attachments; i++)
        {
          const char *path = interp_json_get_string (json_array_get_element (array, i), NULL);

          if (path != NULL)
            g_strv_builder_add (builder, path);
        }
      g_strfreev (priv->attachments);
      priv->attachments = g_strv_builder_end (builder);
    }

  priv->has_usage = interp_json_is_object (interp_json_get (data, "usage"));
  if (priv->has_usage)
    {
      priv->usage.input_tokens = interp_json_get_int (data, "usage.input", -1);
      priv->usage.cached_tokens = interp_json_get_int (data, "usage.cached", -1);
      priv->usage.output_tokens = interp_json_get_int (data, "usage.output", -1);
      priv->usage.reasoning_tokens = interp_json_get_int (data, "usage.reasoning", -1);
    }

  encoded = interp_json_get_string (data, "opaque.bytes");
  if (encoded != NULL)
    {
      gsize length;
      guchar *bytes = g_base64_decode (encoded, &length);

      g_set_str (&priv->opaque_provider, interp_json_get_string (data, "opaque.provider"));
      g_clear_pointer (&priv->opaque, g_bytes_unref);
      priv->opaque = g_bytes_new_take (bytes, length);
    }
}

static void
apply_row (InterpItem *self, const InterpItemRow *row)
{
  InterpItemPrivate *priv = PRIV (self);
  g_autofree char *text = interp_text_make_valid (row->text != NULL ? row->text : "", -1);
  g_autoptr (JsonNode) data = NULL;

  data = interp_json_parse (row->data != NULL && *row->data != '\0' ? row->data : "{}", -1, INTERP_JSON_PARSE_NONE,
                            NULL);
  if (data == NULL)
    data = interp_json_object (NULL, NULL);

  item_data_from_json (self, data);
  if (INTERP_IS_CELL (self))
    interp_cell_load (INTERP_CELL (self), row->state, data);
  else
    interp_item_set_state (self, interp_item_state_from_string (row->state));

  /* Growth is told as growth: viewers only add to what they show. */
  if (g_str_has_prefix (text, priv->text->str))
    {
      g_string_assign (priv->full, text);
      interp_item_show_all (self);
    }
  else
    interp_item_set_text (self, text);
  priv->taken = priv->full->len;
}

InterpItem *
interp_item_new_from_row (const InterpItemRow *row)
{
  InterpItemKind kind;
  InterpItem *self;

  g_return_val_if_fail (row != NULL, NULL);

  /* A kind that a newer version wrote is shown as what it says. */
  if (!interp_item_kind_from_string (row->kind, &kind))
    kind = INTERP_ITEM_NOTICE;

  self = interp_item_new (kind, NULL);
  PRIV (self)->id = row->id;
  PRIV (self)->parent = row->parent;
  PRIV (self)->created = row->created;
  apply_row (self, row);

  return self;
}

InterpItemRow *
interp_item_to_row (InterpItem *self, gint64 chat)
{
  InterpItemPrivate *priv = PRIV (self);
  InterpItemRow *row = interp_item_row_new ();
  g_autoptr (JsonNode) data = item_data_to_json (self);

  g_return_val_if_fail (INTERP_IS_ITEM (self), row);

  row->id = priv->id;
  row->chat = chat;
  row->parent = priv->parent;
  row->created = priv->created;
  g_set_str (&row->kind, interp_item_kind_to_string (priv->kind));
  g_set_str (&row->text, priv->full->str);
  if (INTERP_IS_CELL (self))
    {
      interp_cell_save (INTERP_CELL (self), data);
      g_set_str (&row->state, interp_cell_state_to_string (interp_cell_get_cell_state (INTERP_CELL (self))));
    }
  else
    g_set_str (&row->state, interp_item_state_to_string (priv->state));
  g_free (row->data);
  row->data = interp_json_to_string (data);

  return row;
}

void
interp_item_update_from_row (InterpItem *self, const InterpItemRow *row)
{
  g_return_if_fail (INTERP_IS_ITEM (self));
  g_return_if_fail (row != NULL);

  apply_row (self, row);
}

/* ---- text ---- */

static void
text_changed (InterpItem *self)
{
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_TEXT]);
  if (INTERP_IS_CELL (self))
    g_object_notify (G_OBJECT (self), "code");
}

void
interp_item_set_text (InterpItem *self, const char *text)
{
  InterpItemPrivate *priv = PRIV (self);

  g_return_if_fail (INTERP_IS_ITEM (self));
  g_return_if_fail (text != NULL);

  g_string_assign (priv->full, text);
  priv->taken = priv->full->len;
  if (g_str_equal (priv->text->str, text))
    return;
  g_string_assign (priv->text, text);
  text_changed (self);
}

void
interp_item_push_text (InterpItem *self, const char *text)
{
  g_return_if_fail (INTERP_IS_ITEM (self));

  g_string_append (PRIV (self)->full, text);
}

char *
interp_item_take_pending (InterpItem *self, gsize *end)
{
  InterpItemPrivate *priv = PRIV (self);
  char *pending;

  g_return_val_if_fail (INTERP_IS_ITEM (self), NULL);

  if (priv->taken >= priv->full->len)
    return NULL;
  pending = g_strndup (priv->full->str + priv->taken, priv->full->len - priv->taken);
  priv->taken = priv->full->len;
  *end = priv->taken;

  return pending;
}

void
interp_item_show_to (InterpItem *self, gsize end)
{
  InterpItemPrivate *priv = PRIV (self);
  g_autofree char *growth = NULL;

  g_return_if_fail (INTERP_IS_ITEM (self));

  end = MIN (end, priv->full->len);
  if (end <= priv->text->len)
    return;
  growth = g_strndup (priv->full->str + priv->text->len, end - priv->text->len);
  g_string_append (priv->text, growth);
  g_signal_emit (self, signals[APPENDED], 0, growth);
  text_changed (self);
}

void
interp_item_show_all (InterpItem *self)
{
  g_return_if_fail (INTERP_IS_ITEM (self));

  interp_item_show_to (self, PRIV (self)->full->len);
}

const char *
interp_item_get_full_text (InterpItem *self)
{
  g_return_val_if_fail (INTERP_IS_ITEM (self), "");

  return PRIV (self)->full->str;
}

guint *
interp_item_get_flush_source (InterpItem *self)
{
  g_return_val_if_fail (INTERP_IS_ITEM (self), NULL);

  return &PRIV (self)->flush_source;
}

/* ---- the rest ---- */

gint64
interp_item_get_id (InterpItem *self)
{
  g_return_val_if_fail (INTERP_IS_ITEM (self), 0);

  return PRIV (self)->id;
}

gint64
interp_item_get_parent (InterpItem *self)
{
  g_return_val_if_fail (INTERP_IS_ITEM (self), 0);

  return PRIV (self)->parent;
}

void
interp_item_set_place (InterpItem *self, gint64 id, gint64 parent)
{
  g_return_if_fail (INTERP_IS_ITEM (self));

  PRIV (self)->id = id;
  PRIV (self)->parent = parent;
}

InterpItemKind
interp_item_get_kind (InterpItem *self)
{
  g_return_val_if_fail (INTERP_IS_ITEM (self), INTERP_ITEM_NOTICE);

  return PRIV (self)->kind;
}

void
interp_item_set_kind (InterpItem *self, InterpItemKind kind)
{
  g_return_if_fail (INTERP_IS_ITEM (self));

  if (PRIV (self)->kind == kind)
    return;
  PRIV (self)->kind = kind;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_KIND]);
}

InterpItemState
interp_item_get_state (InterpItem *self)
{
  g_return_val_if_fail (INTERP_IS_ITEM (self), INTERP_ITEM_COMPLETE);

  return PRIV (self)->state;
}

void
interp_item_set_state (InterpItem *self, InterpItemState state)
{
  g_return_if_fail (INTERP_IS_ITEM (self));

  if (PRIV (self)->state == state)
    return;
  PRIV (self)->state = state;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_STATE]);
}

const char *
interp_item_get_text (InterpItem *self)
{
  g_return_val_if_fail (INTERP_IS_ITEM (self), "");

  return PRIV (self)->text->str;
}

gint64
interp_item_get_created (InterpItem *self)
{
  g_return_val_if_fail (INTERP_IS_ITEM (self), 0);

  return PRIV (self)->created;
}

void
interp_item_set_created (InterpItem *self, gint64 created)
{
  g_return_if_fail (INTERP_IS_ITEM (self));

  PRIV (self)->created = created;
}

gint64
interp_item_get_duration (InterpItem *self)
{
  g_return_val_if_fail (INTERP_IS_ITEM (self), 0);

  /* Of code that runs: so far. */
  if (INTERP_IS_CELL (self) && interp_cell_get_run (INTERP_CELL (self)) != NULL)
    return interp_run_get_duration (interp_cell_get_run (INTERP_CELL (self)));

  return PRIV (self)->duration;
}

void
interp_item_set_duration (InterpItem *self, gint64 duration)
{
  g_return_if_fail (INTERP_IS_ITEM (self));

  if (PRIV (self)->duration == duration)
    return;
  PRIV (self)->duration = duration;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_DURATION]);
}

InterpOffers
interp_item_get_offers (InterpItem *self)
{
  g_return_val_if_fail (INTERP_IS_ITEM (self), INTERP_OFFER_NONE);

  return PRIV (self)->offers;
}

void
interp_item_set_offers (InterpItem *self, InterpOffers offers)
{
  g_return_if_fail (INTERP_IS_ITEM (self));

  if (PRIV (self)->offers == offers)
    return;
  PRIV (self)->offers = offers;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_OFFERS]);
}

gboolean
interp_item_is_premature (InterpItem *self)
{
  g_return_val_if_fail (INTERP_IS_ITEM (self), FALSE);

  return PRIV (self)->premature;
}

void
interp_item_set_premature (InterpItem *self, gboolean premature)
{
  g_return_if_fail (INTERP_IS_ITEM (self));

  if (PRIV (self)->premature == premature)
    return;
  PRIV (self)->premature = premature;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PREMATURE]);
}

guint
interp_item_get_n_branches (InterpItem *self)
{
  g_return_val_if_fail (INTERP_IS_ITEM (self), 1);

  return PRIV (self)->n_branches;
}

guint
interp_item_get_branch (InterpItem *self)
{
  g_return_val_if_fail (INTERP_IS_ITEM (self), 0);

  return PRIV (self)->branch;
}

void
interp_item_set_branches (InterpItem *self, guint branch, guint n_branches)
{
  InterpItemPrivate *priv = PRIV (self);

  g_return_if_fail (INTERP_IS_ITEM (self));

  if (priv->branch != branch)
    {
      priv->branch = branch;
      g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_BRANCH]);
    }
  if (priv->n_branches != n_branches)
    {
      priv->n_branches = n_branches;
      g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_N_BRANCHES]);
    }
}

const char *
interp_item_get_model (InterpItem *self)
{
  g_return_val_if_fail (INTERP_IS_ITEM (self), NULL);

  return PRIV (self)->model;
}

void
interp_item_set_model (InterpItem *self, const char *model)
{
  g_return_if_fail (INTERP_IS_ITEM (self));

  g_set_str (&PRIV (self)->model, model);
}

const char *const *
interp_item_get_attachments (InterpItem *self)
{
  g_return_val_if_fail (INTERP_IS_ITEM (self), NULL);

  return (const char *const *) PRIV (self)->attachments;
}

void
interp_item_set_attachments (InterpItem *self, const char *const *attachments)
{
  InterpItemPrivate *priv = PRIV (self);

  g_return_if_fail (INTERP_IS_ITEM (self));

  g_strfreev (priv->attachments);
  priv->attachments = g_strdupv ((char **) attachments);
}

gboolean
interp_item_is_mid_turn (InterpItem *self)
{
  g_return_val_if_fail (INTERP_IS_ITEM (self), FALSE);

  return PRIV (self)->mid_turn;
}

void
interp_item_set_mid_turn (InterpItem *self, gboolean mid_turn)
{
  g_return_if_fail (INTERP_IS_ITEM (self));

  PRIV (self)->mid_turn = mid_turn;
}

gint64
interp_item_get_answer (InterpItem *self)
{
  g_return_val_if_fail (INTERP_IS_ITEM (self), 0);

  return PRIV (self)->answer;
}

void
interp_item_set_answer (InterpItem *self, gint64 answer)
{
  g_return_if_fail (INTERP_IS_ITEM (self));

  PRIV (self)->answer = answer;
}

const char *
interp_item_get_nudge (InterpItem *self)
{
  g_return_val_if_fail (INTERP_IS_ITEM (self), NULL);

  return PRIV (self)->nudge;
}

void
interp_item_set_nudge (InterpItem *self, const char *nudge)
{
  g_return_if_fail (INTERP_IS_ITEM (self));

  g_set_str (&PRIV (self)->nudge, nudge);
}

GBytes *
interp_item_get_opaque (InterpItem *self, const char **provider)
{
  InterpItemPrivate *priv = PRIV (self);

  g_return_val_if_fail (INTERP_IS_ITEM (self), NULL);

  *provider = priv->opaque_provider;

  return priv->opaque;
}

void
interp_item_set_opaque (InterpItem *self, const char *provider, GBytes *opaque)
{
  InterpItemPrivate *priv = PRIV (self);

  g_return_if_fail (INTERP_IS_ITEM (self));

  g_set_str (&priv->opaque_provider, provider);
  g_clear_pointer (&priv->opaque, g_bytes_unref);
  if (opaque != NULL)
    priv->opaque = g_bytes_ref (opaque);
}

const InterpUsage *
interp_item_get_usage (InterpItem *self)
{
  g_return_val_if_fail (INTERP_IS_ITEM (self), NULL);

  return PRIV (self)->has_usage ? &PRIV (self)->usage : NULL;
}

void
interp_item_set_usage (InterpItem *self, const InterpUsage *usage)
{
  InterpItemPrivate *priv = PRIV (self);

  g_return_if_fail (INTERP_IS_ITEM (self));

  priv->has_usage = usage != NULL;
  if (usage != NULL)
    priv->usage = *usage;
}

GPtrArray *
interp_item_get_pictures (InterpItem *self)
{
  g_return_val_if_fail (INTERP_IS_ITEM (self), NULL);

  return PRIV (self)->pictures;
}

void
interp_item_set_pictures (InterpItem *self, GPtrArray *pictures)
{
  g_return_if_fail (INTERP_IS_ITEM (self));

  g_clear_pointer (&PRIV (self)->pictures, g_ptr_array_unref);
  if (pictures != NULL)
    PRIV (self)->pictures = g_ptr_array_ref (pictures);
}
