#include "ir/analysis/call_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "ir/builtins.h"
#include "test_function.h"

namespace tenon {
namespace {

using testing::ElementsAre;

class CallGraphTest : public testing::Test {
 protected:
  /// Adds a function that calls others, in this order.
  void Add(std::string_view name, const std::vector<std::string>& callees) {
    TestFunction f(context_);
    std::vector<const Stmt*> calls{f.b.New<Evaluate>({}, f.b.Int(0))};
    for (const std::string& callee : callees) {
      const Expr* args[] = {f.b.String(callee), f.A->data, f.B->data};
      calls.push_back(
          f.b.New<Evaluate>({}, f.b.New<Call>({}, DataType::Int(32), Op::Get(OpKind::kCallExtern),
                                              f.b.arena().Copy(Span<const Expr*>(args)))));
    }
    module_.Add(f.Finish(name, f.b.Seq({calls.data(), calls.size()}), name));
  }
  std::vector<std::string> Names(const std::vector<size_t>& order) const {
    std::vector<std::string> names;
    for (const size_t index : order) names.emplace_back(module_.functions()[index].name.view());
    return names;
  }

  Context context_;
  IRModule module_{context_};
};

TEST_F(CallGraphTest, CalleesComeBeforeTheirCallers) {
  Add("a", {"c", "b"});
  Add("b", {"d", "printf"});
  Add("c", {});
  Add("d", {"c"});
  const CallGraph graph(module_);
  EXPECT_THAT(Names(graph.CalleesFirst()), ElementsAre("c", "d", "b", "a"));
  EXPECT_THAT(Names(graph.CalleesFirst(graph.IndexOf(context_.Intern("d")))),
              ElementsAre("c", "d"));
  EXPECT_FALSE(graph.IsCalled(0));
  EXPECT_TRUE(graph.IsCalled(3));
}

TEST_F(CallGraphTest, ReachesWhatTheEntryCalls) {
  Add("unused", {"shared"});
  Add("last", {});
  Add("shared", {});
  Add("main", {"last", "shared"});
  const CallGraph graph(module_);
  // The order of all functions, which begins with `unused` and its callee.
  EXPECT_THAT(Names(graph.Reached()), ElementsAre("shared", "last", "main"));
  std::vector<std::string> names;
  for (const Function* function : ReachedFunctions(module_))
    names.emplace_back(function->name.view());
  EXPECT_THAT(names, ElementsAre("last", "shared", "main"));
}

TEST_F(CallGraphTest, ReachesAllFunctionsWithoutAnEntry) {
  Add("a", {"b"});
  Add("b", {});
  EXPECT_THAT(Names(CallGraph(module_).Reached()), ElementsAre("b", "a"));
  EXPECT_EQ(ReachedFunctions(module_).size(), 2);
}

TEST_F(CallGraphTest, OrdersFunctionsAroundRecursion) {
  Add("f", {"g", "h", "leaf"});
  Add("g", {"f"});
  Add("h", {"f"});
  Add("leaf", {});
  Add("caller", {"g"});
  const CallGraph graph(module_);
  EXPECT_THAT(Names(graph.CalleesFirst()), ElementsAre("g", "h", "leaf", "f", "caller"));
  // The root is last, even if other functions call it.
  EXPECT_THAT(Names(graph.CalleesFirst(1)), ElementsAre("h", "leaf", "f", "g"));
  EXPECT_NE(graph.Recursion(0), nullptr);
  EXPECT_NE(graph.Recursion(2), nullptr);
  EXPECT_EQ(graph.Recursion(3), nullptr);
  EXPECT_EQ(graph.Recursion(4), nullptr);
}

}  // namespace
}  // namespace tenon
