#ifndef TENON_INTERP_INTERPRETER_H_
#define TENON_INTERP_INTERPRETER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "ir/module.h"
#include "support/diagnostics.h"

// The reference interpreter: an executable definition of what a module means. It checks every
// access: the index against the buffer's extents, and the bytes against the storage. Reads of bytes
// that were never written, stores to constants, and uses of storage after its scope are errors.
// Integers wrap, conversions of floats saturate, divisions by zero and shifts by the width are
// errors. Loops of all kinds run serially.

namespace tenon {

namespace interp {
struct ModuleCode;
}

/// The caller's tensor: elements of `dtype` in C order, little endian.
struct Tensor {
  DataType dtype;
  std::vector<int64_t> shape;
  std::vector<uint8_t> bytes;
};

/// The bytes [begin, end) of a tensor.
struct ByteStretch {
  int64_t begin = 0;
  int64_t end = 0;
};

struct ArgumentStruct;

/// An argument of a run.
struct Argument {
  enum class Kind : uint8_t {
    kTensor,  ///< `tensor`, which the function's stores update
    kScalar,  ///< `bits`, for a parameter that is not a pointer
    kNull,    ///< a null pointer
    kStruct,  ///< the address of `fields`, for an entry function
  };
  Kind kind = Kind::kNull;
  Tensor* tensor = nullptr;
  /// The run updates the fields that the function sets.
  ArgumentStruct* structure = nullptr;
  /// For a field that the function set: the byte of the tensor that it points to.
  int64_t offset = 0;
  /// The name in messages. Empty: the name of the parameter.
  std::string_view name = {};
  /// If true, only the bytes of `written` count as written.
  bool undefined = false;
  /// Integers are extended to 64 bits, floats are their bit pattern.
  int64_t bits = 0;
  std::vector<ByteStretch> written;

  static Argument Of(Tensor* tensor, bool undefined = false) {
    Argument argument;
    argument.kind = Kind::kTensor;
    argument.tensor = tensor;
    argument.undefined = undefined;
    return argument;
  }
  static Argument Scalar(int64_t bits) {
    Argument argument;
    argument.kind = Kind::kScalar;
    argument.bits = bits;
    return argument;
  }
  static Argument Struct(ArgumentStruct* structure) {
    Argument argument;
    argument.kind = Kind::kStruct;
    argument.structure = structure;
    return argument;
  }
};

/// A struct of pointers, which entry functions take: kTensor or kNull in each field.
struct ArgumentStruct {
  std::vector<Argument> fields;
};

/// The data that `T.entry_data(kind, name)` refers to, by `<kind> <name>`: `pool sram`, `flag
/// is_loaded`, `stored 0`.
using EntryDataArguments = absl::flat_hash_map<std::string, Argument>;
std::string EntryDataKey(std::string_view kind, std::string_view name);

/// The place of an allocation in a plan, for running an unplanned module as if it were planned.
struct AllocationPlace {
  std::string pool;
  int64_t offset = 0;
};

/// An access of a run.
struct AccessEvent {
  /// The function that accesses, and the number of its call in the run.
  std::string_view function;
  int64_t call = 0;
  /// The pointer variable of the buffer, and the first element of the access in the buffer.
  const Var* data = nullptr;
  int64_t element = 0;
  /// The name and a number of the storage, and the bytes that are accessed. Storage that is freed
  /// gives its number to other storage later.
  std::string_view storage_name;
  int64_t storage = 0;
  int64_t byte = 0;
  int64_t bytes = 0;
  bool is_store = false;
};

struct InterpreterOptions {
  /// The limit on iterations and calls; a run fails beyond it.
  int64_t max_steps = int64_t{20'000'000'000};
  /// The limit on live bytes of storage, including the records of which bytes are defined.
  int64_t max_bytes = int64_t{4} << 30;
  /// The limit on nested calls.
  int max_depth = 200;
  /// Places of Allocate variables in pools. A placed allocation shares the pool's bytes with the
  /// others. A byte belongs to the allocation that wrote it last, and is undefined for the others.
  /// Lifetimes go from the first access to the last: until its first access, an allocation takes no
  /// byte from the others. A run without errors shows that the plan separates everything that must
  /// not overlap.
  absl::flat_hash_map<const Var*, AllocationPlace> placement;
  /// Called after each store with the pointer variable of the buffer and one slot per lane.
  /// Integers are extended to 64 bits by their signedness, floats are their bits.
  std::function<void(const Var* data, std::span<const int64_t> lanes)> on_store = nullptr;
  /// Called after each load and store of a buffer.
  std::function<void(const AccessEvent& event)> on_access = nullptr;
};

/// A compiled module. The Context must outlive it. Runs are independent of each other.
class Interpreter {
 public:
  /// Compiles all functions. Returns an error, with details in `diagnostics`, for a module that the
  /// verifier rejects and for expressions that cannot run, such as T.reduce.
  static absl::StatusOr<Interpreter> Compile(const IRModule& module, Diagnostics& diagnostics,
                                             InterpreterOptions options = {});
  Interpreter(Interpreter&&) noexcept;
  Interpreter& operator=(Interpreter&&) noexcept;
  ~Interpreter();

  /// Runs a function, by its name or global symbol, with one argument per parameter (parameters
  /// that `link_params` binds may be left out). Returns false after an error. `diagnostics` then
  /// has the error at its statement, with the calls that led there as notes. A nonzero result of
  /// the function is not an error; it is stored in `result`, if not null. Entry functions also need
  /// `data`.
  bool Run(std::string_view function, const std::vector<Argument>& arguments,
           Diagnostics& diagnostics, int64_t* result = nullptr,
           const EntryDataArguments* data = nullptr) const;

  const IRModule& module() const;

 private:
  Interpreter(std::unique_ptr<interp::ModuleCode> code, InterpreterOptions options);

  std::unique_ptr<interp::ModuleCode> code_;
  InterpreterOptions options_;
};

}  // namespace tenon

#endif  // TENON_INTERP_INTERPRETER_H_
