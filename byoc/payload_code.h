#ifndef TENON_BYOC_PAYLOAD_CODE_H_
#define TENON_BYOC_PAYLOAD_CODE_H_

#include <string>
#include <vector>

#include "byoc/code_generator.h"
#include "ir/external_code.h"
#include "ir/module.h"

namespace tenon {

/// The problem with a payload, for a message; empty without one.
std::string PayloadProblem(const IRModule& module, const Payload& payload);

/// The constant of a payload: its bytes as uint8.
const Constant* PayloadConstant(Context& context, const Payload& payload);

/// The problem with an external function that a payload computes, for a message; empty without one.
std::string PayloadProblem(const Function& function);

/// The code of an external function that a payload computes.
struct PayloadCode {
  /// Its body calls a function of `files` with the payload and all arguments.
  Function tir;
  /// The C source of that function, which calls the run-time function, and the header that it
  /// includes.
  std::vector<EmittedFile> files;
};

/// Generates the code of a payload. `function` has the parameters of `code` for scratch memory and
/// state.
PayloadCode MakePayloadCode(Context& context, const Function& function, const ExternalCode& code,
                            const Payload& payload, const Constant* constant);

}  // namespace tenon

#endif  // TENON_BYOC_PAYLOAD_CODE_H_
