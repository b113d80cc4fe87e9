#include "compile/run/run_entry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "parser/parser.h"

namespace tenon {
namespace {

/// Runs code with this interface as the entry `y[0] = x[0]`, both of 4 bytes. Returns the errors.
std::string RunWith(const EntryAbi& abi, bool& was_run) {
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
  if (RunEntry(abi, *module, *signature, code, values, runs, diagnostics)) {
    EXPECT_EQ(values[1], std::string("a\0\0\0", 4));
  }
  return Render(context.sources(), diagnostics);
}

EntryField Field(const std::string& name, int64_t size_bytes) {
  return {name, size_bytes, /*is_mapped=*/false};
}

EntryAbi AbiOf(std::vector<EntryField> inputs, std::vector<EntryField> outputs) {
  EntryAbi abi;
  abi.inputs = std::move(inputs);
  abi.outputs = std::move(outputs);
  return abi;
}

TEST(RunEntry, RunsCodeThatTakesTheTensors) {
  bool was_run = false;
  EXPECT_EQ(RunWith(AbiOf({Field("x", 4)}, {Field("y", 4)}), was_run), "");
  EXPECT_TRUE(was_run);
}

TEST(RunEntry, RefusesCodeOfAnotherInterface) {
  for (const EntryAbi& abi : {AbiOf({Field("x", 4), Field("y", 4)}, {}), AbiOf({Field("x", 4)}, {}),
                              AbiOf({}, {Field("y", 4)}), AbiOf({Field("x", 4)}, {Field("y", 8)}),
                              AbiOf({Field("x", 4)}, {Field("y", 4), Field("z", 4)})}) {
    bool was_run = false;
    EXPECT_THAT(RunWith(abi, was_run),
                testing::HasSubstr("the compiled code does not take the inputs and outputs of the "
                                   "module that was given [run]"));
    EXPECT_FALSE(was_run);
  }
}

}  // namespace
}  // namespace tenon
