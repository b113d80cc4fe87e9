#include "support/file_pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "support/file.h"
#include "support/hash.h"
#include "support/safetensors.h"
#include "tests/unit/support/io_test_util.h"

namespace tenon {
namespace {

std::string Content(size_t size) {
  std::string bytes(size, '\0');
  uint32_t state = 1;
  for (char& c : bytes) {
    state = state * 1664525 + 1013904223;
    c = static_cast<char>(state >> 24);
  }
  return bytes;
}

/// Pages of a range that are now in the process's memory. (mincore would report pages in the
/// system's cache.)
size_t ResidentPages() {
  const absl::StatusOr<std::shared_ptr<const FileBytes>> file = ReadFile("/proc/self/statm");
  size_t total = 0;
  size_t resident = 0;
  EXPECT_TRUE(file.ok());
  EXPECT_EQ(std::sscanf(std::string((*file)->view()).c_str(), "%zu %zu", &total, &resident), 2);
  return resident;
}

class FilePagesTest : public testing::Test {
 protected:
  std::shared_ptr<const FileBytes> Map(const std::string& content) {
    const std::string path = folder_.File("content");
    EXPECT_TRUE(WriteFileAtomically(path, content).ok());
    const absl::StatusOr<std::shared_ptr<const FileBytes>> file = ReadFile(path);
    EXPECT_TRUE(file.ok());
    EXPECT_TRUE((*file)->is_mapped());
    return *file;
  }
  TempFolder folder_;
};

TEST_F(FilePagesTest, PiecesAreAllBytesInOrder) {
  const std::string content = Content(3 * kPieceBytes + 12345);
  const std::shared_ptr<const FileBytes> file = Map(content);
  for (const size_t begin : {size_t{0}, size_t{1}, size_t{4096}, size_t{5000}}) {
    for (const size_t size : {size_t{0}, size_t{1}, size_t{7000}, kPieceBytes, kPieceBytes + 1,
                              2 * kPieceBytes - 1, content.size() - begin}) {
      const std::string_view part = file->view().substr(begin, size);
      std::string seen;
      EXPECT_TRUE(ForEachPiece(file->Paged(part), [&](std::string_view piece) {
        EXPECT_FALSE(piece.empty());
        EXPECT_LE(piece.size(), kPieceBytes);
        seen += piece;
        return true;
      }));
      EXPECT_TRUE(seen == content.substr(begin, size)) << begin << " " << size;
    }
  }
}

TEST_F(FilePagesTest, StopsWhenTold) {
  const std::shared_ptr<const FileBytes> file = Map(Content(3 * kPieceBytes));
  int calls = 0;
  EXPECT_FALSE(
      ForEachPiece(file->Paged(file->view()), [&](std::string_view) { return ++calls < 2; }));
  EXPECT_EQ(calls, 2);
}

TEST_F(FilePagesTest, PagesThatWereReadAreDropped) {
  constexpr size_t kBytes = 64 * kPieceBytes;
  const std::string content = Content(kBytes);
  const std::shared_ptr<const FileBytes> file = Map(content);
  const size_t before = ResidentPages();
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  size_t most = 0;
  ForEachPiece(file->Paged(file->view()), [&](std::string_view piece) {
    EXPECT_NE(HashBytes(piece), Hash128());
    most = std::max(most, ResidentPages());
    return true;
  });
  EXPECT_LT(most, before + 4 * kPieceBytes / page);
  EXPECT_EQ(HashBytes(file->Paged(file->view())), HashBytes(content));
  EXPECT_LT(ResidentPages(), before + 4 * kPieceBytes / page);
  // Without dropping they stay, so the measure distinguishes the two cases.
  EXPECT_EQ(HashBytes(file->view()), HashBytes(content));
  EXPECT_GT(ResidentPages(), before + kBytes / page / 2);
}

TEST_F(FilePagesTest, OtherMemoryKeepsItsContents) {
  std::string content = Content(3 * kPieceBytes);
  const std::string copy = content;
  DropPages({content, false});
  EXPECT_EQ(HashBytes(PagedBytes{content, false}), HashBytes(copy));
  EXPECT_TRUE(content == copy);
}

TEST_F(FilePagesTest, SameBytesFindsEveryDifference) {
  const std::string content = Content(2 * kPieceBytes + 100);
  const std::shared_ptr<const FileBytes> file = Map(content);
  const PagedBytes mapped = file->Paged(file->view());
  EXPECT_TRUE(SameBytes(mapped, {content, false}));
  EXPECT_TRUE(SameBytes({content, false}, mapped));
  EXPECT_TRUE(SameBytes(mapped, mapped));
  EXPECT_TRUE(SameBytes({}, {}));
  EXPECT_FALSE(SameBytes(mapped, {std::string_view(content).substr(1), false}));
  EXPECT_FALSE(SameBytes(file->Paged(file->view().substr(1)),
                         {std::string_view(content).substr(0, content.size() - 1), false}));
  for (const size_t at : {size_t{0}, kPieceBytes - 1, kPieceBytes, content.size() - 1}) {
    std::string other = content;
    other[at] ^= 1;
    EXPECT_FALSE(SameBytes(mapped, {other, false})) << at;
  }
}

TEST_F(FilePagesTest, FilesAreWrittenFromMappings) {
  const std::string content = Content(2 * kPieceBytes + 100);
  const std::shared_ptr<const FileBytes> file = Map(content);
  absl::StatusOr<OutputFile> output = OutputFile::Create(folder_.File("copy"));
  ASSERT_TRUE(output.ok());
  ASSERT_TRUE(output->Append("head").ok());
  ASSERT_TRUE(output->Append(file->Paged(file->view())).ok());
  EXPECT_EQ(output->size(), content.size() + 4);
  ASSERT_TRUE(output->Commit().ok());
  EXPECT_TRUE((*ReadFile(folder_.File("copy")))->view() == "head" + content);
}

TEST_F(FilePagesTest, FilesOfFoldersMayBeAppended) {
  const std::vector<FolderFile> files = {
      {"a", "x", [](const ByteSink& sink) { return sink("yz"); }}};
  ASSERT_TRUE(WriteFolder(folder_.File("sub"), files).ok());
  EXPECT_EQ((*ReadFile(folder_.File("sub/a")))->view(), "xyz");
  const std::vector<FolderFile> bad = {
      {"b", "", [](const ByteSink&) { return absl::DataLossError("no"); }}};
  EXPECT_EQ(WriteFolder(folder_.File("sub"), bad).code(), absl::StatusCode::kDataLoss);
  EXPECT_FALSE(ReadFile(folder_.File("sub/b")).ok());
}

TEST_F(FilePagesTest, TensorsMayBeAppended) {
  SafetensorsTensor tensor{.name = "w", .dtype = "int8", .shape = {5}, .bytes = {}};
  tensor.append = [](const ByteSink& sink) { return sink("12345"); };
  const std::string path = folder_.File("w.safetensors");
  ASSERT_TRUE(WriteSafetensors(path, std::vector{tensor}).ok());
  const absl::StatusOr<SafetensorsFile> file = ReadSafetensors(path);
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file->BytesOf(*file->Find("w")), "12345");
  tensor.append = [](const ByteSink& sink) { return sink("123"); };
  EXPECT_EQ(WriteSafetensors(path, std::vector{tensor}).code(), absl::StatusCode::kInternal);
}

}  // namespace
}  // namespace tenon
