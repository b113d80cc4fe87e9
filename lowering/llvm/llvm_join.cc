#include "lowering/llvm/llvm_join.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/BinaryFormat/ELF.h>
#include <llvm/Object/ELF.h>
#include <llvm/Object/ELFTypes.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "lowering/image/elf_strings.h"

// Joins the objects of a module's parts. A linker could do so (`ld -r`), but none may be installed,
// and the bytes would depend on its version.

namespace tenon::llvm_lowering {

namespace {

namespace elf = llvm::ELF;
using Elf = llvm::object::ELF64LE;

/// An index of the joined object's tables.
using Index = size_t;

enum class SymbolKind : uint8_t { kSection, kLocal, kGlobal };

/// Refers to a section or to an element of the local or global symbols.
struct SymbolRef {
  SymbolKind kind = SymbolKind::kLocal;
  Index index = 0;
};

struct Relocation {
  uint64_t offset = 0;
  uint32_t type = 0;
  int64_t addend = 0;
  SymbolRef symbol;
};

struct Section {
  std::string name;
  uint32_t type = 0;
  uint64_t flags = 0;
  uint64_t entry_size = 0;
  uint64_t alignment = 1;
  /// Empty if the section takes no bytes of the file.
  std::string bytes;
  uint64_t size = 0;
  std::vector<Relocation> relocations;
  bool is_referenced = false;
};

struct Symbol {
  std::string name;
  uint8_t type = 0;
  uint8_t binding = 0;
  uint8_t visibility = 0;
  /// A section of the joined object, or a reserved number.
  uint32_t section = 0;
  uint64_t value = 0;
  uint64_t size = 0;
};

/// The place of a section of an object in the joined section.
struct Place {
  std::optional<Index> section;
  uint64_t offset = 0;
};

template <typename T>
void AppendBytes(const T& value, std::string& out) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

void PadTo(uint64_t alignment, std::string& out) {
  const uint64_t step = std::max<uint64_t>(alignment, 1);
  out.resize((out.size() + step - 1) / step * step, '\0');
}

/// Collects the contents of the objects. Functions return false for what JoinObjects leaves out.
class Joiner {
 public:
  explicit Joiner(const absl::flat_hash_set<std::string>& locals) : locals_(locals) {}

  bool Add(const std::string& object);
  std::string Write();

 private:
  using File = llvm::object::ELFFile<Elf>;

  bool AddContents(const File& file);
  bool AddSection(const File& file, const Elf::Shdr& header);
  bool Append(const File& file, const Elf::Shdr& header, Section& section);
  bool AddSymbols(const File& file, const Elf::Shdr& table);
  bool AddSymbol(const Elf::Sym& symbol, std::string name);
  SymbolRef AddLocal(Symbol symbol);
  SymbolRef AddGlobal(Symbol symbol);
  bool AddRelocations(const File& file, const Elf::Shdr& table);
  void Number();
  void WriteSymbols(ElfStrings& names, std::string& out) const;
  Elf::Sym Encode(const Symbol& symbol, uint32_t name) const;
  std::string RelocationsOf(const Section& section) const;

