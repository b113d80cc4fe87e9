#ifndef TENON_PARSER_TIR_NAMES_H_
#define TENON_PARSER_TIR_NAMES_H_

#include <string_view>

#include "ir/context.h"
#include "ir/module.h"
#include "ir/node.h"
#include "support/arena.h"

namespace tenon {

/// The way in which a name after `T.` is read.
enum class TirForm : uint8_t {
  kOp,         ///< a builtin: TirName::op
  kDType,      ///< `T.int32`: TirName::dtype
  kHandle,     ///< `T.handle`
  kRawBinary,  ///< `T.Add`: TirName::kind, nothing folded or promoted
  kMatched,    ///< `T.min`: TirName::kind, promoted, not folded
  kOperator,   ///< `T.floordiv`: TirName::kind, as an operator
  kBitwise,    ///< `T.shift_left`: promoted, op
  kCeilDiv,
  kNot,
  kCast,
  kSmartCast,
  kSelect,
  kIfThenElse,
  kRamp,
  kBroadcast,
  kShuffle,
  kLet,
  kOldLet,
  kCall,
  kCallIntrin,  ///< `T.Call` with the arguments in a row
  kAbs,
  kRounding,  ///< floor and the like: integers stay
  kPow,
  kIsNan,
  kIsInf,
  kIsFinite,
  kPacked,  ///< call_packed and the like: buffers are packed
  kMinValue,
  kMaxValue,
  kInfinity,
  kStringImm,
  kIntImm,
  kFloatImm,
  kAny,
  kCommReducer,
  kReduce,
  kIndexMap,
  kIterVar,
  kRange,
  kVar,
  kMetaVar,
  kTarget,
  // Buffers.
  kBuffer,
  kDeclBuffer,
  kMatchBuffer,
  kAllocBuffer,
  kAllocStatement,  ///< of the dialect `tirx`: a statement that allocates a buffer
  kAllocScalar,
  kPtr,
  // Scopes.
  kAllocate,
  kAllocateConst,
  kLetStmt,
  kAttr,
  kAssert,
  kRealize,
  kLaunchThread,
  kEnvThread,
  kBlock,
  kInit,
  kProducerRealize,
  // Loops.
  kGrid,
  kSerial,
  kParallel,
  kVectorized,
  kUnroll,
  kThreadBinding,
  // Statements.
  kEvaluate,
  kPrefetch,
  kFuncAttr,
  kWhere,
  kReads,
  kWrites,
  kBlockAttr,
  kAxis,
  kBufferStore,
  kPrimFunc,
  kUnsupported,
};

struct TirName {
  std::string_view text;
  TirForm form = TirForm::kOp;
  NodeKind kind = NodeKind::kAdd;
  DataType dtype;
  const Op* op = nullptr;
};

/// The name after `T.` that is nearest to `text`, perhaps a misspelling of it; "" if none is near.
std::string_view NearestTirName(std::string_view text);

/// The meaning of `T.text` in `dialect`. Unknown names are builtins that stay opaque.
const TirName* FindTirName(std::string_view text, Dialect dialect, Context& context, Arena& arena);

}  // namespace tenon

#endif  // TENON_PARSER_TIR_NAMES_H_
