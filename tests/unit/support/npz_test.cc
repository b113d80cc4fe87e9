#include "support/npz.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "support/file.h"
#include "support/little_endian.h"
#include "tests/unit/support/io_test_util.h"

namespace tenon {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string Deflate(const std::string& bytes) {
  std::string out(compressBound(static_cast<uLong>(bytes.size())) + 64, '\0');
  z_stream stream = {};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

/// A member of an archive. Tests set fields to wrong values.
struct Member {
  std::string name;
  std::string bytes;
  bool deflated = false;
  int64_t size = -1;
  int64_t compressed_size = -1;
  int64_t header = -1;
  int method = -1;
  int flags = 0;
  std::string local_name = {};
  bool zip64 = false;
};

class Archive {
 public:
  Archive& Add(const Member& member) {
    const std::string data = member.deflated ? Deflate(member.bytes) : member.bytes;
    const auto method = static_cast<uint16_t>(member.method >= 0 ? member.method
                                              : member.deflated  ? 8
                                                                 : 0);
    const auto crc =
        static_cast<uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(member.bytes.data()),
                                    static_cast<uInt>(member.bytes.size())));
    const auto size = static_cast<uint64_t>(
        member.size >= 0 ? member.size : static_cast<int64_t>(member.bytes.size()));
    const auto compressed = static_cast<uint64_t>(
        member.compressed_size >= 0 ? member.compressed_size : static_cast<int64_t>(data.size()));
    const uint64_t header =
        member.header >= 0 ? static_cast<uint64_t>(member.header) : text_.size();
    const std::string& local = member.local_name.empty() ? member.name : member.local_name;
    const std::string extra = member.zip64 ? Large(size, compressed, header) : "";
    const auto small = [&](uint64_t value) {
      return member.zip64 ? UINT32_MAX : static_cast<uint32_t>(value);
    };

    Put(text_, uint32_t{0x04034b50}, uint16_t{20}, static_cast<uint16_t>(member.flags), method,
        uint32_t{0}, crc, small(compressed), small(size), static_cast<uint16_t>(local.size()),
        static_cast<uint16_t>(extra.size()));
    text_ += local + extra + data;
    Put(directory_, uint32_t{0x02014b50}, uint16_t{20}, uint16_t{20},
        static_cast<uint16_t>(member.flags), method, uint32_t{0}, crc, small(compressed),
        small(size), static_cast<uint16_t>(member.name.size()), static_cast<uint16_t>(extra.size()),
        uint16_t{0}, uint16_t{0}, uint16_t{0}, uint32_t{0}, small(header));
    directory_ += member.name + extra;
    ++count_;
    return *this;
  }

  std::string Text(std::string_view comment = "", int lie = 0) const {
    std::string text = text_ + directory_;
    Put(text, uint32_t{0x06054b50}, uint32_t{0}, Count(lie), Count(lie),
        static_cast<uint32_t>(directory_.size()), static_cast<uint32_t>(text_.size()),
        static_cast<uint16_t>(comment.size()));
    return text + std::string(comment);
  }

  std::string Zip64Text() const {
    std::string text = text_ + directory_;
    Put(text, uint32_t{0x06064b50}, uint64_t{44}, uint16_t{45}, uint16_t{45}, uint64_t{0},
        uint64_t{Count(0)}, uint64_t{Count(0)}, uint64_t{directory_.size()},
        uint64_t{text_.size()});
    Put(text, uint32_t{0x07064b50}, uint32_t{0}, uint64_t{text_.size() + directory_.size()},
        uint32_t{1});
    Put(text, uint32_t{0x06054b50}, uint32_t{0}, uint16_t{UINT16_MAX}, uint16_t{UINT16_MAX},
        uint32_t{UINT32_MAX}, uint32_t{UINT32_MAX}, uint16_t{0});
    return text;
  }

 private:
  template <class... T>
  static void Put(std::string& text, T... values) {
    (AppendLittleEndian(values, &text), ...);
  }
  static std::string Large(uint64_t size, uint64_t compressed, uint64_t header) {
    std::string extra;
    Put(extra, uint16_t{1}, uint16_t{24}, size, compressed, header);
    return extra;
  }
  uint16_t Count(int lie) const { return static_cast<uint16_t>(count_ + lie); }

