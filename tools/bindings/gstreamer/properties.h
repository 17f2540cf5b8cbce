// SPDX-License-Identifier: BSD-3-Clause
// The properties of an element as a table of its members.
#pragma once

#include <gst/gst.h>

#include <cstddef>
#include <span>

namespace ctv::gst {

/// A property and its member, which is accessed under the object's lock.
struct Property {
  enum Kind {
    kInt,      // gint
    kFlag,     // gint, 0 or 1
    kBackend,  // gint, a ctv_backend
    kSize,     // guint64 up to G_MAXINT64
    kDouble,   // gdouble
    kText      // gchar*, owned by the object, initially null
  } kind;
  const char *name, *help;
  size_t member;               // offset in the element
  double least = 0, most = 0;  // of kInt and kDouble
  double initially = 0;        // except for kText
  const char* text = "";       // of kText, initially
  size_t mark = 0;             // offset of a gboolean that a change sets, also while playing; 0: none
};

/// Installs these properties in a class; `properties` must stay valid. New objects have the initial values.
void install_properties(GObjectClass* object, std::span<const Property> properties);

}  // namespace ctv::gst
