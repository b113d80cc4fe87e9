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

// The reference interpreter: what a module means, made executable. Every access is checked: against
// the extents of the buffer it goes through and the bytes of the storage behind it, for bytes that
// were never written, for stores to constants, for storage whose scope has ended. Integers wrap,
// conversions of floats saturate, divisions by zero and shifts by the width are errors. Loops of
// all kinds run serially.

namespace tenon {

namespace interp {
struct ModuleCode;
}

/// A tensor of the caller: elements of `dtype` in C order, little endian.
struct Tensor {
  DataType dtype;
  std::vector<int64_t> shape;
  std::vector<uint8_t> bytes;
};

/// Bytes [begin, end) of a tensor.
struct ByteStretch {
  int64_t begin = 0;
  int64_t end = 0;
};

/// One argument of a run.
struct Argument {
  enum class Kind : uint8_t {
    kTensor,  ///< `tensor`; what the function stores is found in it afterwards
    kScalar,  ///< `bits`, for a parameter that is no pointer
    kNull,    ///< a null pointer
  };
  Kind kind = Kind::kNull;
  Tensor* tensor = nullptr;
  /// The tensor's bytes count as never written, but for those of `written`.
  bool undefined = false;
  /// Integers extended to 64 bits, floats as their bit pattern.
  int64_t bits = 0;
  std::vector<ByteStretch> written;

  static Argument Of(Tensor* tensor, bool undefined = false) {
    return {Kind::kTensor, tensor, undefined, 0, {}};
  }
  static Argument Scalar(int64_t bits) { return {Kind::kScalar, nullptr, false, bits, {}}; }
};

/// Where a plan puts an allocation: for running a module that is not planned as if it were.
struct AllocationPlace {
  std::string pool;
  int64_t offset = 0;
};

struct InterpreterOptions {
  /// Iterations and calls until a run is given up, with an error.
  int64_t max_steps = int64_t{20'000'000'000};
  /// Bytes of storage alive at once (what tells defined bytes from others counts too).
  int64_t max_bytes = int64_t{4} << 30;
  /// Calls within calls.
  int max_depth = 200;
  /// Allocate variables and their places in pools. Such an allocation shares the pool's bytes with
  /// the others there: a byte belongs to the one that wrote it last, and is undefined for all
  /// others. (Not from the beginning of a scope: lifetimes go from the first access to the last, so
  /// until the first one the bytes may be another's.) A run without errors shows that the plan
  /// keeps apart what has to be.
  absl::flat_hash_map<const Var*, AllocationPlace> placement;
  /// Called after each store: the pointer variable of the buffer, and a slot a lane. Integers are
  /// extended to 64 bits by their signedness, floats are their bits.
  std::function<void(const Var* data, std::span<const int64_t> lanes)> on_store = nullptr;
};

/// A compiled module. The Context must outlive it. Runs are independent of each other.
class Interpreter {
 public:
  /// Compiles all functions. On errors (a module that the verifier refuses, expressions that cannot
  /// run such as T.reduce) they are in `diagnostics` and nothing is returned.
  static absl::StatusOr<Interpreter> Compile(const IRModule& module, Diagnostics& diagnostics,
                                             InterpreterOptions options = {});
  Interpreter(Interpreter&&) noexcept;
  Interpreter& operator=(Interpreter&&) noexcept;
  ~Interpreter();

  /// Runs a function, by its name or global symbol, with one argument a parameter (those that
  /// `link_params` binds may be left out). False after an error: in `diagnostics`, at the
  /// statement, with the calls that led there as notes. A result other than 0 of a function is no
  /// error; it is in `result`, if given.
  bool Run(std::string_view function, const std::vector<Argument>& arguments,
           Diagnostics& diagnostics, int64_t* result = nullptr) const;

  const IRModule& module() const;

 private:
  Interpreter(std::unique_ptr<interp::ModuleCode> code, InterpreterOptions options);

  std::unique_ptr<interp::ModuleCode> code_;
  InterpreterOptions options_;
};

}  // namespace tenon

#endif  // TENON_INTERP_INTERPRETER_H_
