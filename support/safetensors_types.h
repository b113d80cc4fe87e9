#ifndef TENON_SUPPORT_SAFETENSORS_TYPES_H_
#define TENON_SUPPORT_SAFETENSORS_TYPES_H_

// Internal to support/safetensors*.cc.

#include <cstdint>
#include <string_view>

namespace tenon {

struct SafetensorsType {
  std::string_view code;   // in the file
  std::string_view dtype;  // in TVMScript
  int64_t bytes;
};

inline constexpr SafetensorsType kSafetensorsTypes[] = {
    {"BOOL", "bool", 1},
    {"U8", "uint8", 1},
    {"I8", "int8", 1},
    {"F8_E5M2", "e5m2_float8", 1},
    {"F8_E4M3", "e4m3_float8", 1},
    {"I16", "int16", 2},
    {"U16", "uint16", 2},
    {"F16", "float16", 2},
    {"BF16", "bfloat16", 2},
    {"I32", "int32", 4},
    {"U32", "uint32", 4},
    {"F32", "float32", 4},
    {"F64", "float64", 8},
    {"I64", "int64", 8},
    {"U64", "uint64", 8},
};

inline constexpr size_t kSafetensorsLengthBytes = 8;
inline constexpr uint64_t kSafetensorsHeaderLimit = 100'000'000;
inline constexpr std::string_view kSafetensorsMetadataKey = "__metadata__";

}  // namespace tenon

#endif  // TENON_SUPPORT_SAFETENSORS_TYPES_H_
