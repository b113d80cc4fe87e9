#ifndef TENON_BYOC_INDEX_H_
#define TENON_BYOC_INDEX_H_

#include <cstddef>

namespace tenon {

/// A number of a node, unit or region as an index of a container. It is not -1.
inline size_t At(int index) { return static_cast<size_t>(index); }

}  // namespace tenon

#endif  // TENON_BYOC_INDEX_H_
