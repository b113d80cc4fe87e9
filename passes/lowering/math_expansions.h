#ifndef TENON_PASSES_LOWERING_MATH_EXPANSIONS_H_
#define TENON_PASSES_LOWERING_MATH_EXPANSIONS_H_

#include <array>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "passes/lowering/intrin_rules.h"

// Internal to expand-math: functions of float32 as arithmetic, one operation for each operation of
// the C library's function. `value` is a scalar or a vector of float32.

namespace tenon {

/// Builds one expression whose steps are variables.
class Steps {
 public:
  Steps(const IntrinBuilder& make, DataType dtype) : make_(make), dtype_(dtype) {}

  const Expr* Number(double value) const { return make_.Float(dtype_, value); }
  /// The Horner scheme: c[0] + x * (c[1] + x * (c[2] + ...)).
  const Expr* Polynomial(std::span<const double> coefficients, const Expr* x) const {
    const Expr* sum = Number(coefficients.back());
    for (size_t i = coefficients.size() - 1; i-- > 0;)
      sum = make_.Add(Number(coefficients[i]), make_.Mul(x, sum));
    return sum;
  }
  /// A variable that has the value.
  const Expr* Bind(std::string_view name, const Expr* value) {
    const Var* var = make_.nodes().NewVar(name, value->dtype, make_.range());
    steps_.emplace_back(var, value);
    return var;
  }
  /// `result` after all steps.
  const Expr* Finish(const Expr* result) const {
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step)
      result = make_.nodes().New<Let>(make_.range(), step->first, step->second, result);
    return result;
  }

 private:
  const IntrinBuilder& make_;
  const DataType dtype_;
  std::vector<std::pair<const Var*, const Expr*>> steps_;
};

/// tanhf of fdlibm 5.3 (Sun Microsystems, s_tanh.c and s_expm1.c).
const Expr* ExpandTanh(const IntrinBuilder& make, const Expr* value);

/// The table of ExpandExp and ExpandErf: element i is the bits of 2^(i / 32) in float64, less
/// i << 47. The bits of 2^(k / 32) are element k mod 32 plus k << 47, for every integer k.
inline constexpr int64_t kPowers = 32;
std::array<int64_t, kPowers> PowersOfTwo();

/// expf of glibc 2.28 and newer, musl and newlib (Arm, optimized-routines, expf.c), on processors
/// with fused multiply-and-add: other processors differ for two of all arguments. `powers` is a
/// buffer with the table.
const Expr* ExpandExp(const IntrinBuilder& make, const Expr* value, const Buffer* powers);

/// erff of fdlibm 5.3 (Sun Microsystems, s_erf.c) with this expf.
const Expr* ExpandErf(const IntrinBuilder& make, const Expr* value, const Buffer* powers);

}  // namespace tenon

#endif  // TENON_PASSES_LOWERING_MATH_EXPANSIONS_H_
