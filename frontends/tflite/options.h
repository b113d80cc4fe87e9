#ifndef TENON_FRONTENDS_TFLITE_OPTIONS_H_
#define TENON_FRONTENDS_TFLITE_OPTIONS_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "frontends/graph/graph.h"
#include "frontends/tflite/flatbuffer.h"

// The operators of the schema, by their numbers, and the fields of their tables of options:
// https://github.com/tensorflow/tflite-micro/blob/main/tensorflow/lite/schema/schema.fbs.

namespace tenon::tflite {

enum class OptionType : uint8_t {
  kInt,
  kBool,
  kByte,
  kFloat,
  kPadding,
  kActivation,
  kSumType,
  kIndexType,  ///< int32 or int64
  kInts,       ///< a list, which may be absent
  kText,
  kSubgraph,  ///< the number of a subgraph, which the operator runs
};

/// A field of a table of options, and the attribute that it becomes.
struct OptionField {
  int number;
  OptionType type;
  std::string_view name;
  double otherwise = 0;
};

/// An operator of the schema that graphs support.
struct OperatorRow {
  int32_t code;
  /// The operator's name in the graph.
  std::string_view kind;
  std::span<const OptionField> options;
  /// The number of its table in the union of all tables of options; 0 if no option is read.
  uint8_t options_type = 0;
  /// The activation that the operator computes, if it is one.
  std::string_view activation = {};
  /// The table is in the second union of tables.
  bool has_second_options = false;
};

/// The row of an operator's code, or null.
const OperatorRow* FindOperator(int32_t code);

/// All rows, in the order of their codes.
std::span<const OperatorRow> AllOperators();

/// The schema's name of an operator; `operator 999` for a code that it lacks.
std::string OperatorName(int32_t code);

/// The schema's name of a tensor's type; `type 99` for a number that it lacks.
std::string TypeName(int8_t type);

/// Reads a table of options, which may be absent.
graph::Attributes ReadOperatorOptions(const OperatorRow& row, const FlatTable& table);

}  // namespace tenon::tflite

#endif  // TENON_FRONTENDS_TFLITE_OPTIONS_H_
