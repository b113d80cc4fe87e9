#ifndef TENON_LOWERING_OPERATOR_NOTE_H_
#define TENON_LOWERING_OPERATOR_NOTE_H_

#include <string>

namespace tenon {

/// An operator of a model (ir/analysis/entry_steps.h), for comments and hooks of generated code.
struct OperatorNote {
  /// An identifier.
  std::string name;
  /// Shapes, and the number of multiplications.
  std::string text;
};

}  // namespace tenon

#endif  // TENON_LOWERING_OPERATOR_NOTE_H_
