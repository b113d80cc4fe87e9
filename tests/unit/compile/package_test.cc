#include "compile/package/package.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "compile/package/libraries.h"
#include "compile/package/machine.h"
#include "compile/package/manifest.h"
#include "tests/unit/support/temp_folder.h"

// The form of packages: what is written is read back, and what Tenon does not write is refused with
// its place. tests/integration/packages damages packages of models.

namespace tenon {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A package with a file for each role that takes part in reading. Its code is not code.
Package Sample() {
  Package package;
  package.tenon = "0.1.0";
  package.prefix = "tvmgen_default";
  package.machine = {"x86_64", {"avx2", "fma"}};
  package.inputs = {{"x", "int8", {1, 4}, 4, 0.5, -3}, {"n", "int32", {}, 4, {}, 0}};
  package.outputs = {{"y", "float32", {2}, 8, {}, 0}};
  package.generators = {{"c", "", {"tvmgen_default_c_main_1"}},
                        {"npu:0", "3.1-rc1", {"tvmgen_default_npu_0_main_0"}}};
  package.checks = {"isa=avx2", "my_version=3"};
  package.libraries = {{"libnpu.so.3", "libnpu.so.3.1", {1, 2}}};
  const auto add = [&](const char* name, PackageRole role, std::string bytes) {
    package.files.push_back(
        MakePackageFile(name, role, FileBytes::FromString(name, std::move(bytes))));
  };
  add("module.py", PackageRole::kModule, "# text\n");
  add("c.safetensors", PackageRole::kConstants, std::string(100, 'c'));
  add("model.so", PackageRole::kCode, "");
  add("npu.c", PackageRole::kExternal, "int npu;\n");
  return package;
}

/// A package in one file, with the hash of its header and its manifest.
std::string Sealed(std::string_view manifest, std::string_view rest) {
  return PackageHeaderOf(manifest, 64 + manifest.size() + rest.size()) + std::string(manifest) +
         std::string(rest);
}

std::string BytesOf(const Package& package) {
  const TempFolder folder;
  const std::string path = folder.path() + "/p.tenon";
  EXPECT_TRUE(WritePackage(package, path, {}).ok());
  return ReadText(path);
}

/// The errors of reading a package in one file; empty if it is accepted.
std::string ErrorsOf(std::string bytes) {
  SourceManager sources;
  Diagnostics diagnostics;
  const auto file = FileBytes::FromString("p.tenon", std::move(bytes));
  const bool is_read = ParsePackage(file, sources, diagnostics).has_value();
  EXPECT_EQ(is_read, !diagnostics.has_errors());
  return Render(sources, diagnostics);
}

/// The errors of the sample whose manifest has `to` in place of `from`, with the right hash. The
/// files are at the places for a manifest of its size.
std::string ErrorsWith(std::string_view from, std::string_view to) {
  std::string manifest = ManifestOf(Sample());
  const size_t at = manifest.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  manifest.replace(at, from.size(), to);
  const Package sample = Sample();
  std::string rest;
  for (const PackagePlace& place : PackagePlaces(sample, manifest.size())) {
    rest.resize(place.offset - 64 - manifest.size(), '\0');
    rest += place.file->bytes->view();
  }
  return ErrorsOf(Sealed(manifest, rest));
}

constexpr const char* kManifest = R"({
 "tenon_package": 1,
 "tenon": "0.1.0",
 "prefix": "tvmgen_default",
 "processor": {"architecture": "x86_64", "features": ["avx2", "fma"]},
 "inputs": [
  {"name": "x", "dtype": "int8", "shape": [1, 4], "bytes": 4, "scale": 0.5, "zero_point": -3},
  {"name": "n", "dtype": "int32", "shape": [], "bytes": 4}
 ],
 "outputs": [
  {"name": "y", "dtype": "float32", "shape": [2], "bytes": 8}
 ],
 "generators": [
  {"target": "c", "generator": "c", "functions": ["tvmgen_default_c_main_1"]},
  {"target": "npu:0", "generator": "npu", "version": "3.1-rc1", "functions": ["tvmgen_default_npu_0_main_0"]}
 ],
 "checks": ["isa=avx2", "my_version=3"],
 "libraries": [
  {"name": "libnpu.so.3", "file": "libnpu.so.3.1", "hash": "xxh3:00000000000000010000000000000002"}
 ],
 "files": [
  {"name": "module.py", "role": "module", "bytes": 7, "hash": "xxh3:HASH0"},
  {"name": "c.safetensors", "role": "constants", "bytes": 100, "hash": "xxh3:HASH1"},
  {"name": "model.so", "role": "code", "bytes": 0, "hash": "xxh3:99aa06d3014798d86001c324468d497f"},
  {"name": "npu.c", "role": "external", "bytes": 9, "hash": "xxh3:HASH3"}
 ]
}
)";

