#include "support/programs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/unit/support/temp_folder.h"

namespace tenon {
namespace {

using testing::HasSubstr;
using End = ProgramAnswer::End;

class AskProgramTest : public testing::Test {
 protected:
  /// The answer of a shell script whose stdin is `input`.
  ProgramAnswer Ask(const std::string& script, const std::string& input = "") {
    folder_.Write("input", input);
    const std::vector<std::string> words = {"sh", "-c", script};
    const absl::StatusOr<ProgramAnswer> answer = AskProgram(words, folder_.File("input"), limits_);
    EXPECT_TRUE(answer.ok()) << answer.status();
    return answer.value_or(ProgramAnswer());
  }

  TempFolder folder_;
  AnswerLimits limits_;
};

/// Waits until a process has ended. Its state, if it still runs after some seconds; otherwise
/// empty. A signal that ends a process needs some time to do so.
std::string EndOf(int process) {
  const std::string stat = "/proc/" + std::to_string(process) + "/stat";
  std::string text;
  for (int i = 0; i < 1000; ++i) {
    text = ReadText(stat);
    // A process that nobody waited for has the state Z.
    if (text.empty() || text.substr(text.rfind(')') + 2, 1) == "Z") return "";
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return text;
}

TEST_F(AskProgramTest, GivesTheInputAndTakesTheAnswer) {
  const ProgramAnswer answer = Ask("cat; echo said >&2", "a request");
  EXPECT_EQ(answer.end, End::kExit);
  EXPECT_EQ(answer.code, 0);
  EXPECT_EQ(answer.answer, "a request");
  EXPECT_EQ(answer.messages, "said\n");
}

TEST_F(AskProgramTest, InputAndAnswerMayBeLargerThanAPipe) {
  const std::string large(size_t{4} << 20, 'x');
  EXPECT_EQ(Ask("cat", large).answer, large);
}

TEST_F(AskProgramTest, TellsHowTheProgramEnded) {
  EXPECT_EQ(Ask("exit 7").code, 7);
  const ProgramAnswer killed = Ask("kill -TERM $$");
  EXPECT_EQ(killed.end, End::kSignal);
  EXPECT_EQ(killed.code, SIGTERM);
}

TEST_F(AskProgramTest, StopsAtTheTimeLimit) {
  limits_.time = std::chrono::milliseconds(200);
  EXPECT_EQ(Ask("echo begun; sleep 60").end, End::kTimeOut);
  // Also where no pipe is open, or the program writes all the time.
  EXPECT_EQ(Ask("exec >&- 2>&-; sleep 60").end, End::kTimeOut);
  EXPECT_EQ(Ask("while :; do echo x >&2; done").end, End::kTimeOut);
}

TEST_F(AskProgramTest, StopsAtTheLimitOfBytes) {
  limits_.answer_bytes = 1000;
  EXPECT_EQ(Ask("head -c 1000 /dev/zero").end, End::kExit);
  EXPECT_EQ(Ask("head -c 1001 /dev/zero").end, End::kTooLong);
  const ProgramAnswer endless = Ask("cat /dev/zero");
  EXPECT_EQ(endless.end, End::kTooLong);
  EXPECT_LT(endless.answer.size(), size_t{2} << 20);
}

TEST_F(AskProgramTest, KeepsTheEndOfTheMessages) {
  limits_.message_bytes = 8;
  EXPECT_EQ(Ask("seq 1 1000 >&2").messages, "99\n1000\n");
}

TEST_F(AskProgramTest, ChildrenThatAreLeftAreStopped) {
  // The child holds stdout open and would write a file a little later.
  const std::string file = folder_.File("late");
  EXPECT_EQ(Ask("(sleep 0.3; touch " + file + ") & echo done").answer, "done\n");
  EXPECT_EQ(Ask("sleep 0.6").end, End::kExit);
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(AskProgramTest, ChildrenThatLeaveTheGroupAndTheSessionAreStopped) {
  if (!std::filesystem::exists("/proc/self/environ")) GTEST_SKIP() << "no /proc";
  const std::string pids = folder_.File("pids");
  // The second child's parent ends before the program does, and the third has another environment.
  const std::string children = "sleeper='echo $$ >> " + pids +
                               "; exec sleep 60'\n"
                               "setsid sh -c \"$sleeper\" >&- 2>&- &\n"
                               "(setsid sh -c \"$sleeper\" >&- 2>&- &)\n"
                               "env -i PATH=\"$PATH\" setsid sh -c \"$sleeper\" >&- 2>&- &\n"
                               "while [ \"$(wc -l 2>&- < " +
                               pids + ")\" != 3 ]; do sleep 0.01; done; ";
  limits_.answer_bytes = 4;
  EXPECT_EQ(Ask(children + "echo too long; sleep 60").end, End::kTooLong);
  std::istringstream all(ReadText(pids));
  int count = 0;
  for (int process = 0; all >> process; ++count) EXPECT_EQ(EndOf(process), "");
  EXPECT_EQ(count, 3);
}

TEST_F(AskProgramTest, AProgramMayStayForMoreRequests) {
  folder_.Write("input", "first");
  const auto is_complete = [](const std::string& text) { return text.ends_with("\n"); };
  auto program = StayingProgram::Create(is_complete);
  ASSERT_TRUE(program.ok());
  const std::string script =
      "cat; echo; while read -r line; do echo \"<$line>\"; "
      "if [ \"$line\" = last ]; then exit 3; fi; done < $TENON_REQUESTS; touch " +
      folder_.File("ended");
  const std::vector<std::string> words = {"sh", "-c", script};
  auto answer = (*program)->Start(words, folder_.File("input"), limits_);
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->end, End::kStays);
  EXPECT_EQ(answer->answer, "first\n");
  // A request may be larger than a pipe.
  const std::string large(size_t{1} << 20, 'x');
  answer = (*program)->Ask(large, limits_);
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->answer, "<" + large + ">\n");
  EXPECT_TRUE((*program)->is_alive());
  program->reset();
  EXPECT_TRUE(std::filesystem::exists(folder_.File("ended")));
}

TEST_F(AskProgramTest, AProgramThatStaysMayEndOrHang) {
  folder_.Write("input", "");
  const auto is_complete = [](const std::string& text) { return text.ends_with("\n"); };
  auto program = StayingProgram::Create(is_complete);
  ASSERT_TRUE(program.ok());
  std::vector<std::string> words = {"sh", "-c", "echo x; read -r l < $TENON_REQUESTS; exit 3"};
  ASSERT_TRUE((*program)->Start(words, folder_.File("input"), limits_).ok());
  auto answer = (*program)->Ask("request", limits_);
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->end, End::kExit);
  EXPECT_EQ(answer->code, 3);
  EXPECT_FALSE((*program)->is_alive());
  words[2] = "echo x; sleep 60";
  ASSERT_TRUE((*program)->Start(words, folder_.File("input"), limits_).ok());
  limits_.time = std::chrono::milliseconds(200);
  answer = (*program)->Ask("request", limits_);
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->end, End::kTimeOut);
}

TEST_F(AskProgramTest, UnknownProgramIsAnError) {
  folder_.Write("input", "");
  const std::vector<std::string> words = {"./no-such-program"};
  const auto answer = AskProgram(words, folder_.File("input"), limits_);
  EXPECT_THAT(std::string(answer.status().message()),
              HasSubstr("cannot run `./no-such-program`: No such file"));
}

}  // namespace
}  // namespace tenon
