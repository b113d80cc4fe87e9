#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/fuzz/mutator.h"
#include "tests/fuzz/target.h"

// The main program of every target without libFuzzer: <target>_seeds FOLDER ROUNDS [DICTIONARY]
// reads the seeds of FOLDER, ROUNDS mutations of them, and noise. They are the same in every run.

namespace tenon::fuzz {
namespace {

std::string ReadBytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// The words of a libFuzzer dictionary, unescaped.
std::vector<std::string> Words(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> words;
  for (std::string line; std::getline(file, line);) {
    if (line.size() < 3 || line.front() != '"' || line.find('\\') != std::string::npos) continue;
    words.push_back(line.substr(1, line.size() - 2));
  }
  return words;
}

/// The current input, for the message of a crash.
std::string g_current;

void SayInput(int signal) {
  const ssize_t ignored = write(STDERR_FILENO, g_current.data(), g_current.size());
  static_cast<void>(ignored);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

/// Counts accepted and refused inputs.
class Tally {
 public:
  bool Take(const std::string& name, const std::string& input) {
    g_current = "the input is " + name + "\n";
    if (std::getenv("TENON_FUZZ_INPUT") != nullptr) {
      std::ofstream(std::getenv("TENON_FUZZ_INPUT"), std::ios::binary) << input;
    }
    const bool accepted = TakeInput(input);
    ++(accepted ? accepted_ : refused_);
    return accepted;
  }

  /// Prints the counts; false unless there were at least `least` of both kinds.
  bool Say(const char* what, int least) const {
    std::printf("%s: %d accepted, %d refused\n", what, accepted_, refused_);
    return accepted_ >= least && refused_ >= least;
  }

 private:
  int accepted_ = 0;
  int refused_ = 0;
};

int Run(const std::string& folder, int rounds, const std::string& dictionary) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  Tally seeds;
  std::vector<std::string> accepted;
  for (const std::filesystem::path& path : paths) {
    std::string input = ReadBytes(path);
    if (seeds.Take(path.string(), input)) accepted.push_back(std::move(input));
  }
  // Seeds or mutations that are all valid, or all invalid, would test little.
  if (!seeds.Say("seeds", 1)) return 1;
  Mutator mutator(20240229, dictionary.empty() ? std::vector<std::string>() : Words(dictionary));
  Tally mutations;
  for (int i = 0; i < rounds; ++i) {
    const std::string& seed = accepted[static_cast<size_t>(i) % accepted.size()];
    mutations.Take("mutation " + std::to_string(i), mutator.Mutate(seed));
  }
  if (!mutations.Say("mutations", 1)) return 1;
  Tally noise;
  for (size_t size = 0; size < 200; ++size) {
    noise.Take("noise of " + std::to_string(size) + " bytes", mutator.Noise(size));
  }
  noise.Say("noise", 0);
  return 0;
}

}  // namespace
}  // namespace tenon::fuzz

int main(int count, char** arguments) {
  if (count < 3) {
    std::fprintf(stderr, "use: %s FOLDER ROUNDS [DICTIONARY]\n", arguments[0]);
    return 2;
  }
  for (const int signal : {SIGABRT, SIGSEGV, SIGFPE, SIGILL}) {
    std::signal(signal, tenon::fuzz::SayInput);
  }
  return tenon::fuzz::Run(arguments[1], std::atoi(arguments[2]), count > 3 ? arguments[3] : "");
}
