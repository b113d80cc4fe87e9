#ifndef TENON_PRINTER_SIDECAR_H_
#define TENON_PRINTER_SIDECAR_H_

#include <string_view>

#include "absl/status/status.h"
#include "ir/module.h"
#include "printer/printer.h"

namespace tenon {

/// How many constants the text that PrintModule makes with these options takes from a side file.
int64_t CountSidecarConstants(const IRModule& module, const PrintOptions& options);

/// Writes that side file, whole or not at all: a safetensors file with the names that the text
/// uses, each tensor at the constant's alignment (at least 64 bytes where its size allows), and the
/// content hash of each as `xxh3.<name>` in `__metadata__`. Constants that safetensors has no type
/// for are written as their bytes (uint8). Nothing is written when there are no constants for it.
absl::Status WriteSidecar(const IRModule& module, const PrintOptions& options,
                          std::string_view path);

}  // namespace tenon

#endif  // TENON_PRINTER_SIDECAR_H_
