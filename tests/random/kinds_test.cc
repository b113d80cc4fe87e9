// The generator makes every kind of node, and each maker makes its kind.

#include <set>

#include "ir/rewriter.h"
#include "ir/structural.h"
#include "random/check.h"

namespace tenon::random_ir {
namespace {

std::set<NodeKind> KindsOf(const IRModule& module) {
  std::set<NodeKind> kinds;
  for (const Function& function : module.functions()) {
    Walk(function.func, [&](const Node* node) {
      kinds.insert(node->kind);
      return true;
    });
  }
  return kinds;
}

constexpr NodeKind kAllKinds[] = {
#define TENON_EXPR(Name) NodeKind::k##Name,
#define TENON_STMT(Name) NodeKind::k##Name,
#define TENON_ATTR(Name) NodeKind::k##Name,
#define TENON_PART(Name) NodeKind::k##Name,
#include "ir/nodes.def"
};

/// A rewriter that changes nothing.
class Identity : public Rewriter<Identity> {
 public:
  using Rewriter::Rewriter;
};

TEST(RandomKinds, EveryKindOfNodeComesUpAndGoesThroughWhatAnyNodeGoesThrough) {
  std::set<NodeKind> seen;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    ModuleOptions options;
    options.any_node = true;
    Context context;
    const IRModule module = MakeModule(context, seed, options);
    seen.merge(KindsOf(module));
    PrintOptions generic;
    generic.generic = true;
    EXPECT_FALSE(PrintModule(module, generic).empty());
    EXPECT_FALSE(PrintModule(module).empty());
    Context other;
    const IRModule again = MakeModule(other, seed, options);
    EXPECT_EQ(PrintModule(module, generic), PrintModule(again, generic));
    EXPECT_EQ(StructuralHash(module), StructuralHash(again)) << seed;
    Difference difference;
    EXPECT_TRUE(StructuralEqual(module, again, &difference)) << seed << " " << difference.path;
    for (const Function& function : module.functions()) {
      const Function now = RewriteFunction<Identity>(context, function);
      EXPECT_EQ(now.func, function.func);
    }
  }
  for (const NodeKind kind : kAllKinds) {
    EXPECT_TRUE(seen.contains(kind)) << NodeKindName(kind) << " never came up";
  }
}

TEST(RandomKinds, ModulesThatRunHoldAllThatCanRun) {
  std::set<NodeKind> seen;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    Context context;
    seen.merge(KindsOf(MakeModule(context, seed)));
  }
  static constexpr NodeKind kNot[] = {
      NodeKind::kProducerLoad,  NodeKind::kProducerStore, NodeKind::kProducerRealize,
      NodeKind::kReduce,        NodeKind::kCommReducer,   NodeKind::kAny,
      NodeKind::kBufferRealize, NodeKind::kBufferAttr,    NodeKind::kGlobalVarAttr,
      NodeKind::kConstantAttr,  NodeKind::kBoolAttr,      NodeKind::kIntAttr,
      NodeKind::kFloatAttr,     NodeKind::kObjectAttr};
  for (const NodeKind kind : kAllKinds) {
    const bool left_out = std::find(std::begin(kNot), std::end(kNot), kind) != std::end(kNot);
    EXPECT_EQ(seen.contains(kind), !left_out) << NodeKindName(kind);
  }
}

TEST(RandomKinds, ModulesAreWellFormedAndRun) {
  const Seeds seeds(300);
  for (uint64_t seed = seeds.first; seed < seeds.end; ++seed) {
    Sample sample(seed);
    ASSERT_TRUE(VerifyModule(sample.module, sample.diagnostics))
        << sample.Messages() << PrintModule(sample.module);
    ASSERT_TRUE(sample.Run(sample.module).has_value())
        << sample.Messages() << PrintModule(sample.module);
  }
}

}  // namespace
}  // namespace tenon::random_ir
