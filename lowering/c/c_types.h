#ifndef TENON_LOWERING_C_C_TYPES_H_
#define TENON_LOWERING_C_C_TYPES_H_

#include <string_view>

#include "ir/dtype.h"

namespace tenon::c_lowering {

/// The C type of a scalar: `int32_t`, `float`, `uint8_t` for bool and for floats of 8 bits. Empty
/// for vectors and other types that C lacks.
std::string_view CType(DataType dtype);

}  // namespace tenon::c_lowering

#endif  // TENON_LOWERING_C_C_TYPES_H_
