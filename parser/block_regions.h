#ifndef TENON_PARSER_BLOCK_REGIONS_H_
#define TENON_PARSER_BLOCK_REGIONS_H_

#include "arith/analyzer.h"
#include "ir/builder.h"

namespace tenon {

/// Fills in what `block` reads and writes from the accesses of its body, as TVM's parser does where
/// the text does not say it.
void DetectRegions(NodeBuilder& builder, Analyzer& analyzer, Block* block, bool reads, bool writes);

}  // namespace tenon

#endif  // TENON_PARSER_BLOCK_REGIONS_H_
