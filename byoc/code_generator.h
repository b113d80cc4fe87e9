#ifndef TENON_BYOC_CODE_GENERATOR_H_
#define TENON_BYOC_CODE_GENERATOR_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "byoc/op_info.h"
#include "ir/module.h"
#include "lowering/external_files.h"
#include "passes/constants/constant_updater.h"
#include "support/diagnostics.h"

// An external code generator is an object that derives from CodeGenerator. A program adds its
// generators to a CodeGenerators object, and passes this object to a run (RunOptions::generators);
// generators do not register themselves. One generator can serve several targets: `npu:0` and
// `npu:1` are two targets of the generator `npu`.

namespace tenon {

/// The vector registers of the machine that the host's code is for.
struct TargetVectors {
  /// 0 for C sources, because their compiler may not support the vectors of GNU C.
  int64_t count = 0;
  /// The size of one register.
  int64_t bytes = 0;
};

/// Facts about the host's own code. A generator should be faster than that code.
struct HostFacts {
  /// `c` or `llvm`; empty: unknown.
  std::string back_end = {};
  /// The value of --cpu; empty: any processor of the architecture.
  std::string cpu = {};
  /// Bytes of the widest vector register of that processor; 0: unknown, or no vectors.
  int64_t vector_width = 0;
  /// Passes make loops faster (--optimize).
  bool optimises = false;
  /// One instruction multiplies and adds floats (--fp-contract=fast, --fast-math).
  bool contracts = false;

  /// As text: `llvm,vector:64,optimised,contract,cpu:znver4`. Empty for unknown facts.
  std::string ToString() const;
  /// Nullopt for a string that ToString does not return.
  static std::optional<HostFacts> Parse(std::string_view text);
  bool operator==(const HostFacts&) const = default;
};

/// A target, as `targets=` names it, with the user's permissions for it.
struct GeneratorTarget {
  /// The whole name: `npu:0`, or `npu`.
  std::string name;
  /// The generator's name: the part before the first colon.
  std::string generator;
  /// The part after the colon; empty without one.
  std::string instance;
  /// Sums of floats may be computed in another order.
  bool may_reassociate = true;
  /// Kinds of operators (OpInfo::kind) whose integers need not be exact.
  std::vector<std::string> inexact = {};

  TargetVectors vectors = {};
  /// Overrides CodeGenerator::min_macs().
  std::optional<int64_t> min_macs = std::nullopt;
  /// The host, which computes the operators that the target does not compute.
  HostFacts host = {};

  /// The target of that name, with default values for all other members.
  explicit GeneratorTarget(std::string_view name);
};

/// The answer to "can you?", with a reason for the report: "depthwise with multiplier 2".
struct Support {
  bool yes = false;
  std::string because = {};

  static Support Yes() { return {true, {}}; }
  static Support No(std::string because) { return {false, std::move(because)}; }
};

/// The form that a generator requires of a module's operators.
struct OperatorForm {
  /// Storage between operators has the narrowest possible signed types: narrow-storage{signed=true}
  /// runs before operators are recognised.
  bool narrow = false;
  /// `split-ops` cuts operators of which the generator can only compute the first part.
  bool split = false;
};

/// An operator about which CodeGenerator::SupportsAll is queried.
struct SupportQuestion {
  const OpInfo* op = nullptr;
  /// The operator's function, whose constants may matter; null for an operator without a body.
  const Function* function = nullptr;
  /// The location of its function, for messages.
  SourceRange range = {};
  /// The name in calls; empty if unknown.
  std::string_view name = {};
};

/// The source of a region's constants.
enum class ConstantsAs : uint8_t {
  kArguments,  ///< the caller passes them; they are hoisted, pooled and merged like all others
  kInside,     ///< they are in the external function
};

/// An operator of a region.
struct RegionOp {
  /// The name in the call.
  std::string_view name;
  /// Its function; null for an operator without a body (`tenon.ops`).
  const Function* function = nullptr;
  OpInfo info;
};

/// Operators that will become one external function, in the order in which they will run.
struct Region {
  /// The function that they are called in.
  std::string_view function;
  std::vector<RegionOp> ops;
  /// Bytes of the tensors that the region reads, and of the tensors that it writes for others: a
  /// device with separate memory copies these bytes in each run. Constants, and tensors whose size
  /// is not constant, do not count.
  int64_t input_bytes = 0;
  int64_t output_bytes = 0;

