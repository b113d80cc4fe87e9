#ifndef TENON_PASSES_CONSTANTS_LIFTED_PARAMS_H_
#define TENON_PASSES_CONSTANTS_LIFTED_PARAMS_H_

#include <optional>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "ir/attributes.h"
#include "ir/builder.h"
#include "ir/module.h"

// What lift-params notes so that bind-params can put every constant back where it was: the function
// attribute attr_key::kLiftedParams, a map from the names of parameters to what was there.

namespace tenon {

/// What a lifted parameter was.
struct LiftedNote {
  enum class Use : uint8_t {
    kBody,  ///< "body": a T.allocate_const around the body, one of the outermost
    kLet,   ///< "let": T.allocate_const where variables are now bound to the parameter
    kCall,  ///< "call": nothing here; it is passed on to what is called
  };
  Use use = Use::kBody;
  /// Extents and annotations of the T.allocate_const; null where they are as data has them, or
  /// none.
  const ArrayAttr* extents = nullptr;
  const MapAttr* annotations = nullptr;
  /// Where nobody passes the value in: the constant's name, its place in the module's table, and
  /// where it is to be placed in memory.
  std::string_view constant;
  int64_t index = 0;
  ConstantPlacement placement;
};

/// The attribute's value for one parameter.
const MapAttr* MakeLiftedNote(NodeBuilder& builder, const LiftedNote& note);

/// The note of the parameter of that name in the attribute `key`, if there is one.
std::optional<LiftedNote> ReadLiftedNote(const PrimFunc& function, std::string_view param,
                                         std::string_view key = attr_key::kLiftedParams);

/// The extents are those that the data has, and there are no annotations.
bool IsUsual(const AllocateConst& allocate);
/// A note of the extents and annotations of one that is not usual.
LiftedNote NoteOf(NodeBuilder& builder, const AllocateConst& allocate);
/// A T.allocate_const with the extents and annotations of `note`, which may be null.
const Stmt* NewAllocateConst(NodeBuilder& builder, const Var* var, const Constant& constant,
                             const LiftedNote* note, SourceRange range, const Stmt* body);

/// For each function by name, what becomes of its parameters: a constant, or null for one that
/// stays. Parallel to its parameters; functions that are not here keep all.
using BoundParams = absl::flat_hash_map<Symbol, std::vector<const Constant*>>;

/// Makes parameters constants of their functions: T.allocate_const at the places that notes tell,
/// else around the body, first parameters outermost. Calls leave their arguments out. Lifted
/// parameters of other functions follow where every call gives them one and the same constant; to
/// other functions the pointer is passed. The module's table is left as it is.
IRModule ReplaceParams(const IRModule& module, BoundParams bound);

/// The extents of a T.allocate_const of this data, unless it says otherwise.
Span<const Expr*> ExtentsOf(NodeBuilder& builder, const Constant& constant, SourceRange range);

}  // namespace tenon

#endif  // TENON_PASSES_CONSTANTS_LIFTED_PARAMS_H_