  const absl::flat_hash_set<std::string>& locals_;
  std::optional<Elf::Ehdr> header_;
  std::vector<Section> sections_;
  std::map<std::tuple<std::string, uint32_t, uint64_t, uint64_t>, Index> index_;
  std::vector<Symbol> local_;
  std::vector<Symbol> global_;
  absl::flat_hash_map<std::string, Index> global_index_;
  absl::flat_hash_map<std::string, Index> file_symbols_;
  /// The sections of the object that is added, in the joined object.
  std::vector<Place> places_;
  /// The symbols of the object that is added, and what its relocations add to them.
  std::vector<SymbolRef> symbols_;
  std::vector<uint64_t> symbol_offsets_;
  /// The numbers of symbols in the joined object, for each kind.
  std::vector<uint32_t> section_numbers_;
  std::vector<uint32_t> global_numbers_;
  uint32_t first_local_ = 0;
  uint32_t first_global_ = 0;
};

/// The value of an expected one; consumes the error.
template <typename T>
std::optional<T> Get(llvm::Expected<T> value) {
  if (value) return std::move(*value);
  llvm::consumeError(value.takeError());
  return std::nullopt;
}

bool Joiner::Add(const std::string& object) {
  const auto file = Get(File::create(object));
  if (!file) return false;
  const Elf::Ehdr& header = file->getHeader();
  if (header.getFileClass() != elf::ELFCLASS64 || header.getDataEncoding() != elf::ELFDATA2LSB ||
      header.e_type != elf::ET_REL)
    return false;
  if (!header_) header_ = header;
  const bool is_same = header.e_machine == header_->e_machine && header.e_flags == header_->e_flags;
  if (!is_same || !AddContents(*file)) return false;
  // Each section may have one of relocations; then come the tables. Larger numbers are reserved.
  return 2 * sections_.size() + 4 < elf::SHN_LORESERVE;
}

bool Joiner::AddContents(const File& file) {
  const auto headers = Get(file.sections());
  if (!headers) return false;
  places_.clear();
  symbols_.clear();
  symbol_offsets_.clear();
  for (const Elf::Shdr& header : *headers) {
    if (!AddSection(file, header)) return false;
  }
  for (const Elf::Shdr& header : *headers) {
    if (header.sh_type == elf::SHT_SYMTAB && !AddSymbols(file, header)) return false;
  }
  return std::all_of(headers->begin(), headers->end(), [&](const Elf::Shdr& header) {
    return header.sh_type != elf::SHT_RELA || AddRelocations(file, header);
  });
}

/// Whether the bytes of a section of that type may follow each other.
bool IsContent(const Elf::Shdr& header, uint16_t machine) {
  constexpr uint64_t kKnown =
      elf::SHF_WRITE | elf::SHF_ALLOC | elf::SHF_EXECINSTR | elf::SHF_MERGE | elf::SHF_STRINGS;
  const uint64_t large = machine == elf::EM_X86_64 ? uint64_t{elf::SHF_X86_64_LARGE} : 0;
  if ((header.sh_flags & ~(kKnown | large)) != 0) return false;
  return header.sh_type == elf::SHT_PROGBITS || header.sh_type == elf::SHT_NOBITS ||
         header.sh_type == elf::SHT_NOTE ||
         (machine == elf::EM_X86_64 && header.sh_type == elf::SHT_X86_64_UNWIND);
}

bool Joiner::AddSection(const File& file, const Elf::Shdr& header) {
  Place& place = places_.emplace_back();
  switch (header.sh_type) {
    case elf::SHT_NULL:
    case elf::SHT_SYMTAB:
    case elf::SHT_STRTAB:
    case elf::SHT_RELA:
    case elf::SHT_LLVM_ADDRSIG:  // a hint, which refers to symbols by number
      return true;
    default:
      break;
  }
  const auto name = Get(file.getSectionName(header));
  if (!name || !IsContent(header, header_->e_machine)) return false;
  const auto [found, is_new] = index_.try_emplace(
      {name->str(), header.sh_type, header.sh_flags, header.sh_entsize}, sections_.size());
  if (is_new) {
    sections_.push_back(
        {name->str(), header.sh_type, header.sh_flags, header.sh_entsize, 1, {}, 0, {}, false});
  }
  Section& section = sections_[found->second];
  place.section = found->second;
  if (header.sh_type == elf::SHT_NOTE && !is_new) {
    // Features of the code: the same in all parts.
    const auto bytes = Get(file.getSectionContents(header));
    return bytes && llvm::toStringRef(*bytes) == section.bytes;
  }
  if (!Append(file, header, section)) return false;
  place.offset = section.size - header.sh_size;
  return true;
}

bool Joiner::Append(const File& file, const Elf::Shdr& header, Section& section) {
  const uint64_t alignment = std::max<uint64_t>(header.sh_addralign, 1);
  section.alignment = std::max(section.alignment, alignment);
  section.size = (section.size + alignment - 1) / alignment * alignment + header.sh_size;
  if (header.sh_type == elf::SHT_NOBITS) return true;
  const auto bytes = Get(file.getSectionContents(header));
  if (!bytes) return false;
  PadTo(alignment, section.bytes);
  section.bytes += llvm::toStringRef(*bytes);
  return true;
}

bool Joiner::AddSymbols(const File& file, const Elf::Shdr& table) {
  const auto names = Get(file.getStringTableForSymtab(table));
  const auto symbols = Get(file.symbols(&table));
  if (!names || !symbols) return false;
  for (const Elf::Sym& symbol : *symbols) {
    auto name = Get(symbol.getName(*names));
    if (!name || !AddSymbol(symbol, name->str())) return false;
  }
  return true;
}

bool Joiner::AddSymbol(const Elf::Sym& symbol, std::string name) {
  symbol_offsets_.push_back(0);
  Symbol copy = {std::move(name), symbol.getType(), symbol.getBinding(), symbol.getVisibility(),
                 symbol.st_shndx, symbol.st_value,  symbol.st_size};
  if (symbols_.empty()) {
    // The first symbol stands for "no symbol".
    symbols_.emplace_back(SymbolRef{SymbolKind::kSection, 0});
    return true;
  }
  if (symbol.st_shndx < elf::SHN_LORESERVE && symbol.st_shndx != elf::SHN_UNDEF) {
    const Place& place = places_[symbol.st_shndx];
    if (!place.section) return false;
    if (copy.type == elf::STT_SECTION) {
      symbol_offsets_.back() = place.offset;
      sections_[*place.section].is_referenced = true;
      symbols_.push_back({SymbolKind::kSection, *place.section + 1});
      return true;
    }
    copy.section = static_cast<uint32_t>(*place.section + 1);
    copy.value += place.offset;
  } else if (symbol.st_shndx != elf::SHN_UNDEF && symbol.st_shndx != elf::SHN_ABS) {
    return false;
  }
  symbols_.push_back(copy.binding == elf::STB_LOCAL ? AddLocal(std::move(copy))
                                                    : AddGlobal(std::move(copy)));
  return true;
}

SymbolRef Joiner::AddLocal(Symbol symbol) {
  if (symbol.type == elf::STT_FILE) {
    const auto [found, is_new] = file_symbols_.try_emplace(symbol.name, local_.size());
    if (!is_new) return {SymbolKind::kLocal, found->second};
  }
  local_.push_back(std::move(symbol));
  return {SymbolKind::kLocal, local_.size() - 1};
}

SymbolRef Joiner::AddGlobal(Symbol symbol) {
  const auto [found, is_new] = global_index_.try_emplace(symbol.name, global_.size());
  if (is_new) {
    global_.push_back(std::move(symbol));
  } else {
    Symbol& known = global_[found->second];
    const bool is_weak = known.binding == elf::STB_WEAK && symbol.binding == elf::STB_WEAK;
    const uint8_t visibility =
        known.visibility == elf::STV_DEFAULT ? symbol.visibility : known.visibility;
    if (symbol.section != elf::SHN_UNDEF) {
      known = std::move(symbol);
    } else if (known.section == elf::SHN_UNDEF && !is_weak) {
      known.binding = elf::STB_GLOBAL;
    }
    known.visibility = visibility;
  }
  return {SymbolKind::kGlobal, found->second};
}

bool Joiner::AddRelocations(const File& file, const Elf::Shdr& table) {
  const auto relocations = Get(file.relas(table));
  if (!relocations || table.sh_info >= places_.size()) return false;
  const Place& place = places_[table.sh_info];
  if (!place.section) return false;
  Section& section = sections_[*place.section];
  for (const Elf::Rela& from : *relocations) {
    const uint32_t symbol = from.getSymbol(/*isMips64EL=*/false);
    if (symbol >= symbols_.size()) return false;
    section.relocations.push_back({from.r_offset + place.offset, from.getType(/*isMips64EL=*/false),
                                   from.r_addend + static_cast<int64_t>(symbol_offsets_[symbol]),
                                   symbols_[symbol]});
  }
  return true;
}

/// Numbers the symbols: none, sections, local ones, global ones.
void Joiner::Number() {
  uint32_t next = 1;
  section_numbers_ = {0};
  for (const Section& section : sections_) {
    section_numbers_.push_back(section.is_referenced ? next : 0);
    if (section.is_referenced) ++next;
  }
  first_local_ = next;
  next += static_cast<uint32_t>(local_.size());
  const auto is_local = [&](const Symbol& symbol) {
    return symbol.section != elf::SHN_UNDEF && locals_.contains(symbol.name);
  };
  global_numbers_.resize(global_.size());
  for (Symbol& symbol : global_) {
    if (!is_local(symbol)) continue;
    symbol.binding = elf::STB_LOCAL;
    symbol.visibility = elf::STV_DEFAULT;
    global_numbers_[static_cast<size_t>(&symbol - global_.data())] = next++;
  }
  first_global_ = next;
  for (size_t i = 0; i < global_.size(); ++i) {
    if (global_[i].binding != elf::STB_LOCAL) global_numbers_[i] = next++;
  }
}

Elf::Sym Joiner::Encode(const Symbol& symbol, uint32_t name) const {
  Elf::Sym out = {};
  out.st_name = name;
  out.setBindingAndType(symbol.binding, symbol.type);
  out.setVisibility(symbol.visibility);
  out.st_shndx = static_cast<uint16_t>(symbol.section);
  out.st_value = symbol.value;
  out.st_size = symbol.size;
  return out;
}

void Joiner::WriteSymbols(ElfStrings& names, std::string& out) const {
  const auto append = [&](const Symbol& symbol) {
    AppendBytes(Encode(symbol, names.Add(symbol.name)), out);
  };
  append({});
  for (size_t i = 0; i < sections_.size(); ++i) {
    if (!sections_[i].is_referenced) continue;
    append({{}, elf::STT_SECTION, elf::STB_LOCAL, 0, static_cast<uint32_t>(i + 1), 0, 0});
  }
  for (const Symbol& symbol : local_) append(symbol);
  for (const bool is_local : {true, false}) {
    for (const Symbol& symbol : global_) {
      if ((symbol.binding == elf::STB_LOCAL) == is_local) append(symbol);
    }
  }
}

std::string Joiner::RelocationsOf(const Section& section) const {
  std::string out;
  for (const Relocation& from : section.relocations) {
    uint32_t symbol = 0;
    switch (from.symbol.kind) {
      case SymbolKind::kSection:
        symbol = section_numbers_[from.symbol.index];
        break;
      case SymbolKind::kLocal:
        symbol = first_local_ + static_cast<uint32_t>(from.symbol.index);
        break;
      case SymbolKind::kGlobal:
        symbol = global_numbers_[from.symbol.index];
        break;
    }
    Elf::Rela to = {};
    to.r_offset = from.offset;
    to.setSymbolAndType(symbol, from.type, /*IsMips64EL=*/false);
    to.r_addend = from.addend;
    AppendBytes(to, out);
  }
  return out;
}

/// Writes the file: header, contents, table of sections.
class Writer {
 public:
  explicit Writer(const Elf::Ehdr& header) : header_(header) { AppendBytes(header_, out_); }

