#ifndef TENON_PASSES_CONSTANTS_CONSTANT_UPDATER_H_
#define TENON_PASSES_CONSTANTS_CONSTANT_UPDATER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/module.h"
#include "support/diagnostics.h"

// The interface with which a code generator for external functions changes its weights: packed,
// transposed, of another type or size. It derives from ConstantUpdater and is added to a
// ConstantUpdaters. The pass update-constants (passes/constants/update_constants.h) calls it for
// each of its functions. (TVM: the `relay.ext.<compiler>.constant_updater` hook, which maps names
// to arrays.)

namespace tenon {

/// A constant of a function, as passed to an updater.
struct FunctionConstant {
  const Constant* constant = nullptr;
  /// The first variable in the function with this constant.
  std::string_view variable;
  /// The place of that variable.
  SourceRange range;
};

/// A constant in the code generator's form. It is added to the module's table, and is pooled,
/// merged, emitted and reported like any other.
struct UpdatedConstant {
  /// Its name in the table, which must be unused, except by the constant that it replaces.
  std::string name;
  DataType dtype;
  std::vector<int64_t> shape;
  /// Bytes in C order, of the size of dtype and shape; or any other source.
  ConstantSource source;
  ConstantPlacement placement;
  /// The function's constant that it replaces: pointers to that one then refer to this one. Without
  /// it, the function finds the constant by name: T.lookup_param("name").
  std::optional<size_t> replaces;

  /// Sets the source to the given bytes, which it then owns.
  void SetBytes(std::vector<uint8_t> bytes);
};

/// A function that replaces another one in a function's calls.
struct UpdatedCallee {
  std::string_view name;
  /// Added to the module; its name must be unused.
  Function now;
};

/// The result of an updater.
struct ConstantUpdate {
  std::vector<UpdatedConstant> constants = {};
  /// Operators for the new layout of the constants.
  std::vector<UpdatedCallee> callees = {};
  /// The function's constants that are removed. Nothing may refer to them.
  std::vector<size_t> dropped = {};
};

/// Processes the constants of functions for one code generator.
class ConstantUpdater {
 public:
  virtual ~ConstantUpdater() = default;

  /// The value of the `Compiler` attribute of its functions, and of `updater=` in a pipeline.
  virtual std::string_view name() const = 0;
  /// `constants` are the function's, without duplicates, in the order of the text. Nullopt after an
  /// error, which is in `diagnostics`. Called from one thread, for functions in the order of the
  /// text.
  virtual std::optional<ConstantUpdate> Update(const Function& function,
                                               std::span<const FunctionConstant> constants,
                                               Diagnostics& diagnostics) const = 0;
  /// The same for an updater that inspects the function's callees.
  virtual std::optional<ConstantUpdate> UpdateIn(const IRModule&, const Function& function,
                                                 std::span<const FunctionConstant> constants,
                                                 Diagnostics& diagnostics) const {
    return Update(function, constants, diagnostics);
  }
};

/// Updaters by name.
class ConstantUpdaters {
 public:
  /// Creates an empty set.
  ConstantUpdaters() = default;
  /// The updaters that come with Tenon, as examples and for tests:
  ///   name       gives every constant the name by which TVM's code generators know it,
  ///              <symbol>_const_<i>, in the order of the text
  ///   transpose  reverses the axes of every constant that has two or more, in place
  ///   pack-int4  packs two elements of an int8 constant into a byte, the first in the low four
  ///              bits, as <symbol>_<variable>_int4, and drops the original
  static ConstantUpdaters BuiltIn();

  /// False if the name is already in use.
  bool Add(std::unique_ptr<const ConstantUpdater> updater);
  const ConstantUpdater* Find(std::string_view name) const;
  /// In the order in which they were added.
  std::vector<std::string_view> Names() const;

 private:
  std::vector<std::unique_ptr<const ConstantUpdater>> updaters_;
};

}  // namespace tenon

#endif  // TENON_PASSES_CONSTANTS_CONSTANT_UPDATER_H_
