#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "compile/package/check_machine.h"
#include "compile/package/libraries.h"
#include "compile/package/make_package.h"
#include "lowering/c/c_backend.h"
#include "parser/parser.h"
#include "support/programs.h"
#include "tests/unit/support/temp_folder.h"

// Packages with real code: what differs from the package that was written is refused before the
// code is loaded.

namespace tenon {
namespace {

using testing::HasSubstr;
using testing::Not;

/// y = x * 3 + w, with a constant that is large enough for the file of constants.
std::string ModuleText() {
  std::string values;
  for (int i = 0; i < 600; ++i) values += fmt::format("{}{}", i == 0 ? "" : ", ", i * 7 - 900);
  return fmt::format(R"(
from tvm.script import tir as T
@T.prim_func
def main(x: T.Buffer((600,), "int32"), y: T.Buffer((600,), "int32")):
    w = T.allocate_const([{}], "int32", [600])
    wb = T.Buffer((600,), "int32", data=w)
    for i in range(600):
        y[i] = x[i] * 3 + wb[i]
)",
                     values);
}

Package MakeModel() {
  Context context;
  Diagnostics diagnostics;
  const auto module =
      ParseModule(context, "m.py", ModuleText(), nullptr, ParseOptions(), diagnostics);
  const CompileUnit unit = {module ? &*module : nullptr, "m.py", {}};
  std::optional<Package> package;
  if (module) {
    const std::optional<Artifacts> artifacts =
        Compile({&unit, 1}, PackageCompileOptions({}), CBackend(), diagnostics);
    if (artifacts) package = MakePackage(*artifacts, {"0", TENON_C_COMPILER}, diagnostics);
  }
  EXPECT_TRUE(package.has_value()) << Render(context.sources(), diagnostics);
  return package ? *std::move(package) : Package();
}

/// A package whose code writes a file as soon as it is loaded.
Package MakeTrap(const TempFolder& folder) {
  Package package = MakeModel();
  const std::string source = folder.path() + "/trap.c";
  const std::string object = folder.path() + "/trap.so";
  WriteText(source, fmt::format(R"(#include <stdio.h>
__attribute__((constructor)) static void spring(void) {{
  FILE* file = fopen("{}/sprung", "w");
  if (file) fclose(file);
}}
)",
                                folder.path()));
  const std::vector<std::string> words = {TENON_C_COMPILER, "-shared", "-fPIC",
                                          source,           "-o",      object};
  EXPECT_EQ(RunProgram(words).value_or(1), 0);
  for (PackageFile& file : package.files) {
    if (file.role == PackageRole::kCode)
      file = MakePackageFile(file.name, file.role, *ReadFile(object));
  }
  return package;
}

struct Outcome {
  int code = -1;
  std::string messages;
};

/// `tenon run` of a package, on an input of zeros.
Outcome RunIt(const TempFolder& folder, const std::string& path) {
  const std::string input = folder.path() + "/x.npy";
  std::string npy("\x93NUMPY\x01\x00", 8);
  std::string header = "{'descr': '<i4', 'fortran_order': False, 'shape': (600,), }";
  header.resize(117, ' ');
  npy += std::string("\x76\x00", 2) + header + "\n" + std::string(2400, '\0');
  WriteText(input, npy);
  const std::vector<std::string> words = {TENON_PROGRAM, "run", path, "--input", input};
  const auto answer = AskProgram(words, "/dev/null", {});
  if (!answer.ok()) return {};
  return {answer->end == ProgramAnswer::End::kExit ? answer->code : -1, answer->messages};
}

bool IsSprung(const TempFolder& folder) {
  return std::filesystem::exists(folder.path() + "/sprung");
}

std::string Save(const TempFolder& folder, const Package& package) {
  const std::string path = folder.path() + "/p.tenon";
  EXPECT_TRUE(WritePackage(package, path, {}).ok());
  return path;
}

bool IsRead(std::string bytes) {
  SourceManager sources;
  Diagnostics diagnostics;
  const auto file = FileBytes::FromString("p.tenon", std::move(bytes));
  const bool is_read = ParsePackage(file, sources, diagnostics).has_value();
  EXPECT_EQ(is_read, !diagnostics.has_errors());
  return is_read;
}

TEST(Packages, RunAndAreReproducible) {
  const TempFolder folder;
  const std::string path = Save(folder, MakeModel());
  const std::string bytes = ReadText(path);
  const Outcome outcome = RunIt(folder, path);
  EXPECT_EQ(outcome.code, 0) << outcome.messages;
  EXPECT_THAT(outcome.messages, HasSubstr("y int32[600] = -900, -893, -886"));
  // Made again, in another temporary folder.
  EXPECT_TRUE(ReadText(Save(folder, MakeModel())) == bytes);
  // Saved, loaded, saved: in one file, and by way of a folder.
  SourceManager sources;
  Diagnostics diagnostics;
  std::optional<Package> loaded = ReadPackage(path, sources, diagnostics);
  ASSERT_TRUE(loaded.has_value());
  const std::string unpacked = folder.path() + "/unpacked/";
  ASSERT_TRUE(WritePackage(*loaded, unpacked, {}).ok());
  EXPECT_EQ(RunIt(folder, unpacked).code, 0);
  loaded = ReadPackage(unpacked, sources, diagnostics);
  ASSERT_TRUE(loaded.has_value()) << Render(sources, diagnostics);
  EXPECT_TRUE(ReadText(Save(folder, *loaded)) == bytes);
}

