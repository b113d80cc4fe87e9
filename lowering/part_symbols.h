#ifndef TENON_LOWERING_PART_SYMBOLS_H_
#define TENON_LOWERING_PART_SYMBOLS_H_

#include <string>
#include <vector>

#include "lowering/blob.h"

namespace tenon {

/// The symbols of a blob's parts (PartSymbol), empty for parts without a name. Later parts of one
/// name have numbers: `.weight.2`. Empty if the blob has one part, or very many.
std::vector<std::string> PartSymbols(const Blob& blob);

}  // namespace tenon

#endif  // TENON_LOWERING_PART_SYMBOLS_H_