  /// The index of the section in the table.
  uint32_t Append(std::string_view name, Elf::Shdr header, std::string_view bytes) {
    PadTo(header.sh_addralign, out_);
    header.sh_name = names_.Add(name);
    header.sh_offset = out_.size();
    if (header.sh_type != elf::SHT_NOBITS) header.sh_size = bytes.size();
    out_ += bytes;
    headers_.push_back(header);
    return static_cast<uint32_t>(headers_.size() - 1);
  }

  std::string Finish() {
    Elf::Shdr header = {};
    header.sh_type = elf::SHT_STRTAB;
    header.sh_addralign = 1;
    // The name of this section is in the table that it contains.
    header.sh_name = names_.Add(".shstrtab");
    header.sh_offset = out_.size();
    header.sh_size = names_.bytes().size();
    out_ += names_.bytes();
    headers_.push_back(header);
    PadTo(alignof(uint64_t), out_);
    header_.e_shoff = out_.size();
    header_.e_shnum = static_cast<uint16_t>(headers_.size());
    header_.e_shstrndx = static_cast<uint16_t>(headers_.size() - 1);
    for (const Elf::Shdr& section : headers_) AppendBytes(section, out_);
    std::string start;
    AppendBytes(header_, start);
    out_.replace(0, start.size(), start);
    return std::move(out_);
  }

