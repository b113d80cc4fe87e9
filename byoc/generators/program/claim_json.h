#ifndef TENON_BYOC_GENERATORS_PROGRAM_CLAIM_JSON_H_
#define TENON_BYOC_GENERATORS_PROGRAM_CLAIM_JSON_H_

#include <optional>
#include <string>

#include "byoc/op_info.h"
#include "ir/context.h"
#include "support/json_reader.h"
#include "support/json_writer.h"

// Claims in requests to programs that are code generators (docs/guide/generators.md).

namespace tenon {

/// Writes a claim.
void WriteClaim(JsonWriter& json, Context& context, const OpInfo& op);

/// Reads a claim that WriteClaim wrote. Nullopt if it is not a claim; `problem` then has the error.
std::optional<OpInfo> ReadClaim(const JsonValue& json, Context& context, std::string& problem);

}  // namespace tenon

#endif  // TENON_BYOC_GENERATORS_PROGRAM_CLAIM_JSON_H_
