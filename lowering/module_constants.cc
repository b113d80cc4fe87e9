// An array of several constants takes its name and its element type from the largest one, if that
// is the whole array. So most arrays read as in the text, although others are parts of them.

#include "lowering/module_constants.h"

#include <utility>

#include "ir/analysis/constant_section.h"
#include "ir/visitor.h"
#include "support/check.h"
#include "support/status_macros.h"

namespace tenon {

ModuleConstants::ModuleConstants(const std::vector<const Function*>& functions,
                                 int64_t least_alignment) {
  std::vector<ConstantUse> uses;
  for (const Function* function : functions) {
    Walk(function->func->body, [&](const Node* node) {
      const auto* allocate = dyn_cast<AllocateConst>(node);
      if (allocate != nullptr && allocate->data != nullptr && allocate->data->has_bytes() &&
          index_.try_emplace(allocate, uses.size()).second) {
        allocations_.push_back(allocate);
        uses.push_back({allocate->data, AlignmentOf(*allocate->data, least_alignment)});
      }
      return Stmt::ClassOf(node);
    });
  }
  layout_ = LayOutConstants(uses);
}

/// The largest constant in the block if it is as large as the block, else the root.
ModuleConstants::Lender ModuleConstants::LenderOf(size_t block) const {
  const ConstantBlock& of = layout_.blocks[block];
  Lender lender;
  TENON_CHECK(of.largest_use < allocations_.size());
  lender.allocate = allocations_[of.largest_use];
  lender.is_all = lender.allocate->data->size_bytes() == of.size_bytes();
  lender.data = lender.is_all ? lender.allocate->data : of.data;
  TENON_CHECK(lender.data != nullptr);
  return lender;
}

DataType ModuleConstants::TypeOf(size_t block) const {
  const ConstantBlock& of = layout_.blocks[block];
  const Lender lender = LenderOf(block);
  const DataType element = lender.data->dtype().element();
  const int64_t width = lender.data->dtype().element_bytes();
  const bool is_whole = width > 0 && of.begin % width == 0 && of.end % width == 0;
  return lender.is_all || is_whole ? element : DataType::UInt(8);
}

absl::StatusOr<Blob> ModuleConstants::BlobOf(size_t block) const {
  const ConstantBlock& of = layout_.blocks[block];
  const Lender lender = LenderOf(block);
  TENON_ASSIGN_OR(const BlobPart part, PartOf(*lender.data, 0));
  const std::string_view own = lender.data->name().view();
  Blob blob;
  blob.name = own.empty() ? lender.allocate->buffer_var->name.view() : own;
  blob.dtype = TypeOf(block);
  blob.size_bytes = of.size_bytes();
  blob.alignment = of.alignment;
  blob.section = SectionOf(*of.data);
  blob.parts.push_back(SubPart(part, lender.is_all ? 0 : of.begin, blob.size_bytes));
  blob.parts[0].offset = 0;
  return blob;
}

absl::StatusOr<std::vector<BlobPart>> ModuleConstants::PartsIn(size_t block) const {
  std::vector<BlobPart> parts;
  for (size_t use = 0; use < allocations_.size(); ++use) {
    const ConstantLayout::Place place = layout_.places[use];
    if (place.block != block) continue;
    TENON_ASSIGN_OR(BlobPart part, PartOf(*allocations_[use]->data, place.offset));
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace tenon
