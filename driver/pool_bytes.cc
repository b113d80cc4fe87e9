#include "driver/pool_bytes.h"

#include <cstring>

namespace tenon {

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
