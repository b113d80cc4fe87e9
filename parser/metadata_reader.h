#ifndef TENON_PARSER_METADATA_READER_H_
#define TENON_PARSER_METADATA_READER_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/builder.h"
#include "ir/record_schema.h"
#include "parser/metadata.h"
#include "support/json_reader.h"

namespace tenon {

/// Internal to parser/metadata.cc: one run of ParseMetadata. The walk over the graph has an
/// explicit stack. Each node is built once, after the nodes that it refers to (metadata_build.cc).
class MetadataReader {
 public:
  MetadataReader(Context& context, Arena& arena, std::string_view body, uint32_t source_base,
                 Diagnostics& diagnostics, MetadataTable* table)
      : context_(context),
        arena_(arena),
        builder_(context, arena),
        body_(body),
        source_base_(source_base),
        diagnostics_(diagnostics),
        table_(*table) {}

  bool Read();

 private:
  /// One node of the JSON list.
  struct Node {
    const JsonValue* json = nullptr;
    std::string_view type_key;
    enum class State : uint8_t { kNew, kOpen, kDone } state = State::kNew;
    const Attr* attr = nullptr;
    int64_t values = 1;  ///< number of attributes to which it unfolds
    int64_t depth = 1;
  };

  void Error(size_t offset, std::string message);
  bool ReadHeader();
  bool ReadNodes(const JsonValue::Array& nodes);
  void FindUnlistedFields();
  RecordFieldKind KindOf(const Node& node, std::string_view field) const;
  void BuildFrom(size_t root);
  void FillTable(const Attr* root);

  // The nodes that a node refers to.
  std::optional<size_t> IndexOf(const JsonValue& value);
  std::optional<size_t> IndexOfText(const JsonValue& value, std::string_view field,
                                    std::string_view text);
  void AppendList(const JsonValue* list, std::vector<size_t>* out);
  void AppendChildren(size_t index, std::vector<size_t>* out);

  // Values (metadata_build.cc).
  const Attr* Build(size_t index);
  const Attr* BuildRecord(const Node& node);
  const Attr* BuildField(const Node& node, const JsonMember& member);
  const Attr* BuildGuess(std::string_view text);
  const Attr* BuildArray(const Node& node);
  const Attr* BuildMap(const Node& node);
  const Attr* BuildString(const Node& node);
  const Attr* BuildImm(const Node& node);
  const Attr* BuildStringImm(const Node& node);
  const Attr* BuildBox(const Node& node);
  const Attr* BuildNdArray(const JsonValue& where, const std::string* base64);
  const Attr* BuildArrayAt(const JsonValue& value, std::string_view text);
  std::optional<std::string> Representation(const Node& node);
  const std::string* ScalarOf(const Node& node, std::string_view field);
  const MapAttr* SortedMap(std::vector<const MapItem*> items);
  const Attr* AttrAt(size_t index) const { return nodes_[index].attr; }
  const Attr* Nothing() { return builder_.New<NoneAttr>({}); }

  Context& context_;
  Arena& arena_;
  NodeBuilder builder_;
  std::string_view body_;
  uint32_t source_base_;
  Diagnostics& diagnostics_;
  MetadataTable& table_;
  std::optional<JsonValue> json_;
  std::vector<Node> nodes_;
  size_t root_ = 0;
  const JsonValue::Array* arrays_ = nullptr;  ///< b64ndarrays
  std::vector<const Attr*> array_attrs_;      ///< the attributes made from it
  UnlistedFields unlisted_;
  int errors_ = 0;
};

}  // namespace tenon

#endif  // TENON_PARSER_METADATA_READER_H_
