// Code of external generators brings its own libraries, so the words for a compiler are made here
// for each back end. A failed link is explained by linking an empty program with each library
// alone.

#include "lowering/external_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "support/file.h"
#include "support/programs.h"
#include "support/shell_word.h"
#include "support/status_macros.h"

namespace tenon {

namespace {

/// A message repeats at most this many bytes of a program's output.
constexpr size_t kMostOutput = 2000;

std::string Said(const std::string& log) {
  const absl::StatusOr<std::shared_ptr<const FileBytes>> said = ReadFile(log);
  return said.ok() ? std::string((*said)->view().substr(0, kMostOutput)) : std::string();
}

void Append(std::vector<std::string>& words, std::string_view flag,
            const std::vector<std::string>& values) {
  for (const std::string& value : values) words.push_back(fmt::format("{}{}", flag, value));
}

/// The words that pkg-config prints.
absl::StatusOr<std::vector<std::string>> AskPackages(std::string_view what,
                                                     const std::vector<std::string>& packages) {
  TENON_ASSIGN_OR(const TemporaryFolder folder, TemporaryFolder::Create());
  std::vector<std::string> words = {"pkg-config", std::string(what)};
  words.insert(words.end(), packages.begin(), packages.end());
  const std::string log = folder.File("said.txt");
  TENON_ASSIGN_OR(const int code, RunProgram(words, log));
  std::string text = Said(log);
  if (code != 0) {
    return absl::NotFoundError(fmt::format(
        "pkg-config does not know {}: install its package, or remove its target from --targets\n{}",
        fmt::join(packages, ", "), text));
  }
  std::vector<std::string> answer;
  size_t at = 0;
  while ((at = text.find_first_not_of(" \t\n", at)) != std::string::npos) {
    const size_t end = std::min(text.find_first_of(" \t\n", at), text.size());
    answer.push_back(text.substr(at, end - at));
    at = end;
  }
  return answer;
}

}  // namespace

void JoinLinkNeeds(LinkNeeds& all, const LinkNeeds& more) {
  const auto join = [](std::vector<std::string>& to, const std::vector<std::string>& from) {
    for (const std::string& one : from) {
      if (std::find(to.begin(), to.end(), one) == to.end()) to.push_back(one);
    }
  };
  join(all.libraries, more.libraries);
  join(all.library_folders, more.library_folders);
  join(all.include_folders, more.include_folders);
  join(all.packages, more.packages);
  all.cxx |= more.cxx;
}

std::string LinkNote(const ExternalFiles& files) {
  std::vector<std::string> compiled;
  std::vector<std::string> linked;
  for (const EmittedFile& file : files.sources) {
    if (IsCompiled(file.name)) compiled.push_back(file.name);
  }
  for (const EmittedFile& file : files.objects) linked.push_back(file.name);
  Append(linked, "-L", files.link.library_folders);
  Append(linked, "-l", files.link.libraries);
  // Users paste these words into a command line.
  for (std::vector<std::string>* words : {&compiled, &linked})
    for (std::string& word : *words) word = ShellWord(word);
  for (const std::string& package : files.link.packages)
    linked.push_back(fmt::format("what `pkg-config --libs {}` says", ShellWord(package)));
  std::string note;
  if (!compiled.empty()) note = fmt::format("compile {}", fmt::join(compiled, ", "));
  if (!linked.empty())
    note += fmt::format("{}link with {}", note.empty() ? "" : "; ", fmt::join(linked, ", "));
  if (files.link.cxx) note += fmt::format("{}link as C++", note.empty() ? "" : "; ");
  return note;
}

bool IsCompiled(std::string_view file) {
  for (const std::string_view suffix : {".c", ".cc", ".cpp", ".S", ".o", ".a", ".so"}) {
    if (file.ends_with(suffix)) return true;
  }
  return false;
}

absl::StatusOr<LinkWords> LinkWordsOf(const LinkNeeds& needs) {
  LinkWords words;
  Append(words.before, "-I", needs.include_folders);
  Append(words.after, "-L", needs.library_folders);
  Append(words.after, "-Wl,-rpath,", needs.library_folders);
  Append(words.after, "-l", needs.libraries);
  if (!needs.packages.empty()) {
    TENON_ASSIGN_OR(std::vector<std::string> cflags, AskPackages("--cflags", needs.packages));
    TENON_ASSIGN_OR(std::vector<std::string> libs, AskPackages("--libs", needs.packages));
    words.before.insert(words.before.end(), cflags.begin(), cflags.end());
    words.after.insert(words.after.end(), libs.begin(), libs.end());
  }
  if (needs.cxx) words.after.emplace_back("-lstdc++");
  return words;
}

absl::Status CheckLibraries(const std::vector<std::string>& cc, const LinkNeeds& needs) {
  if (needs.libraries.empty()) return LinkWordsOf(needs).status();
  TENON_ASSIGN_OR(const TemporaryFolder folder, TemporaryFolder::Create());
  const EmittedFile empty = {"empty.c", "extern int tenon_nothing;\n"};
  TENON_TRY(WriteFolder(folder.path(), FolderFiles(std::span(&empty, 1))));
  TENON_TRY(LinkWordsOf(needs).status());
  for (const std::string& library : needs.libraries) {
    std::vector<std::string> words = cc;
    words.insert(words.end(),
                 {"-shared", "-fPIC", folder.File("empty.c"), "-o", folder.File("empty.so")});
    Append(words, "-L", needs.library_folders);
    words.push_back("-l" + library);
    TENON_ASSIGN_OR(const int code, RunProgram(words, folder.File("said.txt")));
    if (code == 0) continue;
    return absl::NotFoundError(
        fmt::format("the library `{0}` is not installed where `{1}` looks for it: install the "
                    "package that has lib{0}.so, or remove the target that needs it from --targets",
                    library, cc.empty() ? std::string_view() : std::string_view(cc[0])));
  }
  return absl::OkStatus();
}

bool IsMissingLibrary(const absl::Status& status, const LinkNeeds& needs) {
  return absl::IsNotFound(status) && !needs.empty();
}

absl::StatusOr<std::vector<std::string>> CompilerFlags(const std::vector<std::string>& cc,
                                                       const TargetSpec& target,
                                                       const CodeOptions& code) {
  std::vector<std::string> flags = {code.opt_level >= 2 ? "-O3" : "-O1"};
  flags.push_back(
      fmt::format("-ffp-contract={}", code.fp_contract || code.fast_math ? "fast" : "off"));
  TENON_ASSIGN_OR(const TemporaryFolder folder, TemporaryFolder::Create());
  const EmittedFile empty = {"empty.c", "extern int tenon_nothing;\n"};
  TENON_TRY(WriteFolder(folder.path(), FolderFiles(std::span(&empty, 1))));
  const auto knows = [&](const std::string& flag) -> absl::StatusOr<bool> {
    std::vector<std::string> words = cc;
    words.insert(words.end(), {flag, "-c", folder.File("empty.c"), "-o", folder.File("empty.o")});
    TENON_ASSIGN_OR(const int result, RunProgram(words, folder.File("said.txt")));
    return result == 0;
  };
  // Compilers have one flag or the other, and know other processor names than LLVM.
  for (const std::string_view flag : {"-march=", "-mcpu="}) {
    if (target.cpu.empty()) break;
    std::string named = fmt::format("{}{}", flag, target.cpu);
    TENON_ASSIGN_OR(const bool is_known, knows(named));
    if (!is_known) continue;
    flags.push_back(std::move(named));
    break;
  }
#if defined(__x86_64__)
  // In leaf functions, GCC 12 puts arrays below the stack pointer and wrongly assumes that they are
  // aligned.
  if (!target.cpu.empty()) {
    TENON_ASSIGN_OR(const bool is_known, knows("-mno-red-zone"));
    if (is_known) flags.emplace_back("-mno-red-zone");
  }
#endif
  return flags;
}

absl::Status BuildSharedObject(const std::vector<std::string>& cc,
                               const std::vector<std::string>& flags, const ExternalFiles& files,
                               const std::string& folder, const std::string& path) {
  TENON_ASSIGN_OR(const LinkWords link, LinkWordsOf(files.link));
  std::vector<FolderFile> written = FolderFiles(files.sources);
  for (FolderFile& file : FolderFiles(files.objects)) written.push_back(std::move(file));
  TENON_TRY(WriteFolder(folder, written));
  std::vector<std::string> words = cc;
  words.insert(words.end(), flags.begin(), flags.end());
  words.insert(words.end(), {"-shared", "-fPIC", "-Wl,--no-as-needed", "-I" + folder});
  words.insert(words.end(), link.before.begin(), link.before.end());
  words.insert(words.end(), {"-o", path});
  for (const FolderFile& file : written) {
    if (IsCompiled(file.name)) words.push_back(fmt::format("{}/{}", folder, file.name));
  }
  words.insert(words.end(), link.after.begin(), link.after.end());
  words.emplace_back("-lm");
  const std::string log = folder + "/compiler.txt";
  TENON_ASSIGN_OR(const int code, RunProgram(words, log));
  if (code == 0) return absl::OkStatus();
  TENON_TRY(CheckLibraries(cc, files.link));
  return absl::FailedPreconditionError(
      fmt::format("`{}` failed with exit code {}:\n{}", ShellWords(cc), code, Said(log)));
}

}  // namespace tenon
