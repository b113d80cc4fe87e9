#ifndef TENON_IR_ROW_FEED_H_
#define TENON_IR_ROW_FEED_H_

#include <cstdint>
#include <optional>
#include <string>

#include "ir/builder.h"
#include "ir/function.h"

// An input of the entry whose rows come one after another. stream-operators writes a loop over
// these rows. make-row-feed then makes a function of the entry that continues with some rows.

namespace tenon {

/// The annotation of the loop over rows: attr_key::kFedRows.
struct FedRows {
  int64_t rows = 0;
  /// The elements of a row, and the parameter of the function that has the rows.
  int64_t row_elements = 0;
  int64_t param = 0;
};
std::optional<FedRows> ReadFedRows(const MapAttr* annotations);
const ArrayAttr* FedRowsAttr(NodeBuilder& builder, const FedRows& fed);

/// An attribute of the entry: attr_key::kRowFeed.
struct RowFeed {
  /// The name of the function that takes rows. Its parameters are those of the entry, then the
  /// number of the first row and the number of rows, both int32. The entry's input `param` is the
  /// address of the first row. Calls must pass all rows in order.
  std::string function;
  int64_t param = 0;
  int64_t rows = 0;
  int64_t row_bytes = 0;
};
std::optional<RowFeed> ReadRowFeed(const PrimFunc& entry);
const ArrayAttr* RowFeedAttr(NodeBuilder& builder, const RowFeed& feed);

}  // namespace tenon

#endif  // TENON_IR_ROW_FEED_H_
