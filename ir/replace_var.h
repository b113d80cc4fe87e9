#ifndef TENON_IR_REPLACE_VAR_H_
#define TENON_IR_REPLACE_VAR_H_

#include <memory>
#include <utility>

#include "ir/rewriter.h"

namespace tenon {

/// Replaces `var` by `value`. Also replaces the variables that a pass adds to `var_map`.
class VarReplacer final : public Rewriter<VarReplacer> {
 public:
  VarReplacer(Context& context, std::shared_ptr<Storage> storage, const Var* var, const Expr* value)
      : Rewriter(context, std::move(storage)), var_(var), value_(value) {}
  const Expr* RewriteVar(const Var* var) { return var == var_ ? value_ : MapVar(var); }

 private:
  const Var* var_;
  const Expr* value_;
};

}  // namespace tenon

#endif  // TENON_IR_REPLACE_VAR_H_
