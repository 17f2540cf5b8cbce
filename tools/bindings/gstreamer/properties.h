// SPDX-License-Identifier: BSD-3-Clause
// The properties of an element as a table of its members.
#pragma once

#include <gst/gst.h>

#include <cstddef>
#include <span>

namespace ctv::gst {

/// A property and the member that it is, which is read under the object's lock.
struct Property {
  enum Kind {
    kInt,      // gint
    kFlag,     // gint, 0 or 1
    kBackend,  // gint, a ctv_backend
    kSize,     // guint64 up to G_MAXINT64
    kDouble,   // gdouble
    kText      // gchar*, the object's own; null at first
  } kind;
  const char *name, *help;
  size_t member;               // offset in the element
  double least = 0, most = 0;  // of kInt and kDouble
  double initially = 0;        // but of kText
  const char* text = "";       // of kText, initially
  size_t mark = 0;             // offset of a gboolean that a change sets, while playing too; 0: none
};

/// Gives a class these properties; `properties` stays. New objects have the initial values.
void install_properties(GObjectClass* object, std::span<const Property> properties);

}  // namespace ctv::gst