TEST(Packages, AThousandFlippedBytesAreRefused) {
  const TempFolder folder;
  const std::string bytes = ReadText(Save(folder, MakeModel()));
  ASSERT_TRUE(IsRead(bytes));
  std::mt19937 random(1);
  for (int i = 0; i < 1000; ++i) {
    std::string damaged = bytes;
    const size_t at = random() % bytes.size();
    const auto flip = static_cast<unsigned char>(1 + random() % 255);
    damaged[at] = static_cast<char>(static_cast<unsigned char>(damaged[at]) ^ flip);
    EXPECT_FALSE(IsRead(std::move(damaged))) << at;
  }
  // The header, the manifest and what is between the files are a small part: all of their bytes.
  for (size_t at = 0; at < 2048; ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(~damaged[at]);
    EXPECT_FALSE(IsRead(std::move(damaged))) << at;
  }
}

TEST(Packages, OtherLengthsAreRefused) {
  const TempFolder folder;
  const std::string bytes = ReadText(Save(folder, MakeModel()));
  for (size_t size = 0; size < bytes.size(); size += 1 + size / 50)
    EXPECT_FALSE(IsRead(bytes.substr(0, size))) << size;
  EXPECT_FALSE(IsRead(bytes.substr(0, bytes.size() - 1)));
  EXPECT_FALSE(IsRead(bytes + '\0'));
  EXPECT_FALSE(IsRead(bytes + bytes));
}

TEST(Packages, DamagedCodeIsNeverLoaded) {
  const TempFolder folder;
  const Package trap = MakeTrap(folder);
  const std::string path = Save(folder, trap);
  const std::string bytes = ReadText(path);
  std::mt19937 random(2);
  for (int i = 0; i < 40; ++i) {
    std::string damaged = bytes;
    const size_t at = random() % bytes.size();
    damaged[at] = static_cast<char>(~damaged[at]);
    WriteText(path, damaged);
    const Outcome outcome = RunIt(folder, path);
    // A file that does not begin as packages do is refused as a text.
    EXPECT_EQ(outcome.code, 1) << at << outcome.messages;
    EXPECT_FALSE(IsSprung(folder)) << at;
  }
  // The whole package is loaded, so the trap is one.
  WriteText(path, bytes);
  EXPECT_EQ(RunIt(folder, path).code, 1);
  EXPECT_TRUE(IsSprung(folder));
}

TEST(Packages, AnotherProcessorIsRefusedByName) {
  const TempFolder folder;
  const Package trap = MakeTrap(folder);
  Package other = trap;
  other.machine.architecture = "pdp11";
  Outcome outcome = RunIt(folder, Save(folder, other));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.messages,
              HasSubstr("expected a processor of the architecture `pdp11`, found `"));
  EXPECT_THAT(outcome.messages, HasSubstr("[artifact-mismatch]"));
  other = trap;
  other.machine.features = {"quantum"};
  outcome = RunIt(folder, Save(folder, other));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.messages, HasSubstr("expected a processor with `quantum`, which this one"));
  // The checks of external code for instructions are known before it is loaded.
  other = trap;
  other.checks = {"isa=fma4", "isa=sve2"};
  outcome = RunIt(folder, Save(folder, other));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.messages, HasSubstr("which this one lacks"));
  EXPECT_FALSE(IsSprung(folder));
}

TEST(Packages, AnotherLibraryIsRefusedByName) {
  const TempFolder folder;
  // The code needs a library, which is then replaced by another version.
  const std::string library = folder.path() + "/libnpu.so.3";
  const auto build = [&](const char* text, const std::string& output,
                         const std::vector<std::string>& more) {
    const std::string source = folder.path() + "/source.c";
    WriteText(source, text);
    std::vector<std::string> words = {TENON_C_COMPILER, "-shared", "-fPIC", source, "-o", output};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(RunProgram(words).value_or(1), 0);
  };
  build("int npu_version(void) { return 1; }", library, {"-Wl,-soname,libnpu.so.3"});
  const std::string code = folder.path() + "/code.so";
  build("int npu_version(void); int f(void) { return npu_version(); }", code,
        {library, "-Wl,-rpath," + folder.path()});
  Package package = MakeModel();
  const auto libraries = LibrariesOf(code);
  ASSERT_TRUE(libraries.ok()) << libraries.status();
  ASSERT_EQ(libraries->size(), 1u);
  EXPECT_EQ((*libraries)[0].name, "libnpu.so.3");
  package.libraries = *libraries;
  for (PackageFile& file : package.files) {
    if (file.role == PackageRole::kCode)
      file = MakePackageFile(file.name, file.role, *ReadFile(code));
  }
  Diagnostics none;
  EXPECT_TRUE(CheckMachine(package, "p", none));
  const std::string path = Save(folder, package);
  // It is loaded, and has no model.
  EXPECT_THAT(RunIt(folder, path).messages, HasSubstr("undefined symbol: tvmgen_default_run"));
  build("int npu_version(void) { return 2; }", library, {"-Wl,-soname,libnpu.so.3"});
  Outcome outcome = RunIt(folder, path);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(
      outcome.messages,
      HasSubstr("another version of the library `libnpu.so.3`: expected `libnpu.so.3` with "));
  std::filesystem::remove(library);
  outcome = RunIt(folder, path);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.messages, HasSubstr("found none"));
  EXPECT_THAT(outcome.messages, Not(HasSubstr("cannot load")));
}

}  // namespace
}  // namespace tenon
