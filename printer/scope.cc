#include "printer/scope.h"

#include <algorithm>
#include <string>

#include "ir/visitor.h"
#include "printer/literal.h"
#include "support/ascii.h"

namespace tenon {

namespace {

/// TVM's rule for bytes that names cannot contain; a name that starts with a digit gets an
/// underscore.
std::string FitName(std::string_view hint, const Node* node) {
  if (hint.empty()) return isa<Buffer>(node) ? "buffer" : "v";
  return ascii::AsWord(hint);
}

/// True if `stmt` defines a variable in the fields of `buffer`. The buffer then cannot precede the
/// statement, where TVM puts it if the statement is the whole body of a branch.
bool NeedsWhatItDefines(const Node* buffer, const Node* stmt) {
  if (stmt == nullptr || !isa<Buffer>(buffer)) return false;
  bool needs = false;
  ForEachChild(stmt, [&](const Node* defined, FieldRole role) {
    if (role != FieldRole::kDef) return;
    ForEachChild(buffer, [&](const Node* field, FieldRole) {
      Walk(field, [&](const Node* node) {
        needs |= node == defined;
        return !needs;
      });
    });
  });
  return needs;
}

}  // namespace

void Scope::StartPlan(Symbol module_name) {
  phase_ = Phase::kPlan;
  module_name_ = module_name;
  renames_ = false;
  slot_ = 0;
  index_.clear();
  count_ = 0;
  implicit_.clear();
  frames_.clear();
  open_.clear();
  live_.clear();
  marks_.clear();
}

void Scope::StartPrint() {
  phase_ = Phase::kPrint;
  for (uint32_t index : implicit_) Place(index);
  std::stable_sort(implicit_.begin(), implicit_.end(),
                   [&](uint32_t a, uint32_t b) { return At(a).slot < At(b).slot; });
  for (uint32_t i = 0; i < count_; ++i) {
    Definition& definition = At(i);
    definition.live = false;
    definition.owner = nullptr;
  }
  next_implicit_ = 0;
  slot_ = 0;
  live_.clear();
  marks_.clear();
  names_.clear();
  if (!module_name_.empty()) names_.insert(module_name_);
}

/// Finds the statement of its frame that an implicit definition precedes.
void Scope::Place(uint32_t index) {
  Definition& definition = At(index);
  uint32_t frame = definition.first_frame;
  while (frame != definition.frame ||
         (frames_[frame].merged && !NeedsWhatItDefines(definition.node, frames_[frame].node))) {
    if (frame == definition.frame) definition.frame = frames_[frame].parent;
    definition.slot = frames_[frame].parent_slot;
    frame = frames_[frame].parent;
  }
  definition.defined_by_thread =
      definition.thread != nullptr && frames_[frame].node == definition.thread;
  if (definition.defined_by_thread) definition.slot = 0;
}

void Scope::OpenFrame(const Node* node) {
  marks_.push_back(live_.size());
  if (phase_ == Phase::kPrint) return;
  Frame frame;
  frame.node = node;
  if (!open_.empty()) {
    const Frame& parent = frames_[current_];
    frame.parent = current_;
    frame.parent_slot = parent.slot;
    frame.depth = parent.depth + 1;
    frame.merged = node == nullptr || parent.node == node;
  }
  current_ = static_cast<uint32_t>(frames_.size());
  frames_.push_back(frame);
  open_.push_back(current_);
}

void Scope::CloseFrame() {
  for (size_t i = live_.size(); i > marks_.back(); --i) {
    Definition& definition = At(live_[i - 1]);
    definition.live = false;
    if (phase_ == Phase::kPrint && definition.owner == nullptr) names_.erase(definition.name);
  }
  live_.resize(marks_.back());
  marks_.pop_back();
  if (phase_ == Phase::kPrint) return;
  open_.pop_back();
  current_ = frames_[current_].parent;
}

uint32_t Scope::EnterParent() {
  const uint32_t frame = current_;
  if (phase_ == Phase::kPlan) current_ = frames_[current_].parent;
  return frame;
}

std::span<const uint32_t> Scope::NextSlot() {
  ++slot_;
  if (phase_ == Phase::kPlan) {
    frames_[current_].slot = slot_;
    return {};
  }
  const size_t first = next_implicit_;
  while (next_implicit_ < implicit_.size() && At(implicit_[next_implicit_]).slot <= slot_) {
    ++next_implicit_;
  }
  return std::span(implicit_).subspan(first, next_implicit_ - first);
}

Definition& Scope::Get(const Node* node) {
  const auto [found, is_new] = index_.try_emplace(node, count_);
  return is_new ? Add(node) : At(found->second);
}

Definition& Scope::Add(const Node* node) {
  if (count_ == chunks_.size() * kChunk) chunks_.push_back(std::make_unique<Definition[]>(kChunk));
  Definition& definition = At(count_);
  if (definition.node != nullptr) definition = Definition();
  definition.node = node;
  definition.index = count_;
  ++count_;
  return definition;
}

bool Scope::IsLive(const Node* node) {
  const Definition* definition = Find(node);
  return definition != nullptr && definition->live;
}

Definition& Scope::Define(const Node* node, Symbol hint) {
  Definition& definition = Get(node);
  if (definition.live && definition.owner == nullptr) return definition;
  definition.live = true;
  definition.owner = nullptr;
  live_.push_back(definition.index);
  if (phase_ == Phase::kPrint) definition.name = UniqueName(hint, node);
  return definition;
}

void Scope::DefineField(const Var* var, const Buffer* owner, Definition::Part part, int stride,
                        bool lasting) {
  Definition& definition = Get(var);
  definition.live = true;
  definition.owner = owner;
  definition.part = part;
  definition.stride = stride;
  if (!lasting) live_.push_back(definition.index);
}

void Scope::TouchImplicit(Definition& definition) {
  if (fragment) return;
  if (!definition.implicit) {
    definition.implicit = true;
    definition.live = true;
    definition.frame = definition.first_frame = current_;
    definition.slot = frames_[current_].slot;
    implicit_.push_back(definition.index);
  }
  while (frames_[definition.frame].depth > frames_[current_].depth ||
         open_[frames_[definition.frame].depth] != definition.frame) {
    definition.frame = frames_[definition.frame].parent;
  }
  for (uint32_t part : definition.parts) TouchImplicit(At(part));
}

Symbol Scope::UniqueName(Symbol hint, const Node* node) {
  if (IsPlainName(hint.view()) && !IsReservedName(hint.view(), dialect_) &&
      names_.insert(hint).second) {
    return hint;
  }
  renames_ = true;
  const std::string base = FitName(hint.view(), node);
  Symbol name = made_up_.Intern(base);
  for (int i = 1; IsReservedName(name.view(), dialect_) || !names_.insert(name).second; ++i) {
    name = made_up_.Intern(base + "_" + std::to_string(i));
  }
  return name;
}

}  // namespace tenon
