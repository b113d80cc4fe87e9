// A machine as text. The text depends only on the facts, so that tests can compare its lines.

#include "schedule/machine.h"

#include "fmt/format.h"

namespace tenon {

namespace {

std::string VectorsText(const Machine& machine) {
  if (machine.vector_bytes == 0) return "no registers";
  if (machine.register_bytes == 0)
    return fmt::format("registers of unknown width, {} bytes in all", machine.vector_bytes);
  std::string text =
      fmt::format("{} registers of {} bytes", machine.registers, machine.register_bytes);
  if (machine.vector_bytes != machine.all_register_bytes())
    text += fmt::format("; the back end prefers {} bytes in all", machine.vector_bytes);
  return text;
}

std::string InstructionsText(const Machine& machine) {
  std::string text;
  for (const InstructionFacts& facts : kInstructions) {
    if (!machine.instructions.Has(facts.instruction)) continue;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", facts.name);
    if (facts.combine != Combine::kNothing)
      text += fmt::format(" ({})", FactsOf(facts.combine).word);
  }
  return text.empty() ? "none of those that passes count on" : text;
}

}  // namespace

std::string MachineText(const Machine& machine) {
  std::string text = fmt::format("vectors:      {}\n", VectorsText(machine));
  if (machine.vector_bytes > 0) {
    const Caches& caches = machine.caches;
    text += fmt::format(
        "caches:       {} KB in {} ways, then {} KB; lines of {} bytes; as most processors have\n"
        "in a cycle:   {} loads and {} products; a sum can be used {} cycles later\n",
        caches.l1_bytes / 1024, caches.l1_ways, caches.l2_bytes / 1024, caches.line_bytes,
        machine.loads_per_cycle, machine.products_per_cycle, machine.latency);
  }
  return text + fmt::format("instructions: {}\n", InstructionsText(machine));
}

}  // namespace tenon
