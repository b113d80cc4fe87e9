#ifndef TENON_BYOC_GENERATORS_CUDA_STEP_WRITER_H_
#define TENON_BYOC_GENERATORS_CUDA_STEP_WRITER_H_

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/computation.h"

// Writes the steps of a claim as statements of the dialect of kernels
// (runtime/tenon_cuda_device.h).

namespace tenon {

/// How functions such as exp are computed.
enum class DeviceMath : uint8_t {
  kExact,  ///< the bits of the C library
  kFast,   ///< within a few units in the last place
};

/// The reason why kernels cannot compute a claim's steps; empty if they can.
std::string WhyNoDeviceCode(const Computation& computation, DeviceMath math);

/// The type of a value in a kernel: small floats are computed in float32.
std::string_view DeviceType(DataType dtype);
/// The type of an element in memory.
std::string_view DeviceElement(DataType dtype);
/// The operation of tenon_cuda_device.h that a reduction by this node uses: `tn_op_add`.
std::string_view DeviceReduction(NodeKind node);
/// Converts an element in memory to a value, or a value to an element.
std::string FromElement(DataType dtype, std::string_view element);
std::string ToElement(DataType dtype, std::string_view value);

/// Lines of code with indentation.
class CodeText {
 public:
  void Line(std::string_view line);
  /// Writes `line {`, or `{` for an empty line, and indents what follows.
  void Open(std::string_view line);
  void Close(std::string_view after = "");
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  int depth_ = 0;
};

class StepWriter {
 public:
  /// A value that the kernel has already computed: its expression, or empty.
  using Given = std::function<std::string(int step)>;

  StepWriter(const Computation& computation, DeviceMath math, CodeText& code);

  /// From here on, the counter of the loop is this expression.
  void SetLoop(int loop, std::string text) { loops_[static_cast<size_t>(loop)] = std::move(text); }
  void SetGiven(Given given) { given_ = std::move(given); }
  /// Writes what the value of a step needs, and returns an expression of it. All its loops must be
  /// set.
  std::string Value(int step);
  /// The element of memory that becomes the value of a step.
  std::string Stored(int step);
  /// The number of an element, as an expression.
  std::string Index(const LinearIndex& element) const;
  /// Statements between Enter and Leave may use values from outside, but not the other way round.
  void Enter() { scopes_.emplace_back(); }
  void Leave() { scopes_.pop_back(); }
  /// The pointer to an operand in the kernel's source.
  static std::string Pointer(int operand);

 private:
  const Step& StepAt(int step) const { return computation_.steps[static_cast<size_t>(step)]; }
  DataType DtypeOf(int step) const { return StepAt(step).dtype; }
  std::string Bind(int step, const std::string& value);
  std::string Read(const Step& step);
  std::string Node(const Step& step);
  std::string Binary(const Step& step, const std::string& a, const std::string& b);
  std::string Cast(const Step& step);
  std::string Call(const Step& step);
  std::string FixedPoint(const Step& step, std::string_view function, size_t count);
  std::string Choice(int step);
  std::string Reduction(int step);
  std::string ArgReduction(int step);
  /// Computes the reductions below a step that do not depend on `loops`, before these are opened.
  void MakeSumsOutside(int step, uint64_t loops, std::set<int>& seen);
  void OpenLoops(const Step& step);
  void CloseLoops(const Step& step);

  const Computation& computation_;
  const DeviceMath math_;
  CodeText& code_;
  Given given_;
  std::vector<std::string> loops_;
  /// The names of values, for each open scope.
  std::vector<std::map<int, std::string>> scopes_;
  std::vector<uint64_t> free_;
  int names_ = 0;
};

}  // namespace tenon

#endif  // TENON_BYOC_GENERATORS_CUDA_STEP_WRITER_H_
