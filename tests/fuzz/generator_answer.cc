#include "byoc/generators/program/answer.h"
#include "ir/module.h"
#include "ir/verifier.h"
#include "tests/fuzz/target.h"

// Answers of programs that are code generators. The functions of an accepted answer are valid.

namespace tenon::fuzz {

bool TakeInput(std::string_view input) {
  Context context;
  Diagnostics diagnostics;
  const auto file = context.sources().Add("<answer>", input, nullptr);
  Require(file.ok(), "the text is too long");
  // The reader of the other answer shares its checks with this one.
  Diagnostics supports;
  Judge(ReadSupportsAnswer(**file, 1, supports).has_value(), context.sources(), supports);
  const FunctionConstant constant = {
      context.AddConstant(context.Intern("w"), DataType::UInt(8), {1}, std::vector<uint8_t>{0}),
      "w",
      {}};
  Diagnostics pack;
  const auto packed = ReadPackAnswer(**file, {&constant, 1}, "/nonexistent", pack);
  Judge(packed.has_value(), context.sources(), pack);
  const auto code = ReadGenerateAnswer(context, **file, "npu", "/nonexistent", diagnostics);
  if (!Judge(code.has_value(), context.sources(), diagnostics)) return false;
  IRModule module(context);
  for (const Function& function : code->tir) module.Add(function);
  Require(VerifyModule(module, diagnostics), "the functions are not valid");
  return true;
}

}  // namespace tenon::fuzz