  int64_t macs() const;
  int64_t elements() const;
};

/// The storage that one argument of an operator points to, seen from the external function.
struct OpArgument {
  enum class Kind : uint8_t {
    kParameter,     ///< parameter `index` of the external function
    kIntermediate,  ///< allocation `index` of the function, in order
    kConstant,      ///< constant `index` of the function (ExternalFunction::constants)
    kOther,         ///< a number, or a pointer that cannot be followed
  };
  Kind kind = Kind::kOther;
  int index = 0;
  /// The offset of the argument in bytes from the start; nullopt if it is not constant.
  std::optional<int64_t> offset = 0;
  /// The argument itself.
  const Expr* expr = nullptr;

  bool operator==(const OpArgument&) const = default;
};

/// One call of an operator in an external function.
struct OpCall {
  RegionOp op;
  std::vector<OpArgument> args;
};

/// A function for which a generator generates code.
struct ExternalFunction {
  /// Creates the names, types and constants of new code.
  Context* context = nullptr;
  /// The function, with the attribute `Compiler` and a symbol. Its body defines the results.
  Function function;
  /// Its calls in order; nullopt if the body contains statements other than calls of operators.
  std::optional<std::vector<OpCall>> ops;
  /// Its intermediates, in order.
  std::vector<const Allocate*> intermediates;
  /// Its constants: those of its body, after update-constants.
  std::vector<FunctionConstant> constants;
  /// For each parameter, whether every call passes a constant of the program, whose bytes and
  /// address are the same in all runs.
  std::vector<bool> constant_params;
};

/// Reads the calls of a function that `partition` made, or that a person wrote.
ExternalFunction ReadExternalFunction(const IRModule& module, const Function& function);
/// For each parameter of a function, whether every call of the module passes a constant.
std::vector<bool> ConstantParams(const IRModule& module, const Function& function);

/// A generator's answers about one external function.
struct GeneratedFunction {
  std::string symbol;
  /// The effects of the code on the memory of each argument, as in `tenon.externs`: `r`, `w`, `rw`,
  /// `o`, `c`, or nothing. They must cover the effects of the body.
  std::vector<std::string> effects;
  /// The size of scratch memory, to which one more argument points. It keeps nothing between calls.
  int64_t workspace_bytes = 0;
  int64_t workspace_alignment = 16;
  /// The size of the state, to which one more argument points. `init_symbol` fills it once.
  int64_t state_bytes = 0;
  /// Pairs of an input and an output, as indices of arguments, that may be the same memory.
  std::vector<std::pair<int, int>> in_place;
  /// Called once before the first call; empty: none.
  std::string init_symbol;
  /// Called by `<prefix>_fini` of the program, with the same arguments: frees what the init
  /// function allocated outside of the state. Empty: none. Requires an init function, which runs
  /// again before the next call.
  std::string fini_symbol;
  /// The code returns a status: 0 for success.
  bool may_fail = true;
  /// The name of a payload that computes the function; empty: the function has its own code.
  std::string payload = {};
};

/// Bytes that a function of a run-time library reads: compiled kernels, serialised constants. They
/// are a constant of the program, stored, aligned and reported like any other.
struct Payload {
  /// The name of the constant, an identifier of C.
  std::string name;
  std::string bytes;
  int64_t alignment = 16;
  /// The run-time function, a tenon_payload_function of runtime/tenon_external.h. It receives the
  /// payload and the arguments of each external function that the payload computes.
  std::string runtime_symbol;
};

/// The code of all external functions of one target.
struct GeneratedCode {
  std::vector<GeneratedFunction> functions;
  /// New bodies in TIR, for example calls of a library. The module does not change: its external
  /// functions keep their bodies.
  std::vector<Function> tir;
  std::vector<EmittedFile> sources;  ///< .c .cc .h
  std::vector<EmittedFile> objects;  ///< .o .a .so
  std::vector<Payload> payloads;
  LinkNeeds link;
  /// Facts that the program checks once, before any init function and the first call:
  ///   "isa=avx2"         the processor has these instructions; runtime/tenon_external.h has names
  ///   "my_version=3"     `int32_t my_version(void)`, of a library perhaps, answers 3
  /// If a check fails, the program does not run (external-unavailable). Checks are C that is
  /// compiled with the sources.
  std::vector<std::string> checks;
  /// The version of the generator, or of the library that its code calls: `2.6.3`. Packages record
  /// it. Empty: the generator has no version other than Tenon's.
  std::string version = {};
};

/// Generates code for operators and regions of a target.
class CodeGenerator {
 public:
  virtual ~CodeGenerator() = default;

