// Objects are written directly, without LLVM or an assembler. So programs without LLVM write them
// as well, and bytes are copied at the speed of the disk.

#include "lowering/image/elf_object.h"

#include <fmt/format.h>

#include <algorithm>

#include "lowering/image/elf_strings.h"
#include "lowering/part_symbols.h"
#include "support/little_endian.h"
#include "support/status_macros.h"

namespace tenon {

namespace {

// Names and numbers of the System V ABI, chapter 4: https://www.sco.com/developers/gabi/latest
constexpr uint32_t kProgbits = 1;
constexpr uint32_t kSymtab = 2;
constexpr uint32_t kStrtab = 3;
constexpr uint32_t kNote = 7;
constexpr uint64_t kAlloc = 2;
constexpr uint64_t kX86Large = 0x10000000;
constexpr uint8_t kLocalFile = 4;        // STB_LOCAL, STT_FILE
constexpr uint8_t kGlobalObject = 0x11;  // STB_GLOBAL, STT_OBJECT
constexpr uint8_t kHidden = 2;
constexpr uint16_t kAbsolute = 0xfff1;
/// Section numbers from here on are reserved.
constexpr size_t kMostSections = 0xff00;
constexpr uint16_t kMachineX86_64 = 62;
constexpr uint16_t kMachineAArch64 = 183;

struct Section {
  uint32_t name = 0;
  uint32_t type = kProgbits;
  uint64_t flags = 0;
  uint64_t offset = 0;
  uint64_t size = 0;
  uint32_t link = 0;
  uint32_t info = 0;
  uint64_t alignment = 1;
  uint64_t entry_size = 0;
};

/// Writes ELF structures, whose fields depend on the machine's word size.
class ElfWriter {
 public:
  explicit ElfWriter(const ElfTarget& target) : target_(target) {}

  void Word(uint64_t value, std::string& out) const {
    if (target_.is_64_bit) {
      AppendLittleEndian(value, &out);
    } else {
      AppendLittleEndian(static_cast<uint32_t>(value), &out);
    }
  }

  uint64_t WordBytes() const { return target_.is_64_bit ? 8 : 4; }
  uint16_t HeaderBytes() const { return target_.is_64_bit ? 64 : 52; }
  uint16_t SectionBytes() const { return target_.is_64_bit ? 64 : 40; }
  uint64_t SymbolBytes() const { return target_.is_64_bit ? 24 : 16; }

  std::string Header(uint64_t sections_at, size_t sections, size_t names) const {
    std::string out(
        "\x7f"
        "ELF",
        4);
    out += static_cast<char>(target_.is_64_bit ? 2 : 1);
    out += '\1';  // little endian
    out += '\1';  // version
    out.resize(16, '\0');
    AppendLittleEndian(uint16_t{1}, &out);  // relocatable
    AppendLittleEndian(target_.machine, &out);
    AppendLittleEndian(uint32_t{1}, &out);
    Word(0, out);  // entry
    Word(0, out);  // program headers
    Word(sections_at, out);
    AppendLittleEndian(target_.flags, &out);
    AppendLittleEndian(HeaderBytes(), &out);
    AppendLittleEndian(uint16_t{0}, &out);
    AppendLittleEndian(uint16_t{0}, &out);
    AppendLittleEndian(SectionBytes(), &out);
    AppendLittleEndian(static_cast<uint16_t>(sections), &out);
    AppendLittleEndian(static_cast<uint16_t>(names), &out);
    return out;
  }

  void Append(const Section& section, std::string& out) const {
    AppendLittleEndian(section.name, &out);
    AppendLittleEndian(section.type, &out);
    Word(section.flags, out);
    Word(0, out);  // address
    Word(section.offset, out);
    Word(section.size, out);
    AppendLittleEndian(section.link, &out);
    AppendLittleEndian(section.info, &out);
    Word(section.alignment, out);
    Word(section.entry_size, out);
  }

  void Symbol(uint32_t name, uint8_t info, uint8_t other, uint16_t section, uint64_t value,
              uint64_t size, std::string& out) const {
    AppendLittleEndian(name, &out);
    if (!target_.is_64_bit) {
      Word(value, out);
      Word(size, out);
    }
    out += static_cast<char>(info);
    out += static_cast<char>(other);
    AppendLittleEndian(section, &out);
    if (target_.is_64_bit) {
      Word(value, out);
      Word(size, out);
    }
  }

