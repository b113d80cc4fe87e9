#ifndef TENON_SUPPORT_FILE_DESCRIPTORS_H_
#define TENON_SUPPORT_FILE_DESCRIPTORS_H_

#include <string_view>

// Internal to support/: what file_write.cc and file_places.cc share.

namespace tenon {

/// The descriptor of this process that a path refers to (`-`, `/dev/stdout`, `/dev/fd/3`), or -1.
/// Opening such a path again would restart at the beginning of a redirected file.
int InheritedDescriptor(std::string_view path);

}  // namespace tenon

#endif  // TENON_SUPPORT_FILE_DESCRIPTORS_H_
