#ifndef TENON_PRINTER_CONSTANT_PLAN_H_
#define TENON_PRINTER_CONSTANT_PLAN_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/module.h"
#include "printer/printer.h"

namespace tenon {

/// Where each constant of a module prints: in the table `tenon.constants` under a name, or inline.
/// The table contains the constants that the module declares, those that functions name, and the
/// bases of slices. With a side file or hashes, it also contains all constants that these replace.
/// Names are unique.
class ConstantPlan {
 public:
  enum class Form : uint8_t { kElements, kFile, kSlice, kSplat, kHash };
  struct Entry {
    const Constant* constant;
    std::string name;
    Form form;
    /// kFile: the tensor that has the bytes already; nullopt: one of the side file.
    std::optional<TensorName> tensor = std::nullopt;
  };

  ConstantPlan(const IRModule& module, const PrintOptions& options);

  /// The table, in order; a slice comes after its base.
  std::span<const Entry> entries() const { return entries_; }
  /// The name of a constant in the table, or null for an inline constant.
  const std::string* NameOf(const Constant* constant) const;
  /// True if the module refers to objects that only metadata can hold.
  bool refers_to_metadata() const { return refers_to_metadata_; }

  /// Appends `"tenon.constants": [...]`.
  void AppendTable(const PrintOptions& options, Sink& sink) const;

 private:
  void Collect(const Node* node);
  void Use(const Constant* constant, std::string_view hint);
  void Declare(const Constant* constant, std::string_view hint);
  std::string UniqueName(std::string_view hint);
  Form FormOf(const Constant& constant) const;
  void AppendData(const Entry& entry, const PrintOptions& options, Sink& sink) const;

  const PrintOptions& options_;
  std::vector<Entry> entries_;
  absl::flat_hash_map<const Constant*, size_t> index_;
  absl::flat_hash_set<std::string> names_;
  absl::flat_hash_map<std::string, int> next_suffix_;
  bool refers_to_metadata_ = false;
};

}  // namespace tenon

#endif  // TENON_PRINTER_CONSTANT_PLAN_H_