  /// `.note.gnu.property` with one property: the features that all code of the object supports,
  /// which holds since there is no code. Empty for other machines.
  std::string PropertyNote() const {
    const bool is_x86 = target_.machine == kMachineX86_64;
    if (!is_x86 && target_.machine != kMachineAArch64) return {};
    std::string property;
    AppendLittleEndian(is_x86 ? uint32_t{0xc0000002} : uint32_t{0xc0000000}, &property);
    AppendLittleEndian(uint32_t{4}, &property);
    AppendLittleEndian(is_x86 ? uint32_t{3} : uint32_t{7}, &property);  // IBT, SHSTK; BTI, PAC, GCS
    property.resize((property.size() + WordBytes() - 1) / WordBytes() * WordBytes(), '\0');
    std::string note;
    AppendLittleEndian(uint32_t{4}, &note);
    AppendLittleEndian(static_cast<uint32_t>(property.size()), &note);
    AppendLittleEndian(uint32_t{5}, &note);
    note.append("GNU", 4);
    return note + property;
  }

 private:
  const ElfTarget& target_;
};

/// Assembles an object.
class Builder {
 public:
  Builder(const ElfTarget& target, const ImageLayout& layout)
      : target_(target), layout_(layout), writer_(target) {}

  ElfObject Build(std::string_view source) {
    sections_.emplace_back().type = 0;
    sections_[0].alignment = 0;
    uint64_t at = writer_.HeaderBytes();
    object_.begin = static_cast<int64_t>(at);
    for (const ImageSection& section : layout_.sections) at = Place(section, at);
    object_.tail_offset = static_cast<int64_t>(at);
    AddTail(".note.gnu.property", kNote, kAlloc, writer_.WordBytes(), writer_.PropertyNote());
    AddTail(".note.GNU-stack", kProgbits, 0, 1, {}, /*even_if_empty=*/true);
    const uint32_t symbols = AddSymbols(source);
    const auto strings = static_cast<uint32_t>(sections_.size());
    AddTail(".strtab", kStrtab, 0, 1, symbol_names_.bytes());
    sections_[symbols].link = strings;
    section_names_.Add(".shstrtab");
    // The name of this section is the last string in the table that it describes.
    Section names;
    names.name = static_cast<uint32_t>(section_names_.bytes().size() - sizeof(".shstrtab"));
    names.type = kStrtab;
    Append(names, section_names_.bytes());
    PadTail(writer_.WordBytes());
    const uint64_t headers = TailEnd();
    for (const Section& section : sections_) writer_.Append(section, object_.tail);
    object_.head = writer_.Header(headers, sections_.size(), sections_.size() - 1);
    return std::move(object_);
  }

 private:
  bool IsLarge() const {
    return target_.machine == kMachineX86_64 && layout_.size_bytes > kLargeSectionBytes;
  }

  uint64_t Place(const ImageSection& section, uint64_t at) {
    Section header;
    std::string name = section.name;
    header.flags = kAlloc;
    if (IsLarge()) {
      header.flags |= kX86Large;
      if (name.starts_with(".rodata")) name.insert(name.begin() + 1, 'l');
    }
    header.name = section_names_.Add(name);
    header.alignment = static_cast<uint64_t>(section.alignment);
    // The file offset need not have the alignment in memory; page alignment makes copies fast.
    const uint64_t step = std::min<uint64_t>(header.alignment, 4096);
    header.offset = (at + step - 1) / step * step;
    header.size = static_cast<uint64_t>(section.size_bytes);
    object_.offsets.push_back(static_cast<int64_t>(header.offset));
    sections_.push_back(header);
    return header.offset + header.size;
  }

  uint64_t TailEnd() const {
    return static_cast<uint64_t>(object_.tail_offset) + object_.tail.size();
  }

  void PadTail(uint64_t alignment) {
    while (TailEnd() % alignment != 0) object_.tail += '\0';
  }

