#ifndef TENON_PARSER_RELAX_CONSTANTS_H_
#define TENON_PARSER_RELAX_CONSTANTS_H_

#include "frontends/relax/function.h"
#include "parser/attr_reader.h"
#include "parser/constant_table.h"

namespace tenon {

/// Finds the data of the constants that `function` has only by number: in the metadata, or in the
/// file of ParseOptions::constants_from. False after errors.
bool FindRelaxConstants(ParseEnv& env, const AttrReader& attrs, ConstantTable& constants,
                        relax::Function& function);

}  // namespace tenon

#endif  // TENON_PARSER_RELAX_CONSTANTS_H_
