#include "support/file_places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <vector>

#include "tests/unit/support/io_test_util.h"

namespace tenon {
namespace {

using testing::HasSubstr;

std::string Check(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs) {
  return std::string(CheckOutputPaths(inputs, outputs).message());
}

class FilePlacesTest : public testing::Test {
 protected:
  FilePlacesTest() : file_(folder_.File("a")) { WriteText(file_, "text"); }

  TempFolder folder_;
  std::string file_;
};

TEST_F(FilePlacesTest, OneFileHasManyPaths) {
  const std::string sub = folder_.File("sub");
  ASSERT_EQ(mkdir(sub.c_str(), 0777), 0);
  ASSERT_EQ(symlink(file_.c_str(), folder_.File("soft").c_str()), 0);
  ASSERT_EQ(link(file_.c_str(), folder_.File("hard").c_str()), 0);
  for (const std::string& path : {file_, folder_.File("./a"), folder_.File("sub/../a"),
                                  folder_.File("soft"), folder_.File("hard")}) {
    EXPECT_TRUE(IsSameFile(file_, path)) << path;
    EXPECT_THAT(Check({file_}, {path}), HasSubstr("would replace the input")) << path;
  }
  WriteText(folder_.File("b"), "text");
  EXPECT_FALSE(IsSameFile(file_, folder_.File("b")));
  EXPECT_EQ(Check({file_}, {folder_.File("b"), folder_.File("c")}), "");
}

TEST_F(FilePlacesTest, FilesThatDoNotExistYet) {
  EXPECT_TRUE(IsSameFile("tenon-not-there", "./tenon-not-there"));
  EXPECT_TRUE(IsSameFile("tenon-not-there", std::filesystem::absolute("tenon-not-there").string()));
  EXPECT_TRUE(IsSameFile(folder_.File("new"), folder_.File(".//new")));
  EXPECT_FALSE(IsSameFile(folder_.File("new"), folder_.File("newer")));
  EXPECT_THAT(Check({}, {"tenon-not-there", "./tenon-not-there"}),
              HasSubstr("two outputs would go to `./tenon-not-there`"));
  // A missing input cannot be replaced.
  EXPECT_EQ(Check({"tenon-not-there"}, {"tenon-not-there"}), "");
}

TEST_F(FilePlacesTest, DevicesAndPipesTakeSeveralOutputs) {
  const std::string pipe = folder_.File("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0666), 0);
  EXPECT_EQ(Check({pipe, "/dev/null"}, {pipe, pipe, "/dev/null", "/dev/null"}), "");
  EXPECT_FALSE(IsSameFile("/dev/null", "/dev/null"));
}

TEST_F(FilePlacesTest, StandardOutputTakesOne) {
  EXPECT_THAT(Check({}, {"-", "/dev/stdout"}), HasSubstr("two outputs would go to `/dev/stdout`"));
  EXPECT_THAT(Check({}, {"-", "-"}), HasSubstr("two outputs would go to standard output"));
}

}  // namespace
}  // namespace tenon
