// CAST: conversion of numbers to another type.

#include "frontends/graph/elementwise.h"
#include "frontends/graph/operators.h"

namespace tenon::graph {

absl::Status BuildCast(OperatorCode& code) {
  if (absl::Status status = CheckUnary(code); !status.ok()) return status;
  WriteEach(code, [&](Value x) { return Cast(code.output().dtype, x); });
  return absl::OkStatus();
}

}  // namespace tenon::graph