  std::string text_;
  std::string directory_;
  int count_ = 0;
};

std::string Npy(std::string_view descr, std::string_view shape, std::string_view data,
                bool fortran = false) {
  std::string header = "{'descr': '" + std::string(descr) +
                       "', 'fortran_order': " + (fortran ? "True" : "False") +
                       ", 'shape': " + std::string(shape) + ", }\n";
  std::string text("\x93NUMPY\1\0", 8);
  AppendLittleEndian(static_cast<uint16_t>(header.size()), &text);
  return text + header + std::string(data);
}

absl::StatusOr<NpzFile> Parse(std::string text) {
  return NpzFile::Parse(FileBytes::FromString("w.npz", std::move(text)));
}

/// The error of reading the archive or its only array; empty if there is none.
std::string Fault(std::string text) {
  const auto file = Parse(std::move(text));
  if (!file.ok()) return Message(file.status());
  for (const NpzEntry& entry : file->entries()) {
    const auto bytes = file->Read(entry);
    if (!bytes.ok()) return Message(bytes.status());
  }
  return "";
}

std::string Fault(const Member& member) { return Fault(Archive().Add(member).Text()); }

TEST(NpzTest, StoredArraysAreTheBytesOfTheFile) {
  Archive archive;
  archive.Add({.name = "a.npy", .bytes = Npy("|i1", "(2, 3)", "abcdef")});
  archive.Add({.name = "b/c.npy", .bytes = Npy("<i2", "()", "xy")});
  const auto file = FileBytes::FromString("w.npz", archive.Text("a comment"));
  const auto npz = NpzFile::Parse(file);
  ASSERT_TRUE(npz.ok()) << npz.status();
  ASSERT_EQ(npz->entries().size(), 2u);
  const NpzEntry& a = npz->entries()[0];
  EXPECT_EQ(a.name, "a");
  EXPECT_EQ(a.layout.dtype, "int8");
  EXPECT_THAT(a.layout.shape, ElementsAre(2, 3));
  const auto bytes = npz->Read(a);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  EXPECT_EQ(bytes->bytes, "abcdef");
  EXPECT_GT(bytes->bytes.data(), file->view().data());
  EXPECT_LT(bytes->bytes.data(), file->view().data() + file->size());
  EXPECT_EQ(npz->entries()[1].name, "b/c");
  EXPECT_EQ(npz->Read(npz->entries()[1])->bytes, "xy");
}

