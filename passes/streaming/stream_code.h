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

/// Adds a function to the module, unless it is there already, under a name like the wanted one.
using StreamNamer = std::function<Symbol(const std::string& wanted, const PrimFunc* func,
                                         const std::shared_ptr<const Storage>& storage)>;

/// Writes the loops of a group.
StreamCode MakeStreamCode(Context& context, const StreamProgram& program, const StreamGroup& group,
                          const Function& entry, const StreamNamer& name_of);

}  // namespace tenon

#endif  // TENON_PASSES_STREAMING_STREAM_CODE_H_
