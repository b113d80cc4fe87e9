#ifndef TENON_PRINTER_SIDECAR_H_
#define TENON_PRINTER_SIDECAR_H_

#include <string_view>

#include "absl/status/status.h"
#include "ir/module.h"
#include "printer/printer.h"

namespace tenon {

/// The number of constants that PrintModule's text takes from a side file with these options.
int64_t CountSidecarConstants(const IRModule& module, const PrintOptions& options);

/// Writes that side file completely or not at all. It is a safetensors file with the names in the
/// text, each tensor at the constant's alignment (at least 64 bytes where its size allows).
/// `__metadata__` has each content hash as `xxh3.<name>`. Constants without a safetensors type are
/// written as bytes (uint8). Nothing is written if there are no constants for it.
absl::Status WriteSidecar(const IRModule& module, const PrintOptions& options,
                          std::string_view path);

}  // namespace tenon

#endif  // TENON_PRINTER_SIDECAR_H_