TEST(Package, TheManifestIsJson) {
  std::string expected = kManifest;
  for (const auto& [mark, file] :
       {std::pair{"xxh3:HASH0", 0}, {"xxh3:HASH1", 1}, {"xxh3:HASH3", 3}})
    expected.replace(expected.find(mark), 10,
                     HashToString(Sample().files[static_cast<size_t>(file)].hash));
  EXPECT_EQ(ManifestOf(Sample()), expected);
}

TEST(Package, SavedLoadedAndSavedItHasTheSameBytes) {
  const std::string bytes = BytesOf(Sample());
  SourceManager sources;
  Diagnostics diagnostics;
  const auto loaded = ParsePackage(FileBytes::FromString("p", bytes), sources, diagnostics);
  ASSERT_TRUE(loaded.has_value()) << Render(sources, diagnostics);
  EXPECT_EQ(BytesOf(*loaded), bytes);
  EXPECT_EQ(loaded->Find(PackageRole::kConstants)->bytes->view(), std::string(100, 'c'));
  EXPECT_EQ(loaded->Find("npu.c")->bytes->view(), "int npu;\n");
  EXPECT_EQ(loaded->Find("none"), nullptr);
}

TEST(Package, AFolderHasTheSameFiles) {
  const TempFolder folder;
  const std::string path = folder.path() + "/p/";
  ASSERT_TRUE(WritePackage(Sample(), path, {}).ok());
  EXPECT_EQ(ReadText(path + "manifest.json"), ManifestOf(Sample()));
  EXPECT_THAT(ReadText(path + "manifest.xxh3"), testing::EndsWith("  manifest.json\n"));
  SourceManager sources;
  Diagnostics diagnostics;
  const std::optional<Package> loaded = ReadPackage(path, sources, diagnostics);
  ASSERT_TRUE(loaded.has_value()) << Render(sources, diagnostics);
  EXPECT_EQ(BytesOf(*loaded), BytesOf(Sample()));
}

TEST(Package, DamagedFoldersAreRefused) {
  const TempFolder folder;
  const std::string path = folder.path() + "/p/";
  for (const auto& [name, text, error] :
       {std::tuple{"module.py", "# Text\n",
                   "the file `module.py` in it is damaged: expected xxh3:"},
        {"module.py", "# text", "`module.py` has 6 bytes, expected 7 [artifact-mismatch]"},
        {"manifest.xxh3", "0", "`manifest.json` is damaged"},
        {"manifest.json", "{}", "`manifest.json` is damaged"}}) {
    ASSERT_TRUE(WritePackage(Sample(), path, {}).ok());
    WriteText(path + name, text);
    SourceManager sources;
    Diagnostics diagnostics;
    EXPECT_FALSE(ReadPackage(path, sources, diagnostics).has_value()) << name;
    EXPECT_THAT(Render(sources, diagnostics), HasSubstr(error));
  }
  ASSERT_TRUE(WritePackage(Sample(), path, {}).ok());
  std::filesystem::remove(path + "npu.c");
  SourceManager sources;
  Diagnostics diagnostics;
  EXPECT_FALSE(ReadPackage(path, sources, diagnostics).has_value());
  EXPECT_THAT(Render(sources, diagnostics), HasSubstr("npu.c"));
}

