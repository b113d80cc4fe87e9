#ifndef TENON_PARSER_CONSTANT_TABLE_H_
#define TENON_PARSER_CONSTANT_TABLE_H_

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "parser/constant_files.h"
#include "parser/values.h"

namespace tenon {

/// The constants of the module: constants that `tenon.constants` declares by name, and lists in
/// place.
class ConstantTable {
 public:
  /// Declared constants are added to `module`.
  ConstantTable(ParseEnv& env, Values& values, IRModule& module)
      : env_(env), values_(values), module_(module) {}

  /// The constant called `name`, whose use is at `range`; or null.
  const Constant* Find(std::string_view name, SourceRange range);
  /// The same, with an error if no constant has the name.
  const Constant* FindConstant(const PyValue& name);
  /// `I.constant("name", [...], "int8", [3], align=16, ...)`. Null after an error.
  const Constant* DeclareConstant(const Args& args);
  /// The data of `T.allocate_const`: a list, or a named constant. Null after an error.
  const Constant* ConstantFrom(const PyValue& data, DataType dtype,
                               const std::vector<int64_t>& shape, SourceRange range);
  /// Constant number `number` of a Relax function, from ParseOptions::constants_from. Null after an
  /// error.
  const Constant* ReadNumbered(int64_t number, DataType dtype, const std::vector<int64_t>& shape,
                               SourceRange range);

 private:
  const Constant* NamedConstant(const PyValue& data, DataType dtype,
                                const std::vector<int64_t>& shape, SourceRange range);
  bool ReadList(const PyValue& data, DataType dtype, const std::vector<int64_t>& shape,
                std::vector<uint8_t>* bytes);
  bool ToShape(const PyValue& value, std::vector<int64_t>* shape);
  /// `align`, `section`, `pools`, `address_significant`, `load`, `codec`; null for absent ones.
  bool ToPlacement(std::span<const PyValue*> args, ConstantPlacement* placement);
  /// `load` and `codec`.
  bool ToLoading(std::span<const PyValue*> args, ConstantPlacement* placement);
  bool CheckConstantSize(DataType dtype, const std::vector<int64_t>& shape, SourceRange range);
  std::optional<ConstantSource> SourceOf(const PyValue& data, DataType dtype,
                                         const std::vector<int64_t>& shape);
  std::optional<ConstantSource> FileSource(const PyCall& call, SourceRange range, DataType dtype,
                                           const std::vector<int64_t>& shape);
  std::optional<ConstantSource> SliceSource(const PyCall& call, SourceRange range, DataType dtype,
                                            const std::vector<int64_t>& shape);
  std::optional<ConstantSource> SplatSource(const PyCall& call, SourceRange range, DataType dtype,
                                            const std::vector<int64_t>& shape);
  std::optional<ConstantSource> HashSource(const PyCall& call);

  ParseEnv& env_;
  Values& values_;
  IRModule& module_;
  std::unique_ptr<ConstantFiles> files_;
  std::unique_ptr<ConstantFiles> numbered_files_;
  struct Entry {
    const Constant* constant;  ///< null if its data could not be read
    int32_t symbol;
  };
  absl::flat_hash_map<Symbol, Entry> constants_;  ///< by name
};

}  // namespace tenon

#endif  // TENON_PARSER_CONSTANT_TABLE_H_
