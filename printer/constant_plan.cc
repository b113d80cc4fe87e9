#include "printer/constant_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "ir/attributes.h"
#include "ir/visitor.h"
#include "printer/constant_text.h"
#include "printer/literal.h"
#include "printer/metadata_refs.h"
#include "support/check.h"
#include "support/hash.h"

namespace tenon {
namespace {

// True for objects with a special form; all others become metadata with all their contents.
bool PrintsInPlace(const ObjectAttr& object) {
  const std::string_view key = object.type_key.view();
  return key == "tir.usmp.AllocatedPoolInfo" || key == "ir.ConstantPoolInfo" ||
         key == "ir.ConstantInfo";
}

/// True if there is a text of several lines in a usual place: the message of an assertion, or a
/// call's argument. (Texts deeper in a computation print in place, unless there is other metadata.)
bool HasTexts(const Expr* expr) {
  if (const auto* text = dyn_cast_or_null<StringImm>(expr)) return HasLines(text->value);
  const auto* call = dyn_cast_or_null<Call>(expr);
  if (call == nullptr) return false;
  return std::any_of(call->args.begin(), call->args.end(), [](const Expr* arg) {
    if (const auto* inner = dyn_cast<Call>(arg)) {  // T.tvm_check_return(0, -1, T.call_extern(...))
      return std::any_of(inner->args.begin(), inner->args.end(), [](const Expr* text) {
        return isa<StringImm>(text) && HasLines(cast<StringImm>(text)->value);
      });
    }
    return isa<StringImm>(arg) && HasLines(cast<StringImm>(arg)->value);
  });
}

/// False if the constant has taken the bytes of another type or shape. Standard input cannot be
/// read again.
bool IsTensorOfFile(const Constant& constant) {
  const FileTensor* tensor = constant.source().tensor.get();
  return tensor != nullptr && tensor->dtype == constant.dtype() &&
         tensor->shape == constant.shape() && tensor->path != "<stdin>";
}

/// The file name of `source` for text in `folder`: absolute if it was, otherwise relative to
/// `folder`.
std::string NameFrom(const std::string& folder, const ConstantSource& source) {
  if (source.file.starts_with('/')) return source.file;
  // Resolve links first: `a/..` is the parent of the link's target, not of the link.
  TENON_CHECK(source.tensor != nullptr);
  const std::filesystem::path file(source.tensor->path);
  std::error_code error;
  const auto real = [&error](const std::filesystem::path& path) {
    return std::filesystem::weakly_canonical(path.empty() ? "." : path, error);
  };
  const std::filesystem::path from = real(folder);
  const std::filesystem::path home = error ? file : real(file.parent_path());
  if (error) return source.tensor->path;
  return (home / file.filename()).lexically_relative(from).string();
}

}  // namespace

ConstantPlan::ConstantPlan(const IRModule& module, const PrintOptions& options)
    : options_(options) {
  for (const Constant* constant : module.constants) Declare(constant, constant->name().view());
  Collect(module.attrs());
  Collect(module.global_infos());
  for (const Function& function : module.functions()) Collect(function.func);
}

// Visits statements and attributes; expressions contain no constants.
void ConstantPlan::Collect(const Node* node) {
  if (node == nullptr) return;
  if (const auto* allocate = dyn_cast<AllocateConst>(node)) {
    Use(allocate->data, allocate->buffer_var->name.view());
  } else if (const auto* constant = dyn_cast<ConstantAttr>(node)) {
    Use(constant->value, "constant");
    if (!index_.contains(constant->value)) refers_to_metadata_ = true;
  } else if (const auto* text = dyn_cast<StringAttr>(node)) {
    refers_to_metadata_ |= HasLines(text->value);
  } else if (const auto* evaluate = dyn_cast<Evaluate>(node)) {
    refers_to_metadata_ |= HasTexts(evaluate->value);
  } else if (const auto* assertion = dyn_cast<AssertStmt>(node)) {
    refers_to_metadata_ |= HasTexts(assertion->message);
  } else if (const auto* object = dyn_cast<ObjectAttr>(node)) {
    refers_to_metadata_ = true;
    if (!PrintsInPlace(*object)) return;
  }
  WithStack([&] {
    ForEachChild(node, [&](const Node* child, FieldRole) {
      if (!Expr::ClassOf(child) && !isa<Buffer>(child)) Collect(child);
    });
  });
}

ConstantPlan::Form ConstantPlan::FormOf(const Constant& constant) const {
  switch (constant.source().kind) {
    case ConstantSource::Kind::kSplat:
      return Form::kSplat;
    case ConstantSource::Kind::kSlice:
      return Form::kSlice;
    case ConstantSource::Kind::kHash:
      return Form::kHash;
    case ConstantSource::Kind::kBytes:
      break;
  }
  if (options_.constants == ConstantsMode::kElide) return Form::kHash;
  if (options_.constants == ConstantsMode::kKeep && IsTensorOfFile(constant)) return Form::kFile;
  const bool goes_aside = options_.constants == ConstantsMode::kSidecar &&
                          constant.size_bytes() >= options_.sidecar_threshold;
  return goes_aside ? Form::kFile : Form::kElements;
}

void ConstantPlan::Use(const Constant* constant, std::string_view hint) {
  if (constant == nullptr || index_.contains(constant)) return;
  const Symbol name = constant->name();
  if (!name.empty()) return Declare(constant, name.view());
  // Unnamed data prints inline if its elements describe it completely.
  const bool plain = constant->placement() == ConstantPlacement();
  if (!plain || FormOf(*constant) != Form::kElements) Declare(constant, hint);
}

void ConstantPlan::Declare(const Constant* constant, std::string_view hint) {
  if (index_.contains(constant)) return;
  // Bases first, starting with the innermost.
  std::vector<const Constant*> chain{constant};
  while (chain.back()->source().kind == ConstantSource::Kind::kSlice &&
         !index_.contains(chain.back()->source().base)) {
    TENON_CHECK(chain.back()->source().base != nullptr);
    chain.push_back(chain.back()->source().base);
  }
  for (size_t i = chain.size(); i > 0; --i) {
    const Constant* one = chain[i - 1];
    const std::string_view own = one->name().view();
    index_.emplace(one, entries_.size());
    entries_.push_back({one, UniqueName(own.empty() ? hint : own), FormOf(*one)});
    Entry& entry = entries_.back();
    if (!options_.find_tensor || one->source().kind != ConstantSource::Kind::kBytes) continue;
    entry.tensor = options_.find_tensor(*one);
    if (entry.tensor) entry.form = Form::kFile;
  }
}

std::string ConstantPlan::UniqueName(std::string_view hint) {
  std::string base(hint.empty() ? "constant" : hint);
  std::string name = base;
  for (int& suffix = next_suffix_[base]; !names_.insert(name).second;) {
    name = fmt::format("{}_{}", base, ++suffix);
  }
  return name;
}

const std::string* ConstantPlan::NameOf(const Constant* constant) const {
  const auto found = index_.find(constant);
  return found == index_.end() ? nullptr : &entries_[found->second].name;
}

void ConstantPlan::AppendData(const Entry& entry, const PrintOptions& options, Sink& sink) const {
  const Constant& constant = *entry.constant;
  const ConstantSource& source = constant.source();
  switch (entry.form) {
    case Form::kElements: {
      sink.Append('[');
      const absl::StatusOr<std::span<const uint8_t>> bytes = constant.Bytes();
      if (bytes.ok()) AppendConstantElements(*bytes, constant.dtype(), sink);
      return sink.Append(']');
    }
    case Form::kFile: {
      const bool keeps = options.constants == ConstantsMode::kKeep;
      sink.Append("I.file(");
      AppendQuoted(sink, entry.tensor ? entry.tensor->file
                         : keeps      ? NameFrom(options.text_folder, source)
                                      : options.sidecar_name);
      sink.Append(", ");
      AppendQuoted(sink, entry.tensor ? entry.tensor->tensor
                         : keeps      ? source.file_key
                                      : entry.name);
      return sink.Append(')');
    }
    case Form::kSlice:
      sink.Append("I.slice(");
      TENON_CHECK(NameOf(source.base) != nullptr);
      AppendQuoted(sink, *NameOf(source.base));
      sink.Append(", ");
      sink.AppendInt(source.offset);
      return sink.Append(')');
    case Form::kSplat: {
      uint8_t element[sizeof(source.element)];
      std::memcpy(element, &source.element, sizeof(element));
      sink.Append("I.splat(");
      AppendConstantElements({element, static_cast<size_t>(constant.dtype().element_bytes())},
                             constant.dtype().element(), sink);
      return sink.Append(')');
    }
    case Form::kHash: {
      const absl::StatusOr<ContentHash> hash = constant.Hash();
      const Hash128 value{hash.ok() ? hash->high : 0, hash.ok() ? hash->low : 0};
      sink.Append("I.hash(\"");
      sink.Append(HashToString(value));
      return sink.Append("\")");
    }
  }
}

void ConstantPlan::AppendTable(const PrintOptions& options, Sink& sink) const {
  sink.Append(fmt::format("\"{}\": [", attr_key::kConstants));
  bool first = true;
  for (const Entry& entry : entries_) {
    if (!first) sink.Append(", ");
    first = false;
    sink.Append("I.constant(");
    AppendQuoted(sink, entry.name);
    sink.Append(", ");
    AppendData(entry, options, sink);
    sink.Append(", \"");
    sink.Append(entry.constant->dtype().ToString());
    sink.Append("\", [");
    const std::vector<int64_t>& shape = entry.constant->shape();
    for (size_t i = 0; i < shape.size(); ++i) {
      if (i != 0) sink.Append(", ");
      sink.AppendInt(shape[i]);
    }
    sink.Append(']');
    const ConstantPlacement& placement = entry.constant->placement();
    if (placement.alignment != 0) {
      sink.Append(", align=");
      sink.AppendInt(placement.alignment);
    }
    if (!placement.section.empty()) {
      sink.Append(", section=");
      AppendQuoted(sink, placement.section);
    }
    if (!placement.pools.empty()) {
      sink.Append(", pools=[");
      for (size_t i = 0; i < placement.pools.size(); ++i) {
        if (i != 0) sink.Append(", ");
        AppendQuoted(sink, placement.pools[i]);
      }
      sink.Append(']');
    }
    if (placement.address_significant) sink.Append(", address_significant=True");
    if (!placement.load.empty()) {
      sink.Append(", load=");
      AppendQuoted(sink, placement.load);
    }
    if (!placement.codec.empty()) {
      sink.Append(", codec=");
      AppendQuoted(sink, placement.codec);
    }
    sink.Append(')');
  }
  sink.Append(']');
}

}  // namespace tenon