TEST(Package, EveryDamagedByteAndEveryLengthIsRefused) {
  const std::string bytes = BytesOf(Sample());
  EXPECT_EQ(ErrorsOf(bytes), "");
  for (size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << at % 8));
    EXPECT_NE(ErrorsOf(damaged), "") << at;
  }
  for (size_t size = 0; size < bytes.size(); ++size) EXPECT_NE(ErrorsOf(bytes.substr(0, size)), "");
  EXPECT_NE(ErrorsOf(bytes + '\0'), "");
}

TEST(Package, ConstantsBeginAPage) {
  const Package sample = Sample();
  for (const PackagePlace& place : PackagePlaces(sample, 1000)) {
    const bool is_constants = place.file->role == PackageRole::kConstants;
    EXPECT_EQ(place.offset % (is_constants ? 4096 : 64), 0u) << place.file->name;
  }
}

TEST(Package, TheHeaderIsChecked) {
  EXPECT_THAT(ErrorsOf("text"), HasSubstr("p.tenon: expected a package of Tenon [package]"));
  EXPECT_THAT(ErrorsOf(BytesOf(Sample()).substr(0, 40)), HasSubstr("its header is cut off"));
  std::string next = BytesOf(Sample());
  next[8] = 2;
  EXPECT_THAT(ErrorsOf(next), HasSubstr("expected version 1 of packages, found 2"));
  std::string large = Sealed("{}", "");
  large[23] = '\x7f';  // the manifest has nearly 2^63 bytes
  EXPECT_THAT(ErrorsOf(large), HasSubstr("is larger than the package"));
}

TEST(Package, HostileNamesAreRefused) {
  const std::string name = R"("name": "npu.c")";
  for (const char* wrong : {"../npu.c", "/etc/npu.c", "a/b", "..", ".npu", "a\\\\b", "a b", "a\\n",
                            "manifest.json", "manifest.xxh3"}) {
    EXPECT_THAT(ErrorsWith(name, fmt::format(R"("name": "{}")", wrong)),
                HasSubstr("<manifest of p.tenon>:25:12: error: expected a name of letters"))
        << wrong;
  }
  EXPECT_THAT(ErrorsWith(name, R"("name": ")" + std::string(201, 'a') + '"'),
              HasSubstr("expected a name of letters"));
  EXPECT_THAT(ErrorsWith(name, R"("name": "module.py")"),
              HasSubstr("25:12: error: two files have the name `module.py` [package]"));
}

TEST(Package, HostileSizesAreRefused) {
  for (const char* size : {"10", "4611686018427387904"}) {
    EXPECT_THAT(ErrorsWith(R"("bytes": 9,)", fmt::format(R"("bytes": {},)", size)),
                HasSubstr(":25:50: error: the file `npu.c` ends after the package"));
  }
  for (const char* size : {"-1", "9223372036854775807", "18446744073709551616", "1e3"}) {
    EXPECT_THAT(ErrorsWith(R"("bytes": 9,)", fmt::format(R"("bytes": {},)", size)),
                HasSubstr(":25:50: error: `bytes` is "));
  }
  EXPECT_THAT(ErrorsWith(R"("bytes": 9,)", R"("bytes": 8,)"), HasSubstr("[package]"));
  EXPECT_THAT(ErrorsWith(R"("bytes": 100,)", R"("bytes": 99,)"), HasSubstr("[artifact-mismatch]"));
}

TEST(Package, RolesAreChecked) {
  EXPECT_THAT(ErrorsWith(R"("role": "external")", R"("role": "code")"),
              HasSubstr("two files have the role `code`"));
  EXPECT_THAT(
      ErrorsWith(R"("role": "external")", R"("role": "virus")"),
      HasSubstr("unknown role `virus`, expected one of module, module_constants, constants"));
  EXPECT_THAT(ErrorsWith(R"("role": "code")", R"("role": "external")"),
              HasSubstr("expected a file with the role `code`"));
}

