#ifndef TENON_IR_CONTEXT_H_
#define TENON_IR_CONTEXT_H_

#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "ir/constant.h"
#include "ir/op.h"
#include "ir/types.h"
#include "support/interner.h"
#include "support/source.h"

namespace tenon {

/// Owns the data that functions and modules share: source texts, names, types, constants, unknown
/// builtins. All of it lives as long as the Context, or until Reset(). Thread safe.
class Context {
 public:
  Context() : data_(std::make_unique<Data>()) {}
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /// Frees all of it. Modules, symbols, types, constants and source ranges of this context mean
  /// nothing afterwards: a program that reads many modules drops one before it reads the next. Not
  /// thread safe.
  void Reset() { data_ = std::make_unique<Data>(); }
  /// Bytes of the texts, names and constants. Mapped files do not count. Not thread safe.
  size_t bytes_held() const;

  SourceManager& sources() { return data_->sources; }
  const SourceManager& sources() const { return data_->sources; }

  Symbol Intern(std::string_view text) { return data_->interner.Intern(text); }

  const Type* PrimType(DataType dtype);
  const Type* PointerType(DataType element, Symbol scope);
  const Type* PointerType(DataType element, std::string_view scope) {
    return PointerType(element, Intern(scope));
  }
  const Type* VoidType() const { return &data_->void_type; }

  /// The builtin called `text`, or a new one of OpKind::kUnknown.
  const Op* OpNamed(std::string_view text);

  /// The number of constants that were made, and the files of those from number `first` on. Not
  /// thread safe.
  size_t constant_count() const { return data_->constants.size(); }
  std::vector<std::string> ConstantFiles(size_t first) const;

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

  struct Data {
    SourceManager sources;
    Interner interner;
    std::mutex mutex;
    std::deque<Type> types;
    std::deque<Op> unknown_ops;
    std::deque<Constant> constants;
    Type void_type;
  };
  std::unique_ptr<Data> data_;
};

}  // namespace tenon

#endif  // TENON_IR_CONTEXT_H_
