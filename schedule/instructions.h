#ifndef TENON_SCHEDULE_INSTRUCTIONS_H_
#define TENON_SCHEDULE_INSTRUCTIONS_H_

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "ir/dtype.h"

// The rows of schedule/instructions.def.

namespace tenon {

/// The way in which the innermost steps of a sum are added.
enum class Combine : uint8_t {
#define TENON_COMBINE(Name, word, steps, Data, Weight, meaning) k##Name,
#include "schedule/instructions.def"
};

/// An instruction that adds products to a sum.
enum class Instruction : uint8_t {
#define TENON_INSTRUCTION(Name, name, Combine, steps, processors, use) k##Name,
#include "schedule/instructions.def"
};

/// The row of a Combine in instructions.def.
struct CombineFacts {
  Combine combine;
  /// The word in a schedule; empty for kNothing.
  std::string_view word;
  /// Neighbouring steps of a sum that are added at once.
  int64_t steps;
  /// The types of the factors that are multiplied: of the data, and of the constant. kNothing takes
  /// all types.
  DataType data;
  DataType weight;
};

inline constexpr CombineFacts kCombines[] = {
#define TENON_COMBINE(Name, word, steps, Data, Weight, meaning) \
  {Combine::k##Name, word, steps, DataType::Data, DataType::Weight},
#include "schedule/instructions.def"
};

/// The row of an Instruction in instructions.def.
struct InstructionFacts {
  Instruction instruction;
  std::string_view name;
  Combine combine;
};

inline constexpr InstructionFacts kInstructions[] = {
#define TENON_INSTRUCTION(Name, name, Way, steps, processors, use) \
  {Instruction::k##Name, name, Combine::k##Way},
#include "schedule/instructions.def"
};

constexpr const CombineFacts& FactsOf(Combine combine) {
  return kCombines[static_cast<uint8_t>(combine)];
}

/// The number of steps of a sum that are added at once.
constexpr int64_t StepsOf(Combine combine) { return FactsOf(combine).steps; }

/// The way that the word names; nullopt for other words.
constexpr std::optional<Combine> FindCombine(std::string_view word) {
  for (const CombineFacts& facts : kCombines) {
    if (facts.word == word && !word.empty()) return facts.combine;
  }
  return std::nullopt;
}

inline constexpr CombineFacts kPair = FactsOf(Combine::kPairs);
inline constexpr CombineFacts kQuad = FactsOf(Combine::kQuads);

/// True if each lane of a vector adds up a separate sum.
constexpr bool IsInLanes(Combine combine) { return combine <= Combine::kQuads; }

/// True if a factor of type `from` has the type that the instruction multiplies, or can be extended
/// to it.
constexpr bool Extends(DataType from, DataType to) {
  return from == to || (to.is_int() && from.is_integer() && from.is_scalar() && from.bits() >= 8 &&
                        from.bits() < to.bits());
}

/// True if an instruction computes the sum of several products of neighbouring elements.
constexpr bool IsDotProduct(Combine combine) {
  return combine >= Combine::kDots4 && combine <= Combine::kDots16;
}

/// A set of instructions.
class InstructionSet {
 public:
  constexpr InstructionSet() = default;
  constexpr InstructionSet(std::initializer_list<Instruction> instructions) {
    for (const Instruction one : instructions) Add(one);
  }

  constexpr void Add(Instruction one) { bits_ |= uint32_t{1} << static_cast<uint8_t>(one); }
  constexpr bool Has(Instruction one) const {
    return (bits_ >> static_cast<uint8_t>(one) & 1) != 0;
  }
  /// True if one of the instructions adds products in this way.
  constexpr bool Has(Combine combine) const {
    for (const InstructionFacts& facts : kInstructions) {
      if (facts.combine == combine && Has(facts.instruction)) return true;
    }
    return false;
  }

  bool operator==(const InstructionSet&) const = default;

 private:
  uint32_t bits_ = 0;
};

}  // namespace tenon

#endif  // TENON_SCHEDULE_INSTRUCTIONS_H_
