// SPDX-License-Identifier: BSD-3-Clause
#include "bindings/gstreamer/properties.h"

#include "bindings/gstreamer/elements.h"

namespace ctv::gst {
namespace {

GQuark key() { return g_quark_from_static_string("ctv-property"); }
const Property& property_of(GParamSpec* spec) {
  return *static_cast<const Property*>(g_param_spec_get_qdata(spec, key()));
}
template <typename T>
T& member(GObject* object, size_t offset) {
  return *reinterpret_cast<T*>(reinterpret_cast<char*>(object) + offset);
}

void set_property(GObject* object, guint, const GValue* value, GParamSpec* spec) {
  const Property& p = property_of(spec);
  GST_OBJECT_LOCK(object);
  switch (p.kind) {
    case Property::kInt:
      member<gint>(object, p.member) = g_value_get_int(value);
      break;
    case Property::kFlag:
      member<gint>(object, p.member) = g_value_get_boolean(value) ? 1 : 0;
      break;
    case Property::kBackend:
      member<gint>(object, p.member) = g_value_get_enum(value);
      break;
    case Property::kSize:
      member<guint64>(object, p.member) = g_value_get_uint64(value);
      break;
    case Property::kDouble:
      member<gdouble>(object, p.member) = g_value_get_double(value);
      break;
    case Property::kText:
      g_free(member<gchar*>(object, p.member));
      member<gchar*>(object, p.member) = g_value_dup_string(value);
  }
  if (p.mark != 0) member<gboolean>(object, p.mark) = TRUE;
  GST_OBJECT_UNLOCK(object);
}

void get_property(GObject* object, guint, GValue* value, GParamSpec* spec) {
  const Property& p = property_of(spec);
  GST_OBJECT_LOCK(object);
  switch (p.kind) {
    case Property::kInt:
      g_value_set_int(value, member<gint>(object, p.member));
      break;
    case Property::kFlag:
      g_value_set_boolean(value, member<gint>(object, p.member));
      break;
    case Property::kBackend:
      g_value_set_enum(value, member<gint>(object, p.member));
      break;
    case Property::kSize:
      g_value_set_uint64(value, member<guint64>(object, p.member));
      break;
    case Property::kDouble:
      g_value_set_double(value, member<gdouble>(object, p.member));
      break;
    case Property::kText:
      g_value_set_string(value, member<gchar*>(object, p.member));
  }
  GST_OBJECT_UNLOCK(object);
}

GParamSpec* spec_of(const Property& p) {
  const auto flags =
      static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_CONSTRUCT | G_PARAM_STATIC_STRINGS |
                               (p.mark != 0 ? GST_PARAM_MUTABLE_PLAYING : GST_PARAM_MUTABLE_READY));
  const auto whole = [](double value) { return static_cast<gint>(value); };
  switch (p.kind) {
    case Property::kFlag:
      return g_param_spec_boolean(p.name, p.name, p.help, p.initially != 0, flags);
    case Property::kBackend:
      return g_param_spec_enum(p.name, p.name, p.help, ctv_gst_backend_get_type(), whole(p.initially), flags);
    case Property::kSize:
      return g_param_spec_uint64(p.name, p.name, p.help, 0, G_MAXINT64, 0, flags);
    case Property::kDouble:
      return g_param_spec_double(p.name, p.name, p.help, p.least, p.most, p.initially, flags);
    case Property::kText:
      return g_param_spec_string(p.name, p.name, p.help, p.text, flags);
    default:
      return g_param_spec_int(p.name, p.name, p.help, whole(p.least), whole(p.most), whole(p.initially),
                              flags);
  }
}

}  // namespace

void install_properties(GObjectClass* object, std::span<const Property> properties) {
  object->set_property = &set_property;
  object->get_property = &get_property;
  for (guint id = 1; const Property& p : properties) {
    GParamSpec* spec = spec_of(p);
    g_param_spec_set_qdata(spec, key(), const_cast<Property*>(&p));
    g_object_class_install_property(object, id++, spec);
  }
}

}  // namespace ctv::gst