  /// The name of the generator's targets, without an instance.
  virtual std::string_view name() const = 0;
  /// Whether the generator can generate code for an operator with this claim, whose kind is not
  /// `unknown`.
  virtual Support Supports(const OpInfo& op, const GeneratorTarget& target) const = 0;
  /// The answers of Supports for several operators, in their order. Nullopt after an error, which
  /// is in `diagnostics`. annotate-targets calls it once for each target.
  virtual std::optional<std::vector<Support>> SupportsAll(
      std::span<const SupportQuestion> questions, const GeneratorTarget& target, Context& context,
      Diagnostics& diagnostics) const;
  /// The form in which the generator can compute more operators.
  virtual OperatorForm form(const GeneratorTarget&) const { return {}; }
  /// Whether a region is worth a call. By default, it is if it has at least
  /// GeneratorTarget::min_macs multiplications, or min_macs() if the target has none.
  virtual Support AcceptsRegion(const Region& region, const GeneratorTarget& target) const;
  virtual int64_t min_macs() const { return 0; }
  /// The most operators of a region if its code is compared with its body (--externals=both),
  /// because errors of small floats grow with each operator; 0: any number.
  virtual int64_t max_compared_ops() const { return 0; }
  virtual ConstantsAs constants(const GeneratorTarget&) const { return ConstantsAs::kArguments; }
  /// Packs constants at compile time; null: constants are not changed. The updater must have the
  /// generator's name.
  virtual const ConstantUpdater* updater(const GeneratorTarget&) const { return nullptr; }
  /// Called by `partition` with a module of the external functions of one target and all functions
  /// that they call. The answer has the same functions with the same parameters. (TVM: the hook
  /// `relay.ext.<target>.optimize`.)
  virtual absl::StatusOr<IRModule> Optimize(const IRModule& module,
                                            const GeneratorTarget& target) const;
  /// Generates code for all external functions of a target at once. Nullopt after an error, which
  /// is in `diagnostics`.
  virtual std::optional<GeneratedCode> Generate(std::span<const ExternalFunction> functions,
                                                const GeneratorTarget& target,
                                                Diagnostics& diagnostics) const = 0;
};

/// Generators by name.
class CodeGenerators {
 public:
  /// None.
  CodeGenerators() = default;
  /// The generators that come with Tenon:
  ///   c          C99 sources
  ///   reference  simple loops in TIR
  ///   blas       calls of CBLAS for products of float matrices
  ///   cmsis-nn   calls of CMSIS-NN for convolutions and dense layers of int8
  ///   cuda       programs for an NVIDIA GPU
  ///   body       the external function's own body, as the host would compile it: for trying
  ///              partitions of operators that no other generator supports
  static CodeGenerators BuiltIn();

  /// False if the set already contains a generator of that name.
  bool Add(std::unique_ptr<const CodeGenerator> generator);
  /// Adds a generator, which replaces another one of that name.
  void Replace(std::unique_ptr<const CodeGenerator> generator);
  /// Records that a user named this generator, so that a compilation that does not use it warns.
  void MarkGiven(std::string name) { given_.push_back(std::move(name)); }
  std::span<const std::string> given() const { return given_; }
  /// The generator of a target: `npu` for `npu` and `npu:1`. Null if there is none.
  const CodeGenerator* Find(std::string_view target) const;
  /// In the order in which they were added.
  std::vector<std::string_view> Names() const;
  /// The names for a message: `blas`, `reference`.
  std::string ToString() const;
  /// The message for a target that no generator has: what was expected, and how to name a program.
  std::string UnknownTargetText(std::string_view target) const;

 private:
  std::vector<std::unique_ptr<const CodeGenerator>> generators_;
  std::vector<std::string> given_;
};

}  // namespace tenon

#endif  // TENON_BYOC_CODE_GENERATOR_H_
