#include "compile/run/pool_bytes.h"

#include <cstring>

namespace tenon {

bool CheckPoolConstants(const PrimFunc& entry, Diagnostics& diagnostics) {
  bool ok = true;
  for (const PoolArg& arg : ReadPoolArgs(entry)) {
    for (const PooledConstant& constant : arg.pool.constants) {
      if (constant.data == nullptr) {
        diagnostics.Error(DiagnosticKind::kMetadata, entry.range,
                          "a constant of the pool has no data: the text lacks its metadata");
        ok = false;
      } else if (!constant.data->has_bytes()) {
        diagnostics.Error(DiagnosticKind::kConstantFile, constant.data->range(),
                          std::string(constant.data->Bytes().status().message()));
        ok = false;
      }
    }
  }
  return ok;
}

std::string PoolBytes(const PoolArg& arg) {
  if (arg.size_bytes < 0 || arg.size_bytes > kMostPoolBytes || !arg.pool.is_constant) return {};
  std::string bytes(static_cast<size_t>(arg.size_bytes), '\0');
  for (const PooledConstant& constant : arg.pool.constants) {
    if (constant.data == nullptr || !constant.data->has_bytes()) continue;
    const std::span<const uint8_t> data = *constant.data->Bytes();
    if (constant.byte_offset < 0 || data.size() > bytes.size() ||
        static_cast<size_t>(constant.byte_offset) > bytes.size() - data.size()) {
      continue;
    }
    std::memcpy(bytes.data() + constant.byte_offset, data.data(), data.size());
  }
  return bytes;
}

}  // namespace tenon
