#include "parser/metadata.h"

#include <string>
#include <vector>

#include "printer/metadata_text.h"
#include "tests/fuzz/target.h"

// The literal of `metadata = tvm.ir.load_json("""...""")`. Accepted metadata is printed; the
// print is accepted, and printed again as the same text.

namespace tenon::fuzz {
namespace {

bool Parse(Context& context, Arena& arena, std::string_view body, MetadataTable* table) {
  Diagnostics diagnostics;
  const auto source = context.sources().Add("metadata", body, nullptr);
  Require(source.ok(), "no room for the source");
  const bool accepted = ParseMetadata(context, arena, body, (*source)->base(), diagnostics, table);
  return Judge(accepted, context.sources(), diagnostics);
}

std::string Print(const MetadataTable& table) {
  std::vector<MetadataObjects> objects;
  for (const std::string_view key : {"a", "b", "runtime.NDArray", "ir.WorkspacePoolInfo"}) {
    objects.push_back({key, {}});
    for (int64_t i = 0; i < table.CountOf(key); ++i) {
      objects.back().objects.push_back(table.Find(key, i));
    }
  }
  Sink sink;
  AppendMetadata(objects, "0.15.0", sink);
  return sink.Take();
}

}  // namespace

bool TakeInput(std::string_view input) {
  Context context;
  Arena arena;
  MetadataTable table;
  if (!Parse(context, arena, input, &table)) return false;
  const std::string printed = Print(table);
  const size_t begin = printed.find("\"\"\"") + 3;
  MetadataTable again;
  const std::string_view body = std::string_view(printed).substr(begin);
  Require(Parse(context, arena, body.substr(0, body.find("\"\"\"")), &again),
          "the print is refused");
  Require(Print(again) == printed, "the second print differs from the first");
  return true;
}

}  // namespace tenon::fuzz
