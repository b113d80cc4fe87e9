#include "frontends/onnx/wire.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "frontends/onnx/model.h"

namespace tenon::onnx {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using std::string_literals::operator""s;

const WirePlace kRoot{nullptr, "Root"};

/// All numbers of the repeated field 1.
std::vector<int64_t> Ints(WireFile& file) {
  WireMessage message(file, file.bytes(), kRoot);
  std::vector<int64_t> values;
  WireField field;
  while (message.Next(field))
    if (field.number == 1) message.Ints(field, "ints", values);
  return values;
}

std::vector<float> Floats(WireFile& file) {
  WireMessage message(file, file.bytes(), kRoot);
  std::vector<float> values;
  WireField field;
  while (message.Next(field))
    if (field.number == 1) message.Floats(field, "floats", values);
  return values;
}

TEST(WireTest, ReadsPackedAndUnpackedNumbers) {
  // 1, then 300 and -1 in one field, then a field of another number, then 2.
  const std::string bytes =
      "\x08\x01"
      "\x0a\x0c\xac\x02\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
      "\x12\x02xy"
      "\x08\x02"s;
  WireFile file(bytes);
  EXPECT_THAT(Ints(file), ElementsAre(1, 300, -1, 2));
  EXPECT_TRUE(file.ok()) << file.status();
}

TEST(WireTest, ReadsPackedAndUnpackedFloats) {
  const std::string bytes = "\x0d\0\0\x80\x3f\x0a\x08\0\0\0\x40\0\0\x40\x40"s;
  WireFile file(bytes);
  EXPECT_THAT(Floats(file), ElementsAre(1, 2, 3));
  EXPECT_TRUE(file.ok()) << file.status();
}

TEST(WireTest, SkipsFieldsOfEveryType) {
  // Fields 2 to 5: a varint, 8 bytes, bytes, 4 bytes; then field 1.
  const std::string bytes = "\x10\x7f\x19\0\0\0\0\0\0\0\0\x22\x01z\x2d\0\0\0\0\x08\x05"s;
  WireFile file(bytes);
  EXPECT_THAT(Ints(file), ElementsAre(5));
  EXPECT_TRUE(file.ok()) << file.status();
}

TEST(WireTest, EveryPrefixIsAFaultOrEndsBetweenFields) {
  const std::string bytes = "\x08\x01\x12\x02xy\x19\0\0\0\0\0\0\0\0\x2d\0\0\0\0"s;
  for (size_t size = 0; size < bytes.size(); ++size) {
    WireFile file(std::string_view(bytes).substr(0, size));
    Ints(file);
    const bool is_whole = size == 0 || size == 2 || size == 6 || size == 15;
    EXPECT_EQ(file.ok(), is_whole) << size;
  }
}

TEST(WireTest, RefusesWhatIsNotInTheFormat) {
  const auto fault = [](const std::string& bytes) {
    WireFile file(bytes);
    Ints(file);
    return std::string(file.status().message());
  };
  EXPECT_EQ(fault("\x0b"s), "Root: byte 0: expected a type of the wire format, found 3");
  EXPECT_EQ(fault("\x08\x01\0\0"s), "Root: byte 2: expected the number of a field, found 0");
  EXPECT_EQ(fault("\x12\x05xy"s),
            "Root: byte 0: expected 5 bytes for field 2, found the end after 2");
  EXPECT_EQ(fault("\x0d\0\0\0\0"s), "Root.ints: expected a length and bytes, found 4 bytes");
  // Eleven bytes that each say that another one follows.
  EXPECT_EQ(fault("\x08" + std::string(11, '\xff')),
            "Root: byte 0: expected a varint, found the end");
  EXPECT_EQ(fault("\x0a\x01\x80"s), "Root.ints: expected a varint, found the end");
}

TEST(WireTest, KeepsTheFirstFault) {
  const std::string bytes = "\x08\x01";
  WireFile file(bytes);
  file.Fail("first", "message");
  file.Fail("second", "message");
  EXPECT_EQ(file.status().message(), "first: message");
  EXPECT_THAT(Ints(file), IsEmpty());
}

TEST(WireTest, LimitsTheMemoryOfLists) {
  // Each byte is an element of 8 bytes.
  std::string bytes = "\x0a\x80\x80\x80\x04"s;  // 2^23 bytes
  bytes += std::string(size_t{1} << 23, '\x01');
  WireFile file(bytes);
  EXPECT_THAT(Ints(file), IsEmpty());
  EXPECT_THAT(std::string(file.status().message()), HasSubstr("Root.ints: expected at most"));
}

TEST(ModelTest, LimitsTheDepthOfGraphs) {
  // A graph with a node with an attribute with a graph, and so on.
  std::string graph;
  const auto in_field = [](char tag, const std::string& part) {
    std::string size;
    size_t rest = part.size();
    for (; rest >= 0x80; rest >>= 7) size += static_cast<char>(rest % 0x80 + 0x80);
    size += static_cast<char>(rest);
    return tag + size + part;
  };
  for (int i = 0; i < 40; ++i) graph = in_field('\x0a', in_field('\x2a', in_field('\x32', graph)));
  const std::string bytes = in_field('\x3a', graph);
  WireFile file(bytes);
  ReadModelProto(file);
  EXPECT_THAT(std::string(file.status().message()),
              HasSubstr("expected at most 64 messages within each other, found more"));
}

TEST(ModelTest, ReadsTypedElementsInEveryOrder) {
  // int32_data of -1 and 2, packed, before the type int8 and the extent.
  const std::string tensor =
      "\x2a\x0b\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x02\x10\x03\x08\x02"s;
  const std::string graph = "\x2a" + std::string(1, static_cast<char>(tensor.size())) + tensor;
  const std::string bytes = "\x3a" + std::string(1, static_cast<char>(graph.size())) + graph;
  WireFile file(bytes);
  const ModelProto model = ReadModelProto(file);
  ASSERT_TRUE(file.ok()) << file.status();
  ASSERT_EQ(model.graph->initializers.size(), 1U);
  EXPECT_EQ(model.graph->initializers[0].bytes, "\xff\x02"s);
  EXPECT_THAT(model.graph->initializers[0].dims, ElementsAre(2));
}

}  // namespace
}  // namespace tenon::onnx