 private:
  Elf::Ehdr header_;
  std::string out_;
  ElfStrings names_;
  std::vector<Elf::Shdr> headers_ = {Elf::Shdr{}};
};

std::string Joiner::Write() {
  Number();
  Writer writer(*header_);
  for (const Section& section : sections_) {
    Elf::Shdr header = {};
    header.sh_type = section.type;
    header.sh_flags = section.flags;
    header.sh_entsize = section.entry_size;
    header.sh_addralign = section.alignment;
    header.sh_size = section.size;
    writer.Append(section.name, header, section.bytes);
  }
  uint32_t tables = 0;
  for (const Section& section : sections_) tables += section.relocations.empty() ? 0 : 1;
  const auto symbols = static_cast<uint32_t>(sections_.size()) + tables + 1;
  Elf::Shdr header = {};
  header.sh_type = elf::SHT_RELA;
  header.sh_flags = elf::SHF_INFO_LINK;
  header.sh_entsize = sizeof(Elf::Rela);
  header.sh_addralign = alignof(uint64_t);
  header.sh_link = symbols;
  for (size_t i = 0; i < sections_.size(); ++i) {
    if (sections_[i].relocations.empty()) continue;
    header.sh_info = static_cast<uint32_t>(i + 1);
    writer.Append(".rela" + sections_[i].name, header, RelocationsOf(sections_[i]));
  }
  ElfStrings names;
  std::string table;
  WriteSymbols(names, table);
  header.sh_type = elf::SHT_SYMTAB;
  header.sh_flags = 0;
  header.sh_entsize = sizeof(Elf::Sym);
  header.sh_info = first_global_;
  header.sh_link = symbols + 1;
  writer.Append(".symtab", header, table);
  header = {};
  header.sh_type = elf::SHT_STRTAB;
  header.sh_addralign = 1;
  writer.Append(".strtab", header, names.bytes());
  return writer.Finish();
}

}  // namespace

std::optional<std::string> JoinObjects(const std::vector<std::string>& objects,
                                       const absl::flat_hash_set<std::string>& locals) {
  if (objects.empty()) return std::nullopt;
  Joiner joiner(locals);
  for (const std::string& object : objects) {
    if (!joiner.Add(object)) return std::nullopt;
  }
  return joiner.Write();
}

}  // namespace tenon::llvm_lowering
