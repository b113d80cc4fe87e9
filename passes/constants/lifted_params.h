#ifndef TENON_PASSES_CONSTANTS_LIFTED_PARAMS_H_
#define TENON_PASSES_CONSTANTS_LIFTED_PARAMS_H_

#include <optional>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "ir/attributes.h"
#include "ir/builder.h"
#include "ir/module.h"

// The record with which bind-params restores every constant that lift-params moved: the function
// attribute attr_key::kLiftedParams, a map from parameter names to the former constants.

namespace tenon {

/// The former constant of a lifted parameter, and its use.
struct LiftedNote {
  enum class Use : uint8_t {
    kBody,  ///< "body": a T.allocate_const around the body, one of the outermost
    kLet,   ///< "let": T.allocate_const where variables are now bound to the parameter
    kCall,  ///< "call": nothing in this function; it is passed on to callees
  };
  Use use = Use::kBody;
  /// Extents and annotations of the T.allocate_const; null if they are the data's extents, or if
  /// there are no annotations.
  const ArrayAttr* extents = nullptr;
  const MapAttr* annotations = nullptr;
  /// If no caller passes the value: the constant's name, its index in the module's table, and its
  /// placement in memory.
  std::string_view constant;
  int64_t index = 0;
  ConstantPlacement placement;
};

/// The attribute's value for one parameter.
const MapAttr* MakeLiftedNote(NodeBuilder& builder, const LiftedNote& note);

/// The note of the named parameter in the attribute `key`, if there is one.
std::optional<LiftedNote> ReadLiftedNote(const PrimFunc& function, std::string_view param,
                                         std::string_view key = attr_key::kLiftedParams);

/// True if the extents are the data's and there are no annotations.
bool IsUsual(const AllocateConst& allocate);
/// A note of the extents and annotations, if they are not usual.
LiftedNote NoteOf(NodeBuilder& builder, const AllocateConst& allocate);
/// A T.allocate_const with the extents and annotations of `note`, which may be null.
const Stmt* NewAllocateConst(NodeBuilder& builder, const Var* var, const Constant& constant,
                             const LiftedNote* note, SourceRange range, const Stmt* body);

/// For each function, by name, the new meaning of its parameters, in their order: a constant, or
/// null for a parameter that stays. Functions that are not listed keep all parameters.
using BoundParams = absl::flat_hash_map<Symbol, std::vector<const Constant*>>;

/// Turns parameters into constants of their functions: T.allocate_const at the places that notes
/// record, otherwise around the body, first parameters outermost. Calls omit their arguments.
/// Lifted parameters of other functions follow if every call gives them the same constant; other
/// functions receive the pointer. The module's table does not change.
IRModule ReplaceParams(const IRModule& module, BoundParams bound);

/// The default extents of a T.allocate_const with this data.
Span<const Expr*> ExtentsOf(NodeBuilder& builder, const Constant& constant, SourceRange range);

}  // namespace tenon

#endif  // TENON_PASSES_CONSTANTS_LIFTED_PARAMS_H_