TEST(NpzTest, DeflatedSwappedAndFortranOrderedArraysAreConverted) {
  const std::string zeros(100'000, '\0');
  Archive archive;
  archive.Add({.name = "z.npy", .bytes = Npy("|u1", "(100000,)", zeros), .deflated = true});
  archive.Add({.name = "big.npy", .bytes = Npy(">i2", "(2,)", "abcd")});
  archive.Add({.name = "f.npy", .bytes = Npy("|i1", "(2, 3)", "adbecf", true), .zip64 = true});
  for (const std::string& text : {archive.Text(), archive.Zip64Text()}) {
    const auto npz = Parse(text);
    ASSERT_TRUE(npz.ok()) << npz.status();
    EXPECT_EQ(npz->Read(npz->entries()[0])->bytes, zeros);
    EXPECT_EQ(npz->Read(npz->entries()[1])->bytes, "badc");
    EXPECT_EQ(npz->Read(npz->entries()[2])->bytes, "abcdef");
  }
}

TEST(NpzTest, EmptyArchive) {
  const auto npz = Parse(Archive().Text());
  ASSERT_TRUE(npz.ok()) << npz.status();
  EXPECT_TRUE(npz->entries().empty());
}

TEST(NpzTest, WrongArchives) {
  const std::string npy = Npy("|i1", "(6,)", "abcdef");
  const Member good{.name = "a.npy", .bytes = npy};
  EXPECT_EQ(Fault(good), "");
  EXPECT_THAT(Fault(std::string("PK")), StartsWith("`w.npz`: too short"));
  EXPECT_THAT(Fault(std::string(100, 'x')), HasSubstr("no directory"));
  EXPECT_THAT(Fault(Archive().Add(good).Text("", 1)), HasSubstr("ends after 1 of 2"));
  EXPECT_THAT(Fault(Archive().Add(good).Add(good).Text("", -1)), HasSubstr("more members"));
  EXPECT_THAT(Fault(Archive().Add(good).Add(good).Text()), HasSubstr("`a.npy` occurs twice"));
  Member member = good;
  member.name = "a.txt";
  EXPECT_THAT(Fault(member), HasSubstr("member `a.txt`: is not a .npy file"));
  member = good;
  member.flags = 1;
  EXPECT_THAT(Fault(member), HasSubstr("is encrypted"));
  member = good;
  member.method = 12;
  EXPECT_THAT(Fault(member), HasSubstr("is compressed by method 12"));
  member = good;
  member.local_name = "b.npy";
  EXPECT_THAT(Fault(member), HasSubstr("another name or method"));
  member = good;
  member.bytes = "no array";
  EXPECT_THAT(Fault(member), HasSubstr("member `a.npy`: not an npy file"));
}

TEST(NpzTest, WrongSizesAndPlaces) {
  const std::string npy = Npy("|i1", "(6,)", "abcdef");
  const Member good{.name = "a.npy", .bytes = npy};
  const Member packed{.name = "p.npy", .bytes = npy, .deflated = true};
  Member member = good;
  member.size = 1'000'000;
  EXPECT_THAT(Fault(member), HasSubstr("is stored, but has two sizes"));
  member.compressed_size = 1'000'000;
  EXPECT_THAT(Fault(member), HasSubstr("reaches beyond the archive"));
  member = packed;
  member.size = int64_t{1} << 31;
  EXPECT_THAT(Fault(member), HasSubstr("cannot inflate to 2147483648"));
  member.size = static_cast<int64_t>(npy.size()) + 1;
  EXPECT_THAT(Fault(member), HasSubstr("its header asks for"));
  // Both headers agree on a size that the data does not have.
  for (const char* shape : {"(7,)", "(5,)"}) {
    member.bytes = Npy("|i1", shape, "abcdef");
    member.size = static_cast<int64_t>(npy.size()) + (shape[1] == '7' ? 1 : -1);
    EXPECT_THAT(Fault(member), HasSubstr("does not inflate to the")) << shape;
  }
  member = good;
  member.header = 1;
  EXPECT_THAT(Fault(member), HasSubstr("is not where the directory says"));
  // The second member is inside the first, which would make the sum of sizes unbounded.
  member = good;
  member.name = "b.npy";
  member.header = 0;
  EXPECT_THAT(Fault(Archive().Add(good).Add(member).Text()), HasSubstr("overlaps another member"));
  std::string flipped = Archive().Add(good).Text();
  flipped[flipped.find("abcdef")] ^= 1;
  EXPECT_THAT(Fault(flipped), HasSubstr("its CRC differs"));
}

TEST(NpzTest, DamageNeverCrashes) {
  Archive archive;
  archive.Add({.name = "a.npy", .bytes = Npy("|i1", "(2, 3)", "abcdef")});
  archive.Add({.name = "p.npy", .bytes = Npy("<i2", "(3,)", "uvwxyz"), .deflated = true});
  archive.Add({.name = "l.npy", .bytes = Npy("|b1", "(1,)", "\1"), .zip64 = true});
  std::mt19937 random(7);
  int faults = 0;
  for (const std::string& text : {archive.Text("comment"), archive.Zip64Text()}) {
    for (size_t size = 0; size < text.size(); ++size) EXPECT_NE(Fault(text.substr(0, size)), "");
    for (int i = 0; i < 5'000; ++i) faults += Fault(Mutate(text, random)).empty() ? 0 : 1;
  }
  EXPECT_GT(faults, 5'000);
}

}  // namespace
}  // namespace tenon
