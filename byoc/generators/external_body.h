#ifndef TENON_BYOC_GENERATORS_EXTERNAL_BODY_H_
#define TENON_BYOC_GENERATORS_EXTERNAL_BODY_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "byoc/code_generator.h"
#include "ir/builder.h"

// New bodies in TIR for external functions. A generator creates the statements of one operator. All
// other code is the same for all generators: the operator becomes a function, and the external
// function calls it with the arguments of the old call. The code here reads the claims and the
// constants of operators, but not their bodies.

namespace tenon {

/// An operator for which a generator creates statements.
struct OperatorToMake {
  const OpInfo& info;
  /// A flat buffer over each operand of the computation.
  std::vector<const Buffer*> operands;
  /// The data of each operand; null if unknown. Statements need not use an operand; only used
  /// operands are passed.
  std::vector<const Constant*> constants;
  /// For each operand, whether its memory is an intermediate of the external function that all
  /// operators use with one dtype: the generator may store values there in any form.
  std::vector<bool> is_private = {};
};

/// The data of an operand that is a constant of the external function; null if unknown.
const Constant* ConstantOf(const ExternalFunction& external, const OpCall& op,
                           const ComputationOperand& operand);

/// A flat buffer over an operand with the given number of elements.
const Buffer* FlatOperand(NodeBuilder& builder, const ComputationOperand& operand,
                          int64_t elements);

/// The number of elements of an operand's memory, which other operands may share.
int64_t ElementsOf(const OpInfo& info, const ComputationOperand& operand);

/// An operator for another claim, with the claim's loops as its body. Constant updaters use it for
/// constants with a new layout or type. Operands of the claim are parameters.
Function OperatorOfClaim(Context& context, const Function& op, const OpInfo& info, Symbol name);

/// The statement `T.tvm_check_return(0, -1, T.call_extern("int32", name, *args))`: if the function
/// returns a value other than 0, the program stops and returns -1.
const Stmt* CheckedCall(NodeBuilder& builder, std::string_view name,
                        const std::vector<const Expr*>& args);

/// Creates the statements of one operator. Null after an error, which has been reported.
using MakeOperator = std::function<const Stmt*(NodeBuilder& builder, const OperatorToMake& op)>;

struct ExternalBodyOptions {
  /// External functions that the statements call. The letters of `tenon.externs` describe each
  /// argument; a number has "", and numbers at the end may be omitted. Functions that no operator
  /// calls may also be listed.
  std::vector<std::pair<std::string_view, std::vector<std::string_view>>> externs = {};
  /// Statements depend on OperatorToMake::is_private, which is false without this.
  bool has_private_forms = false;
};

/// New bodies, and the generator's answers about them.
struct ExternalBodies {
  std::vector<GeneratedFunction> functions;
  /// Functions of operators, each before the external function that calls it.
  std::vector<Function> tir;
};

/// New bodies for external functions. Nullopt after an error: a function with statements other than
/// calls of operators with claims (generator-failed), or an error of `make`.
std::optional<ExternalBodies> MakeExternalBodies(std::span<const ExternalFunction> functions,
                                                 const ExternalBodyOptions& options,
                                                 const MakeOperator& make,
                                                 Diagnostics& diagnostics);

}  // namespace tenon

#endif  // TENON_BYOC_GENERATORS_EXTERNAL_BODY_H_
