#include "ir/analysis/node_queries.h"

#include "ir/visitor.h"

namespace tenon {

bool Mentions(const Node* root, const Var* var) {
  bool found = false;
  Walk(root, [&](const Node* node) {
    found |= node == var;
    return !found;
  });
  return found;
}

size_t NodeCount(const Node* root) {
  size_t count = 0;
  Walk(root, [&](const Node*) {
    ++count;
    return true;
  });
  return count;
}

}  // namespace tenon