TEST(Package, OneMeaningHasOneManifest) {
  const auto expect = [](std::string_view from, std::string_view to) {
    EXPECT_THAT(ErrorsWith(from, to), HasSubstr("expected the manifest as Tenon writes it")) << to;
  };
  expect(R"("prefix")", R"( "prefix")");
  expect(R"("bytes": 9)", R"("bytes": 9, "more": 1)");
  expect(R"("dtype": "int8", "shape": [1, 4])", R"("shape": [1, 4], "dtype": "int8")");
  expect("0.5", "0.50");
  expect("\n}\n", "\n}");
}

TEST(Package, BrokenManifestsHaveAPlace) {
  EXPECT_THAT(ErrorsWith(R"("tenon_package": 1)", R"("tenon_package": 2)"),
              HasSubstr("2:19: error: expected version 1 of packages, found 2 [package]"));
  EXPECT_THAT(ErrorsWith("tvmgen_default", "a-b"),
              HasSubstr("4:12: error: expected an identifier"));
  EXPECT_THAT(ErrorsWith(R"("outputs")", R"("others")"),
              HasSubstr("expected an object with the member `outputs`"));
  EXPECT_THAT(ErrorsWith("[1, 4]", "[1, -4]"), HasSubstr("an extent is -4"));
  EXPECT_THAT(ErrorsWith("xxh3:0000", "xxh9:0000"), HasSubstr("19:60: error: a hash is"));
  EXPECT_THAT(ErrorsWith(R"("name": "x")", R"("name": "x", "name": "x")"), HasSubstr("[syntax]"));
  EXPECT_THAT(ErrorsWith("[2]", std::string(100, '[') + std::string(100, ']')),
              HasSubstr("[syntax]"));
  // More values than a manifest may have.
  std::string many = "[0";
  for (int i = 0; i < 1'100'000; ++i) many += ",0";
  EXPECT_THAT(ErrorsWith("[2]", many + "]"), HasSubstr("[syntax]"));
}

TEST(Package, VersionsOfGeneratorsAreChecked) {
  EXPECT_THAT(ErrorsWith(R"("generator": "npu")", R"("generator": "onednn")"),
              HasSubstr("15:36: error: the generator of the target `npu:0` is `npu`, found "
                        "`onednn` [package]"));
  EXPECT_THAT(ErrorsWith(R"("generator": "npu", )", ""),
              HasSubstr("15:3: error: expected an object with the member `generator`"));
  const std::string version = R"("version": "3.1-rc1")";
  for (const std::string wrong : {"3 1", "3.1\\n", "3.1\\u00e9"}) {
    EXPECT_THAT(ErrorsWith(version, fmt::format(R"("version": "{}")", wrong)),
                HasSubstr("15:54: error: expected a version, 1 to 64 letters"))
        << wrong;
  }
  EXPECT_THAT(ErrorsWith(version, fmt::format(R"("version": "{}")", std::string(65, '1'))),
              HasSubstr("15:54: error: expected a version"));
  EXPECT_EQ(ErrorsWith(version, fmt::format(R"("version": "{}")", std::string(64, '1'))), "");
  EXPECT_THAT(ErrorsWith(version, R"("version": "")"),
              HasSubstr("15:54: error: `version` is empty"));
  EXPECT_THAT(ErrorsWith(version, R"("version": 3)"), HasSubstr("15:54: error: `version` is "));
  // After the functions.
  EXPECT_THAT(ErrorsWith(R"("version": "3.1-rc1", "functions": ["tvmgen_default_npu_0_main_0"])",
                         R"("functions": ["tvmgen_default_npu_0_main_0"], "version": "3.1-rc1")"),
              HasSubstr("expected the manifest as Tenon writes it"));
}

TEST(Package, ListsNeedNoContents) {
  std::string bytes = BytesOf(Sample());
  bytes.back() = '!';
  SourceManager sources;
  Diagnostics diagnostics;
  const auto file = FileBytes::FromString("p", bytes);
  EXPECT_TRUE(ParsePackage(file, sources, diagnostics, PackageCheck::kManifest).has_value());
  EXPECT_FALSE(ParsePackage(file, sources, diagnostics).has_value());
}

