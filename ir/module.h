#ifndef TENON_IR_MODULE_H_
#define TENON_IR_MODULE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/context.h"
#include "ir/function.h"

namespace tenon {

/// The TVM release whose spelling a text follows. The parser sets it and the printer uses it.
/// ir/dialect.h has the table of differences, and docs/reference/text_format.md says how a text
/// shows its release.
enum class Dialect : uint8_t {
  // The dialect `tir`. The parser chooses the oldest release that fits the text.
  kV015,  ///< `T.ret(x)`, `T.float32(1)`
  kV016,  ///< `return x`
  kV018,  ///< `T.float32(1.0)`, boxed bools in targets
  // The dialect `tirx`. Without a form that shows the release, the parser chooses the newest.
  kV025,  ///< `T.match_buffer(a, (n,))`
  kV026,  ///< `A: T.Buffer(("n",), "float32")`
  kV027,  ///< `n = TypeVar("n")`, `A[T.Ramp(0, 1, 4)]`, `a >> b`
};

/// A module: named functions, attributes, and declared constants. Cheap to copy: versions share
/// storage.
class IRModule {
 public:
  explicit IRModule(Context& context);
  // In module.cc, because half of all sources copy modules.
  IRModule(const IRModule&);
  IRModule(IRModule&&) noexcept;
  IRModule& operator=(const IRModule&);
  IRModule& operator=(IRModule&&) noexcept;
  ~IRModule();

  Context& context() const { return *context_; }

  /// The class name in the text.
  Symbol name;
  Dialect dialect = Dialect::kV015;
  /// True for a text that holds one function outside a class.
  bool bare_function = false;

  /// Functions in the order of the text.
  const std::vector<Function>& functions() const { return functions_; }
  /// The function called `name`, or null.
  const Function* Find(Symbol name) const;
  /// The function whose name or global symbol is `text`, or null: what call_extern and call_cpacked
  /// refer to.
  const Function* FindCallee(std::string_view text) const;
  /// Adds a function; its name must be new.
  void Add(Function function);
  /// Replaces the function of the same name.
  void Update(Function function);
  void Remove(Symbol name);
  /// The entry: `__tvm_main__`, a function with a `runner_function` or `tir.is_entry_func`
  /// attribute, `main`, or the only function that make-entry did not add; else null.
  const Function* Main() const;

  /// `I.module_attrs` without the constants table; never null.
  const MapAttr* attrs() const { return attrs_; }
  /// `I.module_global_infos`; null if absent.
  const MapAttr* global_infos() const { return global_infos_; }
  /// Sets attributes whose nodes live in `storage`.
  void SetAttrs(const MapAttr* attrs, std::shared_ptr<const Storage> storage);
  void SetGlobalInfos(const MapAttr* infos, std::shared_ptr<const Storage> storage);

  /// The module's table of named constants ("tenon.constants"), in order.
  std::vector<const Constant*> constants;

 private:
  void IndexSymbol(size_t position);

  Context* context_;
  std::vector<Function> functions_;
  absl::flat_hash_map<Symbol, size_t> index_;
  /// The first function of each global symbol.
  absl::flat_hash_map<Symbol, size_t> symbol_index_;
  const MapAttr* attrs_;
  const MapAttr* global_infos_ = nullptr;
  std::vector<std::shared_ptr<const Storage>> storage_;
};

}  // namespace tenon

#endif  // TENON_IR_MODULE_H_
