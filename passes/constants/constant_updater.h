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

// How a code generator for external functions has the weights its own way: packed, transposed, of
// another type or size. It derives from ConstantUpdater, is put into a ConstantUpdaters, and the
// pass update-constants (passes/constants/update_constants.h) asks it about every function that is
// its own. (TVM: the `relay.ext.<compiler>.constant_updater` hook, which maps names to arrays.)

namespace tenon {

/// A constant that a function has, as an updater is shown it.
struct FunctionConstant {
  const Constant* constant = nullptr;
  /// The variable that the function has it under, where it has it first.
  std::string_view variable;
  /// Where that is.
  SourceRange range;
};

/// A constant as the code generator wants it. It goes to the module's table, and is pooled, merged,
/// emitted and reported like any other.
struct UpdatedConstant {
  /// Its name in the table. Nothing there may have it, unless it is the very constant that it
  /// replaces.
  std::string name;
  DataType dtype;
  std::vector<int64_t> shape;
  /// Bytes in C order, as many as dtype and shape take; or any other source.
  ConstantSource source;
  ConstantPlacement placement;
  /// Which of the function's constants it is from now on: what points to that one points to this
  /// one. Without, the function finds it by name: T.lookup_param("name").
  std::optional<size_t> replaces;

  /// Sets the source to memory of its own.
  void SetBytes(std::vector<uint8_t> bytes);
};

/// A function that a function calls from now on in the place of another one.
struct UpdatedCallee {
  std::string_view name;
  /// Added to the module; nothing there may have its name.
  Function now;
};

/// What an updater answers.
struct ConstantUpdate {
  std::vector<UpdatedConstant> constants = {};
  /// Operators that know how the constants lie from now on.
  std::vector<UpdatedCallee> callees = {};
  /// Those of the function's constants that it does not have any more. Nothing may point to them.
  std::vector<size_t> dropped = {};
};

/// Processes the constants of functions for one code generator.
class ConstantUpdater {
 public:
  virtual ~ConstantUpdater() = default;

  /// What the `Compiler` attribute of its functions says, and `updater=` in a pipeline.
  virtual std::string_view name() const = 0;
  /// `constants` are those of the function, each once, in the order of the text. Nullopt after an
  /// error, which is in `diagnostics`. Called from one thread, for functions in the order of the
  /// text.
  virtual std::optional<ConstantUpdate> Update(const Function& function,
                                               std::span<const FunctionConstant> constants,
                                               Diagnostics& diagnostics) const = 0;
  /// The same for an updater that looks at what the function calls.
  virtual std::optional<ConstantUpdate> UpdateIn(const IRModule&, const Function& function,
                                                 std::span<const FunctionConstant> constants,
                                                 Diagnostics& diagnostics) const {
    return Update(function, constants, diagnostics);
  }
};

/// Updaters by name.
class ConstantUpdaters {
 public:
  /// None.
  ConstantUpdaters() = default;
  /// Those that come with Tenon, as examples and for tests:
  ///   name       gives every constant the name that TVM's code generators know it by,
  ///              <symbol>_const_<i>, in the order of the text
  ///   transpose  reverses the axes of every constant that has two or more, in place
  ///   pack-int4  puts two elements of an int8 constant into a byte, the first in the low four
  ///              bits, as <symbol>_<variable>_int4, and drops the original
  static ConstantUpdaters BuiltIn();

  /// False when there is one of that name.
  bool Add(std::unique_ptr<const ConstantUpdater> updater);
  const ConstantUpdater* Find(std::string_view name) const;
  /// In the order in which they were added.
  std::vector<std::string_view> Names() const;

 private:
  std::vector<std::unique_ptr<const ConstantUpdater>> updaters_;
};

}  // namespace tenon

#endif  // TENON_PASSES_CONSTANTS_CONSTANT_UPDATER_H_
