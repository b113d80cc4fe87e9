#include "support/file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "tests/unit/support/io_test_util.h"

namespace tenon {
namespace {

using ::testing::HasSubstr;

TEST(ReadFileTest, SmallFilesAreReadLargeOnesMapped) {
  TempFolder folder;
  for (size_t size : {size_t{0}, size_t{1}, size_t{70000}, (size_t{256} << 10) - 1,
                      size_t{256} << 10, size_t{1000003}}) {
    std::string text(size, 'x');
    for (size_t i = 0; i < size; i += 97) text[i] = static_cast<char>(i);
    WriteText(folder.File("f"), text);
    const auto file = ReadFile(folder.File("f"));
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_EQ((*file)->view(), text);
    EXPECT_EQ((*file)->path(), folder.File("f"));
    EXPECT_EQ((*file)->is_mapped(), size >= (size_t{256} << 10)) << size;
  }
}

TEST(ReadFileTest, PipesAreReadToTheirEnd) {
  TempFolder folder;
  const std::string path = folder.File("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const std::string text(300000, 'p');
  std::thread writer([&] { WriteText(path, text); });
  const auto file = ReadFile(path);
  writer.join();
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ((*file)->view(), text);
  EXPECT_FALSE((*file)->is_mapped());
}

TEST(ReadFileTest, FilesThatClaimToBeEmptyAreRead) {
  const auto file = ReadFile("/proc/self/status");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_THAT(std::string((*file)->view()), HasSubstr("Name:"));
}

TEST(ReadFileTest, DevicesAreRefused) {
  const absl::Status status = ReadFile("/dev/zero").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(Message(status), HasSubstr("cannot read `/dev/zero`: it is a device"));
}

TEST(ReadFileTest, LongStreamsEnd) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const std::string text(5000, 'x');
  ASSERT_EQ(write(ends[1], text.data(), text.size()), 5000);
  const std::string path = "/dev/fd/" + std::to_string(ends[0]);
  const absl::Status status = ReadFile(path, {.max_stream_bytes = 1000}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(Message(status), HasSubstr("does not end within 1000 bytes"));
  close(ends[0]);
  close(ends[1]);
}

TEST(ReadFileTest, FailuresNameThePathAndTheReason) {
  TempFolder folder;
  const absl::Status missing = ReadFile(folder.File("none")).status();
  EXPECT_EQ(missing.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(Message(missing), HasSubstr("cannot open `" + folder.File("none") + "`"));
  EXPECT_THAT(Message(missing), HasSubstr("No such file"));
  EXPECT_THAT(Message(ReadFile(folder.path()).status()), HasSubstr("Is a directory"));
  EXPECT_FALSE(ReadFile(std::string_view("a\0b", 3)).ok());
  EXPECT_FALSE(ReadFile("").ok());
}

TEST(ReadFileTest, AMappingOutlivesTheReplacementOfItsFile) {
  TempFolder folder;
  const std::string old_text(400000, 'o');
  ASSERT_TRUE(WriteFileAtomically(folder.File("f"), old_text).ok());
  const auto file = ReadFile(folder.File("f"));
  ASSERT_TRUE(file.ok() && (*file)->is_mapped());
  ASSERT_TRUE(WriteFileAtomically(folder.File("f"), "new").ok());
  EXPECT_EQ((*file)->view(), old_text);
  EXPECT_EQ(ReadText(folder.File("f")), "new");
}

TEST(ReadFileTest, FromString) {
  const auto file = FileBytes::FromString("here", "bytes");
  EXPECT_EQ(file->view(), "bytes");
  EXPECT_EQ(file->path(), "here");
}

/// Replaces a standard descriptor until the end of the scope.
class Redirect {
 public:
  Redirect(int standard, int descriptor) : standard_(standard), saved_(dup(standard)) {
    dup2(descriptor, standard);
    close(descriptor);
  }
  ~Redirect() {
    dup2(saved_, standard_);
    close(saved_);
  }
  Redirect(const Redirect&) = delete;
  Redirect& operator=(const Redirect&) = delete;

 private:
  int standard_;
  int saved_;
};

TEST(StandardStreamsTest, InputFromAFileAPipeOrTheMiddleOfAFile) {
  TempFolder folder;
  const std::string text(300000, 's');
  WriteText(folder.File("in"), "head" + text);
  for (const bool middle : {false, true}) {
    const int file = open(folder.File("in").c_str(), O_RDONLY);
    ASSERT_GE(file, 0);
    if (middle) {
      ASSERT_EQ(lseek(file, 4, SEEK_SET), 4);
    }
    Redirect redirect(STDIN_FILENO, file);
    const auto bytes = ReadFile("-");
    ASSERT_TRUE(bytes.ok()) << bytes.status();
    EXPECT_EQ((*bytes)->view(), middle ? text : "head" + text);
    EXPECT_EQ((*bytes)->is_mapped(), !middle);
    EXPECT_EQ((*bytes)->path(), "<stdin>");
  }
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(write(ends[1], "piped", 5), 5);
  close(ends[1]);
  Redirect redirect(STDIN_FILENO, ends[0]);
  const auto bytes = ReadFile("-");
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  EXPECT_EQ((*bytes)->view(), "piped");
}

TEST(StandardStreamsTest, OutputFollowsWhatWasPrintedBefore) {
  TempFolder folder;
  std::fflush(stdout);
  absl::Status status;
  {
    const int file = open(folder.File("out").c_str(), O_WRONLY | O_CREAT, 0600);
    ASSERT_GE(file, 0);
    Redirect redirect(STDOUT_FILENO, file);
    std::printf("first ");
    status = WriteFileAtomically("-", "second");
    if (status.ok()) status = WriteFileAtomically("/dev/stdout", " third");
    if (status.ok()) status = WriteFileAtomically("/dev/fd/1", " fourth");
    std::printf(" fifth");
    std::fflush(stdout);
  }
  EXPECT_FALSE(WriteFileAtomically("/dev/fd/999", "x").ok());
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(ReadText(folder.File("out")), "first second third fourth fifth");
  EXPECT_EQ(folder.Count(), 1u);
}

TEST(OutputFileTest, NothingShowsBeforeCommit) {
  TempFolder folder;
  const std::string path = folder.File("out");
  WriteText(path, "before");
  {
    auto file = OutputFile::Create(path);
    ASSERT_TRUE(file.ok()) << file.status();
    ASSERT_TRUE(file->Append(std::string(200000, 'a')).ok());
    EXPECT_EQ(ReadText(path), "before");
    EXPECT_EQ(folder.Count(), 2u);
  }
  EXPECT_EQ(ReadText(path), "before");
  EXPECT_EQ(folder.Count(), 1u);
}

TEST(OutputFileTest, PiecesOfAllSizesComeInOrder) {
  TempFolder folder;
  auto file = OutputFile::Create(folder.File("out"));
  ASSERT_TRUE(file.ok()) << file.status();
  std::string expected;
  for (int size : {3, 0, 70000, 1, 65536, 65535, 2, 300000, 10}) {
    const std::string piece(static_cast<size_t>(size), static_cast<char>('a' + size % 26));
    expected += piece;
    ASSERT_TRUE(file->Append(piece).ok());
    EXPECT_EQ(file->size(), expected.size());
  }
  OutputFile moved = *std::move(file);
  ASSERT_TRUE(moved.Commit().ok());
  EXPECT_EQ(ReadText(folder.File("out")), expected);
  EXPECT_EQ(folder.Count(), 1u);
}

mode_t ModeOf(const std::string& path) {
  struct stat info = {};
  EXPECT_EQ(stat(path.c_str(), &info), 0);
  return info.st_mode & 07777;
}

TEST(OutputFileTest, ModesAreTheOldFilesOrTheUmasks) {
  TempFolder folder;
  const mode_t old_mask = umask(027);
  EXPECT_TRUE(WriteFileAtomically(folder.File("new"), "x").ok());
  umask(old_mask);
  EXPECT_EQ(ModeOf(folder.File("new")), 0640u);
  ASSERT_EQ(chmod(folder.File("new").c_str(), 0755), 0);
  ASSERT_TRUE(WriteFileAtomically(folder.File("new"), "y").ok());
  EXPECT_EQ(ModeOf(folder.File("new")), 0755u);
  EXPECT_EQ(ReadText(folder.File("new")), "y");
}

TEST(OutputFileTest, ALinkStaysALink) {
  TempFolder folder;
  ASSERT_EQ(mkdir(folder.File("d").c_str(), 0700), 0);
  WriteText(folder.File("d/target"), "old");
  ASSERT_EQ(symlink("d/target", folder.File("link").c_str()), 0);
  ASSERT_TRUE(WriteFileAtomically(folder.File("link"), "new").ok());
  EXPECT_TRUE(std::filesystem::is_symlink(folder.File("link")));
  EXPECT_EQ(ReadText(folder.File("d/target")), "new");
}

TEST(OutputFileTest, NamesAsLongAsTheyCanBe) {
  TempFolder folder;
  const std::string path = folder.File(std::string(255, 'n'));
  ASSERT_TRUE(WriteFileAtomically(path, "x").ok());
  EXPECT_EQ(ReadText(path), "x");
}

TEST(OutputFileTest, DevicesAndPipesAreWrittenDirectly) {
  EXPECT_TRUE(WriteFileAtomically("/dev/null", std::string(100000, 'x')).ok());
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  TempFolder folder;
  const std::string path = folder.File("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::string got;
  std::thread reader([&] { got = ReadText(path); });
  EXPECT_TRUE(WriteFileAtomically(path, "through the pipe").ok());
  reader.join();
  EXPECT_EQ(got, "through the pipe");
  EXPECT_EQ(folder.Count(), 1u);
}

TEST(OutputFileTest, AFullDiskIsAStatus) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const absl::Status status = WriteFileAtomically("/dev/full", "x");
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(Message(status), HasSubstr("cannot write `/dev/full`: No space left"));
}

TEST(OutputFileTest, AClosedPipeIsAStatus) {
  TempFolder folder;
  const std::string path = folder.File("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const int reader = open(path.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  auto file = OutputFile::Create(path);
  ASSERT_TRUE(file.ok()) << file.status();
  close(reader);
  const absl::Status status = file->Append(std::string(100000, 'x'));
  EXPECT_THAT(Message(status), HasSubstr("Broken pipe"));
  EXPECT_EQ(file->Append("more").code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(file->Commit().code(), absl::StatusCode::kFailedPrecondition);
}

TEST(OutputFileTest, FailuresNameThePathAndLeaveNothing) {
  TempFolder folder;
  EXPECT_THAT(Message(WriteFileAtomically(folder.path(), "x")), HasSubstr("Is a directory"));
  const absl::Status missing = WriteFileAtomically(folder.File("no/such/f"), "x");
  EXPECT_EQ(missing.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(Message(missing), HasSubstr(folder.File("no/such/f")));
  WriteText(folder.File("plain"), "p");
  EXPECT_THAT(Message(WriteFileAtomically(folder.File("plain/f"), "x")),
              HasSubstr("Not a directory"));
  EXPECT_FALSE(WriteFileAtomically("", "x").ok());
  EXPECT_EQ(folder.Count(), 1u);
}

TEST(OutputFileTest, AReadOnlyFileStays) {
  if (geteuid() == 0) GTEST_SKIP() << "everything is writable for root";
  TempFolder folder;
  WriteText(folder.File("f"), "kept");
  ASSERT_EQ(chmod(folder.File("f").c_str(), 0444), 0);
  EXPECT_EQ(WriteFileAtomically(folder.File("f"), "x").code(), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(ReadText(folder.File("f")), "kept");
}

TEST(OutputFileTest, TheTargetMayTurnIntoAFolderMeanwhile) {
  TempFolder folder;
  auto file = OutputFile::Create(folder.File("f"));
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE(file->Append("x").ok());
  ASSERT_EQ(mkdir(folder.File("f").c_str(), 0700), 0);
  EXPECT_THAT(Message(file->Commit()), HasSubstr("cannot replace"));
  EXPECT_EQ(folder.Count(), 1u);
}

TEST(WriteFolderTest, CreatesParentsAndReplacesFiles) {
  TempFolder folder;
  const std::string path = folder.File("a/b/c/");
  const std::vector<FolderFile> files = {{"one.c", "1"}, {"two.h", "22"}};
  ASSERT_TRUE(WriteFolder(path, files).ok());
  EXPECT_EQ(ReadText(path + "one.c"), "1");
  EXPECT_EQ(ReadText(path + "two.h"), "22");
  const std::vector<FolderFile> again = {{"one.c", "111"}};
  ASSERT_TRUE(WriteFolder(path, again).ok());
  EXPECT_EQ(ReadText(path + "one.c"), "111");
  EXPECT_EQ(ReadText(path + "two.h"), "22");
}

TEST(WriteFolderTest, OneFailureLeavesAllAsTheyWere) {
  TempFolder folder;
  WriteText(folder.File("one"), "old");
  ASSERT_EQ(mkdir(folder.File("two").c_str(), 0700), 0);
  const std::vector<FolderFile> files = {{"one", "new"}, {"two", "new"}, {"three", "new"}};
  EXPECT_THAT(Message(WriteFolder(folder.path(), files)), HasSubstr("Is a directory"));
  EXPECT_EQ(ReadText(folder.File("one")), "old");
  EXPECT_EQ(folder.Count(), 2u);
}

TEST(WriteFolderTest, CreatedFoldersGoWithTheFailure) {
  TempFolder folder;
  const std::vector<FolderFile> files = {{"ok", "x"}, {std::string(300, 'n'), "x"}};
  EXPECT_FALSE(WriteFolder(folder.File("a/b"), files).ok());
  EXPECT_EQ(folder.Count(), 0u);
}

TEST(WriteFolderTest, TwoOutputsAreNotOneFile) {
  TempFolder folder;
  WriteText(folder.File("one"), "old");
  ASSERT_EQ(symlink("one", folder.File("link").c_str()), 0);
  const std::vector<FolderFile> one = {{"one", "new"}};
  const auto write = [&](const std::vector<FolderFile>& others) {
    return Message(WriteFolder(folder.path(), one, others));
  };
  for (const char* name : {"one", "./one", "link", "no/../one"}) {
    const std::string path = folder.File(name);
    EXPECT_THAT(write({{path, "other"}}), HasSubstr("two outputs would go to `" + path)) << name;
  }
  EXPECT_THAT(write({{folder.File("x"), ""}, {folder.File("./x"), ""}}), HasSubstr("two outputs"));
  EXPECT_THAT(write({{"-", "x"}, {"/dev/stdout", "y"}}), HasSubstr("two outputs"));
  EXPECT_EQ(ReadText(folder.File("one")), "old");
  EXPECT_EQ(folder.Count(), 2u);
  EXPECT_EQ(write({{"/dev/null", "x"}, {"/dev/null", "y"}}), "");
  EXPECT_EQ(ReadText(folder.File("one")), "new");
}

TEST(WriteFolderTest, FilesMayBeInInnerFolders) {
  TempFolder folder;
  const std::vector<FolderFile> files = {{"a/b/one", "1"}, {"a/two", "2"}};
  ASSERT_TRUE(WriteFolder(folder.File("new"), files).ok());
  EXPECT_EQ(ReadText(folder.File("new/a/b/one")), "1");
  EXPECT_EQ(ReadText(folder.File("new/a/two")), "2");
  // A failure removes the folders that it made.
  const std::vector<FolderFile> wrong = {{"x/y/z", "1"}, {"a/two/three", "2"}};
  EXPECT_FALSE(WriteFolder(folder.File("new"), wrong).ok());
  EXPECT_FALSE(std::filesystem::exists(folder.File("new/x")));
}

TEST(WriteFolderTest, FilesStayInside) {
  TempFolder folder;
  for (const char* name : {"", ".", "..", "a/../b", "../b", "a//b", "a/", "/etc/x"}) {
    const std::vector<FolderFile> files = {{name, "x"}};
    EXPECT_EQ(WriteFolder(folder.path(), files).code(), absl::StatusCode::kInvalidArgument) << name;
  }
  WriteText(folder.File("plain"), "x");
  const std::vector<FolderFile> files = {{"f", "x"}};
  EXPECT_THAT(Message(WriteFolder(folder.File("plain"), files)), HasSubstr("Not a directory"));
}

}  // namespace
}  // namespace tenon
