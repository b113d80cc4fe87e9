#include "compile/run/run_entry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "parser/parser.h"

namespace tenon {
namespace {

/// Runs code of the interface `interface` as the entry `y[0] = x[0]`, both of 4 bytes; the errors.
std::string RunWith(const EmittedC& interface, bool& was_run) {
  Context context;
  Diagnostics diagnostics;
  const std::optional<IRModule> module = ParseModule(context, "m.py", R"(
@T.prim_func
def main(x: T.Buffer((4,), "int8"), y: T.Buffer((4,), "int8")):
    y[0] = x[0]
)",
                                                     nullptr, {}, diagnostics);
  const std::optional<EntrySignature> signature = ReadEntrySignature(*module, diagnostics);
  EntryCode code;
  code.map = [](std::span<void*>, std::span<void*>, EntryCode::Fields) {};
  code.run = [&](EntryCode::Fields inputs, EntryCode::Fields outputs, EntryCode::Fields) {
    was_run = true;
    *static_cast<char*>(outputs[0]) = *static_cast<const char*>(inputs[0]);
    return 0;
  };
  std::vector<std::string> values = {std::string(4, 'a'), {}};
  Runs runs;
  if (RunEntry(interface, *module, *signature, code, values, runs, diagnostics))
    EXPECT_EQ(values[1], std::string("a\0\0\0", 4));
  return Render(context.sources(), diagnostics);
}

EmittedC InterfaceOf(std::vector<std::pair<std::string, int64_t>> inputs,
                     std::vector<std::pair<std::string, int64_t>> outputs) {
  EmittedC interface;
  interface.input_mapped.resize(inputs.size());
  interface.output_mapped.resize(outputs.size());
  interface.inputs = std::move(inputs);
  interface.outputs = std::move(outputs);
  return interface;
}

TEST(RunEntry, RunsCodeThatTakesTheTensors) {
  bool was_run = false;
  EXPECT_EQ(RunWith(InterfaceOf({{"x", 4}}, {{"y", 4}}), was_run), "");
  EXPECT_TRUE(was_run);
}

TEST(RunEntry, RefusesCodeOfAnotherInterface) {
  for (const EmittedC& interface :
       {InterfaceOf({{"x", 4}, {"y", 4}}, {}), InterfaceOf({{"x", 4}}, {}),
        InterfaceOf({}, {{"y", 4}}), InterfaceOf({{"x", 4}}, {{"y", 8}}),
        InterfaceOf({{"x", 4}}, {{"y", 4}, {"z", 4}})}) {
    bool was_run = false;
    EXPECT_THAT(RunWith(interface, was_run),
                testing::HasSubstr("the compiled code does not take the inputs and outputs of the "
                                   "module that was given [run]"));
    EXPECT_FALSE(was_run);
  }
}

}  // namespace
}  // namespace tenon
