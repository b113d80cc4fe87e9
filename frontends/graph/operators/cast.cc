// CAST: conversion of numbers to another type. Floats are cut and saturated; NaN gives the largest
// integer, as in TensorFlow Lite.

#include <cmath>

#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"

namespace tenon::graph {

absl::Status BuildCast(OperatorCode& code) {
  if (absl::Status status = CheckUnary(code); !status.ok()) return status;
  const DataType to = code.output().dtype;
  const bool saturates = code.input(0).dtype.is_floating() && to.is_integer() && !to.is_bool();
  WriteEach(code, [&](Value x) {
    if (!saturates) return Cast(to, x);
    const double above = std::ldexp(1.0, to.is_int() ? to.bits() - 1 : to.bits());
    // NaN becomes the second operand.
    return Cast(to, Min(x, code.Number(x.dtype(), above)));
  });
  return absl::OkStatus();
}

}  // namespace tenon::graph
