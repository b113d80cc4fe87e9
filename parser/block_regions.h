#ifndef TENON_PARSER_BLOCK_REGIONS_H_
#define TENON_PARSER_BLOCK_REGIONS_H_

#include "arith/analyzer.h"
#include "ir/builder.h"

namespace tenon {

/// Derives the regions that `block` reads and writes from the accesses of its body. TVM's parser
/// does the same if the text does not name them.
void DetectRegions(NodeBuilder& builder, Analyzer& analyzer, Block* block, bool reads, bool writes);

}  // namespace tenon

#endif  // TENON_PARSER_BLOCK_REGIONS_H_
