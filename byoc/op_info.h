#ifndef TENON_BYOC_OP_INFO_H_
#define TENON_BYOC_OP_INFO_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/computation.h"
#include "byoc/requantise.h"
#include "ir/builder.h"
#include "ir/module.h"
#include "support/diagnostics.h"

// The claim about an operator's computation: the attribute `tenon.op` of its function.

namespace tenon {

/// The shape of a convolution or a pooling. Lists have one number for each spatial axis, the
/// outermost first. Neighbouring axes of the operator may be one axis here: see "Axes that are
/// merged" in docs/reference/claims.md. `input` is the part that windows reach. An output at `o`
/// and a kernel place `k` read the input at `o * stride + k * dilation - pad_before`. The `select`
/// around the read gives the value outside of the input. A transposed convolution reads at `(o + k
/// * dilation - pad_before) / stride`, where that is whole and inside, and 0 elsewhere.
struct WindowInfo {
  std::vector<int64_t> input, output, kernel, stride, dilation, pad_before, pad_after;

  bool operator==(const WindowInfo&) const = default;
};

/// A claim about a function. A code generator needs only the claim, not the function's body.
///
/// `kind` is one of dense, matmul, conv1d, conv2d, conv3d, depthwise_conv2d, grouped_conv2d,
/// conv2d_transpose, max_pool, avg_pool, sum_pool, argmax, argmin, softmax, reduce, elementwise,
/// concatenate, layout, take and unknown. A claim of another kind can be read; nothing is known
/// about it.
///
/// Loops of `computation` have these names, with a number after the name where an axis is divided
/// (`co0` is outside `co1`, and the place on the axis is `co0 * extent(co1) + co1`):
///   matmul, dense    b batch, m rows, n columns, k summed
///   convolutions     n batch, g group, d h w places of the output, co and ci channels in a group,
///                    kd kh kw places of the kernel
///   pooling          n, d h w, kd kh kw as above, c channels
///   softmax, reduce  i kept, k reduced, r reduced by other reductions than the first
///   argmax, argmin   i kept, k reduced
///   others           i
struct OpInfo {
  std::string kind = "unknown";
  /// The reason why nothing is proven about an unknown operator; empty in other claims.
  std::string because;
  /// Multiplications of a contraction; 0 for other kinds.
  int64_t macs = 0;
  /// Elements written.
  int64_t elements = 0;

  Computation computation;
  /// True if integers, or floats in any order of sums, give the function's result bit for bit.
  /// False if a sum of floats may be reassociated.
  bool bitwise = true;
  /// The step that sums products (kReduce), and the accesses that it multiplies; -1 for none. The
  /// steps that use it, up to the stored one, are the epilogue.
  int contraction = -1;
  int input = -1;
  int weights = -1;
  /// The window of a convolution or a pooling.
  std::optional<WindowInfo> window;
  int64_t groups = 1;
  /// The operator as a quantised one: then the operator computes this, for all inputs, and its
  /// steps need not be read. A dot product reads the input where the window is inside of it, and
  /// the centred input is 0 elsewhere.
  std::optional<Requantise> requantise;

  bool operator==(const OpInfo&) const = default;
  bool known() const { return kind != "unknown"; }
  /// The dtype of the sum; nullopt without a contraction.
  std::optional<DataType> accumulator() const;
};

/// True if both factors of the contraction are elements of `input` and `weights`, perhaps cast, and
/// 0 at pads of the input. Other factors are computed first, for example `x - zero_point` or `max(x
/// * scale, 0)`.
bool HasPlainFactors(const OpInfo& info);

/// The claim about an operator without a proof.
OpInfo UnknownOp(std::string because);

/// The loops of an axis, the outermost first: `co`, or `co0` and `co1`; empty if the claim has no
/// such axis.
std::vector<int> LoopsOfAxis(const Computation& computation, std::string_view axis);

/// The claim in a value of `tenon.op`; nullopt if it is not a claim. A claim may be as short as
/// `{"kind": "conv2d"}`. All indices of a claim that is read are in range, steps use earlier steps,
/// and LoopProblem finds nothing. `problem`, if not null, gets the error.
std::optional<OpInfo> ReadOpInfo(const Attr* attr, std::string* problem = nullptr);
/// The claim of a function; nullopt if it has no readable claim.
std::optional<OpInfo> ReadOpInfo(const Function& function);
/// Reports the claims of a module that cannot be read: those of functions, and those of operators
/// without a body (`tenon.ops`). False after an error (wrong-operator).
bool CheckClaims(const IRModule& module, Diagnostics& diagnostics);

/// The value of `tenon.op` for a claim: ReadOpInfo gives an equal claim back.
const MapAttr* WriteOpInfo(NodeBuilder& builder, const OpInfo& info);
/// The function with this claim instead of its own.
Function WithOpInfo(Context& context, const Function& function, const OpInfo& info);

}  // namespace tenon

#endif  // TENON_BYOC_OP_INFO_H_
