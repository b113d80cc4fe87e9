#ifndef TENON_PASSES_STREAMING_STREAM_CODE_H_
#define TENON_PASSES_STREAMING_STREAM_CODE_H_

#include <functional>
#include <string>
#include <vector>

#include "ir/module.h"
#include "passes/streaming/stream_group.h"

namespace tenon {

/// The function of a group, and the arguments of its call.
struct StreamCode {
  const PrimFunc* func = nullptr;
  std::shared_ptr<Storage> storage;
  std::vector<const Var*> args;
};

/// Writes the loops of a group. `name_of` gives the name of a function that the module has then.
StreamCode MakeStreamCode(Context& context, const StreamProgram& program, const StreamGroup& group,
                          const Function& entry,
                          const std::function<Symbol(const StreamedOperator&, size_t)>& name_of);

}  // namespace tenon

#endif  // TENON_PASSES_STREAMING_STREAM_CODE_H_
