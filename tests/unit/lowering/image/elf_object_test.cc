#include "lowering/image/elf_object.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

// Reads the object back with the system's structs, which are independent of the writer.

namespace tenon {
namespace {

using ::testing::HasSubstr;

std::vector<Blob> TwoSections() {
  std::vector<Blob> blobs(3);
  auto owner = std::make_shared<const std::vector<uint8_t>>(std::vector<uint8_t>{1, 2, 3, 4, 5});
  const char* names[] = {"m_a", "m_b", "m_c"};
  for (size_t i = 0; i < blobs.size(); ++i) {
    blobs[i].name = names[i];
    blobs[i].section = i == 1 ? ".rodata.x" : ".rodata.tvm";
    blobs[i].size_bytes = 5;
    blobs[i].alignment = i == 1 ? 8192 : 16;
    blobs[i].parts = {PartOf(*owner, owner, 0)};
  }
  return blobs;
}

std::string Written(const ElfTarget& target, const std::vector<Blob>& blobs) {
  const absl::StatusOr<ImageLayout> layout = LayOutImage(blobs);
  EXPECT_TRUE(layout.ok());
  const absl::StatusOr<ElfObject> object = MakeElfObject(target, *layout, "m_constants");
  EXPECT_TRUE(object.ok());
  std::string bytes;
  EXPECT_TRUE(StreamElfObject(*object, *layout, [&](std::string_view piece) {
                bytes += piece;
                return absl::OkStatus();
              }).ok());
  EXPECT_EQ(bytes.size(), static_cast<size_t>(object->tail_offset) + object->tail.size());
  return bytes;
}

template <typename T>
T At(const std::string& bytes, uint64_t offset) {
  T value;
  EXPECT_LE(offset + sizeof(T), bytes.size());
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

template <typename Ehdr, typename Shdr, typename Sym>
void CheckObject(const ElfTarget& target) {
  const std::string bytes = Written(target, TwoSections());
  const auto header = At<Ehdr>(bytes, 0);
  EXPECT_EQ(std::memcmp(header.e_ident, ELFMAG, SELFMAG), 0);
  EXPECT_EQ(header.e_type, ET_REL);
  EXPECT_EQ(header.e_machine, target.machine);
  EXPECT_EQ(header.e_flags, target.flags);
  EXPECT_EQ(header.e_ehsize, sizeof(Ehdr));
  EXPECT_EQ(header.e_shentsize, sizeof(Shdr));
  const auto section = [&](size_t i) { return At<Shdr>(bytes, header.e_shoff + i * sizeof(Shdr)); };
  const uint64_t names = section(header.e_shstrndx).sh_offset;
  const auto name = [&](size_t i) {
    return std::string(bytes.data() + names + section(i).sh_name);
  };
  EXPECT_EQ(name(1), ".rodata.tvm");
  EXPECT_EQ(name(2), ".rodata.x");
  EXPECT_EQ(name(header.e_shstrndx), ".shstrtab");
  EXPECT_EQ(section(1).sh_addralign, 16u);
  EXPECT_EQ(section(2).sh_addralign, 8192u);
  EXPECT_EQ(section(1).sh_flags, uint64_t{SHF_ALLOC});
  bool has_stack_note = false;
  for (size_t i = 0; i < header.e_shnum; ++i) {
    has_stack_note |= name(i) == ".note.GNU-stack" && section(i).sh_flags == 0;
    EXPECT_LE(section(i).sh_offset + section(i).sh_size, header.e_shoff) << name(i);
    if (section(i).sh_type != SHT_SYMTAB) continue;
    const Shdr symbols = section(i);
    ASSERT_EQ(symbols.sh_size, 5 * sizeof(Sym));
    EXPECT_EQ(symbols.sh_info, 2u);
    const uint64_t texts = section(symbols.sh_link).sh_offset;
    const auto last = At<Sym>(bytes, symbols.sh_offset + 3 * sizeof(Sym));  // sections in order
    EXPECT_STREQ(bytes.data() + texts + last.st_name, "m_c");
    EXPECT_EQ(last.st_shndx, 1);
    EXPECT_EQ(last.st_value, 16u);
    EXPECT_EQ(last.st_size, 5u);
    EXPECT_EQ(last.st_other, STV_HIDDEN);
    EXPECT_EQ(last.st_info, ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT));
    EXPECT_EQ(bytes.substr(section(1).sh_offset + last.st_value, 5), "\1\2\3\4\5");
  }
  EXPECT_TRUE(has_stack_note);
}

TEST(ElfObjectTest, SixtyFourBits) {
  for (const char* name : {"x86_64", "aarch64", "riscv64"}) {
    SCOPED_TRACE(name);
    CheckObject<Elf64_Ehdr, Elf64_Shdr, Elf64_Sym>(*ParseElfTarget(name));
  }
}

TEST(ElfObjectTest, ThirtyTwoBits) {
  for (const char* name : {"arm", "riscv32", "i686", "x86_64-linux-gnux32"}) {
    SCOPED_TRACE(name);
    CheckObject<Elf32_Ehdr, Elf32_Shdr, Elf32_Sym>(*ParseElfTarget(name));
  }
}

TEST(ElfObjectTest, SizesBeyondFourGigabytes) {
  std::vector<Blob> blobs(1);
  blobs[0].name = "m_a";
  blobs[0].section = ".rodata.tvm";
  blobs[0].size_bytes = int64_t{5} << 30;
  const absl::StatusOr<ImageLayout> layout = LayOutImage(blobs);
  ASSERT_TRUE(layout.ok());
  EXPECT_THAT(std::string(MakeElfObject(*ParseElfTarget("arm"), *layout, "m").status().message()),
              HasSubstr("more than a 32-bit object of arm can have"));
  const absl::StatusOr<ElfObject> object = MakeElfObject(*ParseElfTarget("x86_64"), *layout, "m");
  ASSERT_TRUE(object.ok());
  EXPECT_EQ(object->tail_offset, 64 + (int64_t{5} << 30));
  EXPECT_THAT(object->tail, HasSubstr(".lrodata.tvm"));
}

TEST(ElfObjectTest, TooManySections) {
  std::vector<Blob> blobs(70000);
  for (size_t i = 0; i < blobs.size(); ++i) {
    blobs[i].section = ".s" + std::to_string(i);
    blobs[i].size_bytes = 1;
  }
  const absl::StatusOr<ImageLayout> layout = LayOutImage(blobs);
  ASSERT_TRUE(layout.ok());
  EXPECT_FALSE(MakeElfObject(*ParseElfTarget("x86_64"), *layout, "m").ok());
}

TEST(ElfTargetTest, FlagsAndAbis) {
  EXPECT_EQ(ParseElfTarget("armv7m-none-eabi")->flags, 0x05000000u);
  EXPECT_EQ(ParseElfTarget("arm", "hard")->flags, ParseElfTarget("arm", "soft")->flags);
  EXPECT_EQ(ParseElfTarget("riscv64-unknown-elf")->flags, 0u);
  EXPECT_EQ(ParseElfTarget("riscv64-linux-gnu")->flags, 4u);
  EXPECT_EQ(ParseElfTarget("riscv32", "ilp32e")->flags, 8u);
  EXPECT_EQ(ParseElfTarget("arm64-linux-android")->machine, EM_AARCH64);
  for (const char* name :
       {"armeb", "aarch64_be", "mips", "arm64-apple-ios", "x86_64-pc-windows-msvc"})
    EXPECT_FALSE(ParseElfTarget(name).ok()) << name;
  EXPECT_FALSE(ParseElfTarget("riscv32", "lp64").ok());
  EXPECT_FALSE(ParseElfTarget("x86_64", "lp64").ok());
}

TEST(ElfTargetTest, SystemsWithLibraries) {
  for (const char* name :
       {"", "x86_64-unknown-linux-gnu", "riscv64-linux-musl", "aarch64-apple-darwin",
        "x86_64-unknown-freebsd", "armv7-linux-gnueabihf", "x86_64-pc-windows-msvc"})
    EXPECT_TRUE(IsHostedTarget(name)) << name;
  for (const char* name : {"arm", "riscv32", "x86_64", "thumbv7em-none-eabi", "riscv32-unknown-elf",
                           "aarch64-none-elf"})
    EXPECT_FALSE(IsHostedTarget(name)) << name;
}

}  // namespace
}  // namespace tenon