  void Append(Section header, std::string_view bytes) {
    PadTail(header.alignment);
    header.offset = TailEnd();
    header.size = bytes.size();
    object_.tail += bytes;
    sections_.push_back(header);
  }

  void AddTail(std::string_view name, uint32_t type, uint64_t flags, uint64_t alignment,
               std::string_view bytes, bool even_if_empty = false) {
    if (bytes.empty() && !even_if_empty) return;
    Section header;
    header.name = section_names_.Add(name);
    header.type = type;
    header.flags = flags;
    header.alignment = alignment;
    Append(header, bytes);
  }

  /// The index of the symbol table's section.
  uint32_t AddSymbols(std::string_view source) {
    std::string symbols;
    writer_.Symbol(0, 0, 0, 0, 0, 0, symbols);
    writer_.Symbol(symbol_names_.Add(source), kLocalFile, 0, kAbsolute, 0, 0, symbols);
    for (size_t i = 0; i < layout_.sections.size(); ++i) {
      for (const PlacedBlob& placed : layout_.sections[i].blobs) {
        writer_.Symbol(symbol_names_.Add(placed.blob->name), kGlobalObject, kHidden,
                       static_cast<uint16_t>(i + 1), static_cast<uint64_t>(placed.offset),
                       static_cast<uint64_t>(placed.size_bytes), symbols);
        AddParts(placed, static_cast<uint16_t>(i + 1), symbols);
      }
    }
    const auto index = static_cast<uint32_t>(sections_.size());
    AddTail(".symtab", kSymtab, 0, writer_.WordBytes(), symbols);
    sections_.back().info = 2;  // index of the first symbol that is not local
    sections_.back().entry_size = writer_.SymbolBytes();
    return index;
  }

  /// A symbol for each constant of a pool: `POOL.CONSTANT`, which no C identifier equals. Linkers
  /// show them in maps; they take no bytes of an image.
  void AddParts(const PlacedBlob& placed, uint16_t section, std::string& symbols) {
    const std::vector<std::string> names = PartSymbols(*placed.blob);
    for (size_t i = 0; i < names.size(); ++i) {
      if (names[i].empty()) continue;
      const BlobPart& part = placed.blob->parts[i];
      writer_.Symbol(symbol_names_.Add(names[i]), kGlobalObject, kHidden, section,
                     static_cast<uint64_t>(placed.offset + part.offset),
                     static_cast<uint64_t>(part.size_bytes), symbols);
    }
  }

  const ElfTarget& target_;
  const ImageLayout& layout_;
  ElfWriter writer_;
  ElfStrings section_names_;
  ElfStrings symbol_names_;
  std::vector<Section> sections_;
  ElfObject object_;
};

}  // namespace

absl::StatusOr<ElfObject> MakeElfObject(const ElfTarget& target, const ImageLayout& layout,
                                        std::string_view source) {
  // Leaves numbers for notes, tables and their names, which come after the data.
  if (layout.sections.size() > kMostSections - 8) {
    return absl::OutOfRangeError(fmt::format("{} sections of constants are more than an object has",
                                             layout.sections.size()));
  }
  const absl::Status too_large = absl::OutOfRangeError(
      fmt::format("{} bytes of constants are more than a 32-bit object of {} can have",
                  layout.size_bytes, target.name));
  constexpr int64_t kMost32 = int64_t{UINT32_MAX};
  if (!target.is_64_bit && layout.size_bytes > kMost32) return too_large;
  ElfObject object = Builder(target, layout).Build(source);
  const int64_t end = object.tail_offset + static_cast<int64_t>(object.tail.size());
  if (!target.is_64_bit && end > kMost32) return too_large;
  return object;
}

absl::Status StreamElfObject(const ElfObject& object, const ImageLayout& layout,
                             const ByteSink& sink) {
  TENON_TRY(sink(object.head));
  int64_t at = object.begin;
  for (size_t i = 0; i < layout.sections.size(); ++i) {
    TENON_TRY(StreamZeros(object.offsets[i] - at, sink));
    TENON_TRY(StreamSection(layout.sections[i], sink));
    at = object.offsets[i] + layout.sections[i].size_bytes;
  }
  return sink(object.tail);
}

}  // namespace tenon
