#ifndef TENON_IR_CONTEXT_H_
#define TENON_IR_CONTEXT_H_

#include <deque>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "ir/constant.h"
#include "ir/op.h"
#include "ir/types.h"
#include "support/interner.h"
#include "support/source.h"

namespace tenon {

/// Owns the data that functions and modules share: source texts, names, types, constants, unknown
/// builtins. All of it lives as long as the Context. Thread safe.
class Context {
 public:
  Context() = default;
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  SourceManager& sources() { return sources_; }
  const SourceManager& sources() const { return sources_; }

  Symbol Intern(std::string_view text) { return interner_.Intern(text); }

  const Type* PrimType(DataType dtype);
  const Type* PointerType(DataType element, Symbol scope);
  const Type* PointerType(DataType element, std::string_view scope) {
    return PointerType(element, Intern(scope));
  }
  const Type* VoidType() const { return &void_type_; }

  /// The builtin called `text`, or a new one of OpKind::kUnknown.
  const Op* OpNamed(std::string_view text);

  /// Makes a constant. The caller has checked that the source fits dtype and shape.
  const Constant* AddConstant(Symbol name, DataType dtype, std::vector<int64_t> shape,
                              ConstantSource source, ConstantPlacement placement = {},
                              SourceRange range = {});
  /// Makes a constant that owns `bytes`.
  const Constant* AddConstant(Symbol name, DataType dtype, std::vector<int64_t> shape,
                              std::vector<uint8_t> bytes, ConstantPlacement placement = {},
                              SourceRange range = {});

 private:
  const Type* Unique(const Type& type);

  SourceManager sources_;
  Interner interner_;
  std::mutex mutex_;
  std::deque<Type> types_;
  std::deque<Op> unknown_ops_;
  std::deque<Constant> constants_;
  Type void_type_;
};

}  // namespace tenon

#endif  // TENON_IR_CONTEXT_H_