TEST(PackageMachine, KnowsCpuInfo) {
  EXPECT_THAT(FeaturesOfCpuInfo("processor\t: 0\nflags\t\t: fpu pni avx avx2 avx512_vnni xyz\n"
                                "processor\t: 1\nflags\t\t: fma\n"),
              ElementsAre("avx", "avx2", "avx512vnni", "sse3"));
  EXPECT_THAT(FeaturesOfCpuInfo("Features\t: fp asimd asimddp i8mm"),
              ElementsAre("dotprod", "i8mm", "neon"));
  EXPECT_TRUE(FeaturesOfCpuInfo("").empty());
}

TEST(PackageMachine, NamesWhatIsMissing) {
  const PackageMachine here = {"x86_64", {"avx", "avx2"}};
  EXPECT_EQ(WhyNotOn(here, {"x86_64", {"avx2"}}), std::nullopt);
  EXPECT_EQ(WhyNotOn(here, {"aarch64", {}}),
            "expected a processor of the architecture `aarch64`, found `x86_64`");
  EXPECT_EQ(WhyNotOn(here, {"x86_64", {"avx2", "avx512f", "fma"}}),
            "expected a processor with `avx512f`, `fma`, which this one lacks");
}

TEST(PackageMachine, AsksTheCompiler) {
  const auto plain = MachineOfCode({"cc"}, {});
  ASSERT_TRUE(plain.ok()) << plain.status();
  EXPECT_EQ(plain->architecture, ThisMachine().architecture);
  EXPECT_EQ(WhyNotOn(ThisMachine(), *plain), std::nullopt);
  if (plain->architecture == "x86_64") {
    const auto wide = MachineOfCode({"cc"}, {"-mavx2"});
    ASSERT_TRUE(wide.ok());
    EXPECT_TRUE(wide->Has("avx2"));
    EXPECT_FALSE(plain->Has("avx2"));
  }
  EXPECT_FALSE(MachineOfCode({"false"}, {}).ok());
}

TEST(PackageLibraries, ReadsWhatLddPrints) {
  const std::vector<PackageLibrary> libraries = ParseLdd(
      "\tlinux-vdso.so.1 (0x00007ffc)\n"
      "\tlibnpu.so.3 => /opt/libnpu.so.3 (0x00007f)\n"
      "\tlibm.so.6 => /lib/libm.so.6 (0x00007f)\n"
      "\tlibgone.so.1 => not found\n"
      "\t/lib64/ld-linux-x86-64.so.2 (0x00007f)\n");
  ASSERT_EQ(libraries.size(), 2u);
  EXPECT_EQ(libraries[0].name, "libgone.so.1");
  EXPECT_EQ(libraries[0].file, "");
  EXPECT_EQ(libraries[1].name, "libnpu.so.3");
  EXPECT_EQ(libraries[1].file, "/opt/libnpu.so.3");
}

TEST(PackageLibraries, DifferencesHaveNames) {
  const PackageLibrary needed = {"libnpu.so.3", "libnpu.so.3.1", {1, 2}};
  EXPECT_THAT(LibraryDifferences({needed}, {{"libz.so.1", "libz.so.1", {}}, needed}),
              testing::IsEmpty());
  EXPECT_THAT(LibraryDifferences({needed}, {}),
              ElementsAre("another version of the library `libnpu.so.3`: expected `libnpu.so.3.1` "
                          "with xxh3:00000000000000010000000000000002, found none"));
  EXPECT_THAT(LibraryDifferences({needed}, {{"libnpu.so.3", "libnpu.so.3.2", {1, 2}}}),
              ElementsAre(HasSubstr("found `libnpu.so.3.2` with xxh3:")));
  EXPECT_THAT(LibraryDifferences({needed}, {{"libnpu.so.3", "libnpu.so.3.1", {1, 3}}}),
              testing::SizeIs(1));
}

}  // namespace
}  // namespace tenon
