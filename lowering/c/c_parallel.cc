// A parallel loop becomes a function for a range of iterations, and a struct has the variables that
// it uses. The function's locals have the same names, so that the body is the same text.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "analysis/loop_independence.h"
#include "ir/analysis/parallel_loops.h"
#include "lowering/c/c_internal.h"

namespace tenon::c_lowering {

bool FunctionEmitter::IsParallel(const For* loop) {
  if (state_.options.parallel == ParallelLoops::kSerial || is_in_threads_ || !RunsOnThreads(loop) ||
      !CountFitsInt64(analyzer_, loop->extent))
    return false;
  if (state_.constant_pools == nullptr) return true;
  // Functions check their constants and record the checked ones, which threads must not do.
  bool calls = false;
  Walk(loop->body, [&](const Node* node) {
    const auto* call = dyn_cast<Call>(node);
    calls |= call != nullptr && AsCallSite(state_.module, call).callee != nullptr;
    return !calls;
  });
  return !calls;
}

/// The variables of the enclosing function that a parallel loop uses. The loop's function has a
/// local variable of the same name for each, so that the body is the same text.
std::vector<FunctionEmitter::Captured> FunctionEmitter::Captures(const For* loop) {
  std::vector<Captured> captures;
  const PrimFunc& func = *function_.func;
  const std::vector<const Var*> vars = CapturedVars(loop);
  const std::vector<bool> alone =
      ReachedByParamAlone(func, state_.effects.Of(function_), roots_, vars);
  for (const Var* var : vars) {
    bool is_alone = false;
    for (size_t i = 0; i < func.params.size(); ++i) {
      const Buffer* buffer = func.buffers[i];
      if (func.params[i] != var && (buffer == nullptr || buffer->data != var)) continue;
      // A handle and the data of its buffer are one pointer of the buffer's type.
      if (buffer != nullptr) var = buffer->data;
      is_alone = alone[i];
      break;
    }
    const auto found = name_of_.find(var);
    // Constants and pools of the module are visible everywhere.
    if (found == name_of_.end() || global_vars_.contains(var)) continue;
    const std::string& name = found->second;
    const auto same = [&](const Captured& captured) { return captured.name == name; };
    if (std::any_of(captures.begin(), captures.end(), same)) continue;
    Captured& captured = captures.emplace_back();
    captured.name = name;
    if (!var->dtype.is_handle()) {
      captured.field = fmt::format("{} {}", CType(var->dtype), name);
      captured.local = fmt::format("const {}", captured.field);
      continue;
    }
    const bool is_const = IsConst(var);
    captured.field = PointerDeclarator(var, *var->type, is_const, /*restricted=*/false);
    captured.local =
        PointerDeclarator(var, *var->type, is_const, is_alone && restricted_names_.contains(name));
  }
  return captures;
}

/// The loop as a function for a range of its iterations.
std::string FunctionEmitter::LoopFunction(const For* loop, const std::string& name,
                                          const std::string& min,
                                          const std::vector<Captured>& captures) {
  const size_t names = names_.Mark();
  const std::string context = names_.Unique("context");
  const std::string begin = names_.Unique("begin");
  const std::string end = names_.Unique("end");
  const std::string counter = names_.Unique("n");
  const DataType dtype = loop->loop_var->dtype;
  std::string out = std::exchange(out_, {});
  const int indent = std::exchange(indent_, 1);
  Line(fmt::format("static int32_t {}(void* {}, int64_t {}, int64_t {}) {{", name, context, begin,
                   end));
  out_.erase(0, 2);
  if (captures.empty()) {
    Line(fmt::format("(void){};", context));
  } else {
    const std::string outer = names_.Unique("outer");
    Line(fmt::format("const struct {0}_vars* const {1} = (const struct {0}_vars*){2};", name, outer,
                     context));
    for (const Captured& captured : captures) {
      Line(fmt::format("{} = {}->{};", captured.local, outer, captured.name));
      if (captured.name != min) read_.erase(captured.name);
    }
  }
  const size_t after_captures = out_.size();
  // The function has pointers to the arrays outside of it.
  const absl::flat_hash_set<const Var*> arrays = std::exchange(arrays_, {});
  Line(fmt::format("for (int64_t {0} = {1}; {0} < {2}; ++{0}) {{", counter, begin, end));
  const std::string var = Declare(loop->loop_var);
  ++indent_;
  // If the sum may wrap, it is unsigned.
  const std::string_view sum = EndFits(loop) ? CType(dtype) : CType(DataType::UInt(dtype.bits()));
  Line(min == "0" ? fmt::format("const {0} {1} = ({0}){2};", CType(dtype), var, counter)
                  : fmt::format("const {0} {1} = ({0})(({4})({2}) + ({4}){3});", CType(dtype), var,
                                min, counter, sum));
  const size_t after_var = out_.size();
  --indent_;
  is_in_threads_ = true;
  Body(loop->body);
  is_in_threads_ = false;
  ++indent_;
  NoteIfUnread(var, after_var);
  --indent_;
  Line("}");
  for (const Captured& captured : captures) {
    NoteIfUnread(captured.name, after_captures);
    // The struct of captures reads it.
    read_.insert(captured.name);
  }
  arrays_ = arrays;
  Line("return 0;");
  out_ += "}\n\n";
  indent_ = indent;
  std::swap(out, out_);
  names_.Rewind(names);
  return out;
}

void FunctionEmitter::ParallelLoop(const For* loop) {
  const Analyzer::Scope scope(analyzer_);
  const size_t names = names_.Mark();
  const std::string_view base = loop->loop_var->name.view();
  Line("{");
  ++indent_;
  const int64_t* first = AsIntImm(loop->min);
  std::string min;
  std::vector<Captured> captures = Captures(loop);
  if (first != nullptr) {
    min = IntLiteral(*first, loop->min->dtype);
  } else {
    const std::string_view type = CType(loop->min->dtype);
    const std::string text = Expression(loop->min).text;
    min = names_.Unique(fmt::format("{}_begin", base));
    Line(fmt::format("const {} {} = {};", type, min, text));
    const std::string field = fmt::format("{} {}", type, min);
    read_.insert(min);
    captures.push_back({min, field, fmt::format("const {}", field)});
  }
  const std::string extent = Expression(loop->extent).text;
  analyzer_.BindLoop(loop);
  const std::string& function = state_.function_names.at(function_.name);
  const std::string name = state_.globals.Unique(fmt::format("{}_loop", function));
  const std::string vars = names_.Unique("vars");
  const std::string code = names_.Unique("code");
  std::string fields, values;
  for (const Captured& captured : captures) {
    fields += fmt::format("  {};\n", captured.field);
    values += fmt::format("{}{}", values.empty() ? "" : ", ", captured.name);
  }
  if (!captures.empty()) {
    loop_functions_ += fmt::format("struct {}_vars {{\n{}}};\n", name, fields);
    Line(fmt::format("struct {}_vars {} = {{{}}};", name, vars, values));
  }
  loop_functions_ += LoopFunction(loop, name, min, captures);
  Line(fmt::format("const int32_t {} = TENON_PARALLEL_FOR({}, {}, (int64_t)({}));", code, name,
                   captures.empty() ? "NULL" : "&" + vars, extent));
  const Type& result = *function_.func->ret_type;
  const bool gives_code =
      result.kind == Type::Kind::kVoid || result.value_dtype() == DataType::Int(32);
  Guarded(fmt::format("{} != 0", code),
          gives_code ? fmt::format("return {};", code) : "return -1;");
  --indent_;
  Line("}");
  names_.Rewind(names);
  state_.has_parallel_loops = true;
}

}  // namespace tenon::c_lowering
