// Every error of the file is reported at its place in one run, as in passes/memory/pools_file.cc.

#include "compile/board.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "absl/container/flat_hash_map.h"
#include "lowering/named_targets.h"
#include "passes/memory/pool_members.h"
#include "passes/memory/pools_file.h"
#include "support/byte_size.h"
#include "support/nearest_name.h"

namespace tenon {

namespace {

constexpr std::array<std::string_view, 7> kBoardMembers = {
    "name", "vendor", "chip", "processor", "memories", "note", "source"};
constexpr std::array<std::string_view, 11> kMemoryMembers = {"name",
                                                             "kind",
                                                             "address",
                                                             "size",
                                                             "reserve",
                                                             "section",
                                                             "clock_frequency_hz",
                                                             "read_bandwidth_bytes_per_cycle",
                                                             "write_bandwidth_bytes_per_cycle",
                                                             "read_latency_cycles",
                                                             "write_latency_cycles"};

std::string_view KindName(bool is_constant) { return is_constant ? "flash" : "ram"; }

class BoardReader {
 public:
  BoardReader(const SourceFile& file, Diagnostics& diagnostics)
      : diagnostics_(diagnostics), members_(file, diagnostics) {}

  std::optional<Board> Read() {
    const size_t errors = diagnostics_.error_count();
    const std::optional<JsonValue> root = checks_.Parse(PoolMembers::Limits());
    if (!root) return std::nullopt;
    ReadRoot(*root);
    if (diagnostics_.error_count() != errors) return std::nullopt;
    return std::move(board_);
  }

 private:
  using Places = absl::flat_hash_map<std::string, size_t>;

  /// Calls `read` with each member of an object once, and reports those of `required` that it
  /// lacks. Returns the places of the members.
  template <class Read, size_t kCount>
  Places ReadMembers(std::string_view what, const JsonValue& value,
                     const std::array<std::string_view, kCount>& required, const Read& read) {
    Places places;
    const JsonValue::Object* members = checks_.Object(what, value);
    if (members == nullptr) return places;
    for (size_t i = 0; i < members->size(); ++i) {
      const JsonMember& member = (*members)[i];
      if (checks_.IsDuplicate(*members, i)) continue;
      places[member.key] = member.value.offset();
      read(member);
    }
    for (const std::string_view key : required) {
      if (places.contains(std::string(key))) continue;
      checks_.Error(DiagnosticKind::kArguments, value.offset(),
                    fmt::format("{} has no `{}`", what, key));
    }
    return places;
  }

  template <size_t kCount>
  void Unknown(const JsonMember& member, std::string_view what,
               const std::array<std::string_view, kCount>& known) const {
    const std::vector<std::string> names(known.begin(), known.end());
    const std::string near = DidYouMean(member.key, names);
    checks_.Error(
        DiagnosticKind::kArguments, member.key_offset,
        fmt::format(
            "unknown member `{}` of {}{}", ShownText(member.key), what,
            near.empty() ? fmt::format(", expected one of {}", fmt::join(known, ", ")) : near));
  }

  void ReadRoot(const JsonValue& root) {
    constexpr std::array<std::string_view, 3> kRequired = {"name", "processor", "memories"};
    ReadMembers("the board", root, kRequired,
                [&](const JsonMember& member) { ReadBoardMember(member); });
  }

  void ReadBoardMember(const JsonMember& member) {
    const std::string& key = member.key;
    if (key == "name") {
      board_.name = members_.PlainName("a board", member.value).value_or("");
    } else if (key == "processor") {
      ReadProcessor(member.value);
    } else if (key == "memories") {
      ReadMemories(member.value);
    } else if (key == "vendor") {
      ReadText(member, board_.vendor);
    } else if (key == "chip") {
      ReadText(member, board_.chip);
    } else if (key == "note") {
      ReadText(member, board_.note);
    } else if (key == "source") {
      ReadText(member, board_.source);
    } else {
      Unknown(member, "a board", kBoardMembers);
    }
  }

  void ReadText(const JsonMember& member, std::string& out) const {
    const std::string* text = checks_.Text(fmt::format("`{}`", member.key), member.value);
    if (text != nullptr) out = EscapeControls(*text);
  }

  void ReadProcessor(const JsonValue& value) {
    const std::string* text = checks_.Text("`processor`", value);
    if (text == nullptr) return;
    board_.processor = *text;
    const absl::Status known = CheckTriple(WithNamedTarget({*text, "", ""}).triple);
    if (!known.ok())
      checks_.Error(DiagnosticKind::kLiteral, value.offset(), std::string(known.message()));
  }

  void ReadMemories(const JsonValue& value) {
    const JsonValue::Array* items = checks_.List("`memories`", value);
    if (items == nullptr) return;
    if (items->size() > kMostPools) {
      checks_.Error(
          DiagnosticKind::kLimit, (*items)[kMostPools].offset(),
          fmt::format("{} memories, more than the limit of {}", items->size(), kMostPools));
      return;
    }
    const size_t errors = diagnostics_.error_count();
    for (const JsonValue& item : *items) ReadMemory(item);
    if (diagnostics_.error_count() != errors) return;
    CheckOverlaps(*items);
    CheckSections(*items);
    if (std::ranges::all_of(board_.memories, [](const auto& m) { return m.pool.is_constant; }))
      checks_.Error(DiagnosticKind::kArguments, value.offset(),
                    "expected a memory of kind `ram` for the workspace");
  }

  void ReadMemory(const JsonValue& value) {
    constexpr std::array<std::string_view, 4> kRequired = {"name", "kind", "address", "size"};
    BoardMemory memory;
    memory.pool.is_internal = true;
    const Places places = ReadMembers("a memory", value, kRequired, [&](const JsonMember& member) {
      ReadMemoryMember(member, memory);
    });
    if (memory.reserved_bytes > memory.size_bytes && places.contains("reserve")) {
      checks_.Error(DiagnosticKind::kLiteral, places.at("reserve"),
                    fmt::format("expected to reserve at most the {} bytes of the memory, found {}",
                                memory.size_bytes, memory.reserved_bytes));
    }
    memory.pool.size_hint_bytes = memory.size_bytes - memory.reserved_bytes;
    board_.memories.push_back(std::move(memory));
  }

  void ReadMemoryMember(const JsonMember& member, BoardMemory& memory) {
    const std::string& key = member.key;
    // An end of a memory is at most twice this.
    constexpr int64_t kMostAddress = kMostPoolSize / 2;
    if (key == "name") {
      memory.pool.name = members_.Name("a memory", "two memories", member.value).value_or("");
    } else if (key == "kind") {
      ReadKind(member.value, memory);
    } else if (key == "address") {
      members_.Bytes(member, 0, kMostAddress, memory.address);
    } else if (key == "size") {
      members_.Bytes(member, 1, kMostAddress, memory.size_bytes);
    } else if (key == "reserve") {
      members_.Bytes(member, 0, kMostAddress, memory.reserved_bytes);
    } else if (key == "section") {
      members_.Section(member.value, memory.pool.section);
    } else if (!members_.Cost(member, memory.pool.cost)) {
      Unknown(member, "a memory", kMemoryMembers);
    }
  }

  void ReadKind(const JsonValue& value, BoardMemory& memory) const {
    const std::string* kind = value.as_string();
    if (kind == nullptr) return checks_.WrongType("`kind`", value, "`flash` or `ram`");
    memory.pool.is_constant = *kind == KindName(true);
    if (memory.pool.is_constant || *kind == KindName(false)) return;
    checks_.Error(DiagnosticKind::kLiteral, value.offset(),
                  fmt::format("expected the kind `flash` or `ram`, found `{}`", ShownText(*kind)));
  }

  /// A linker script places each section in one memory.
  void CheckSections(const JsonValue::Array& items) const {
    for (size_t i = 0; i < board_.memories.size(); ++i) {
      for (size_t before = 0; before < i; ++before) {
        const PoolInfo& pool = board_.memories[i].pool;
        const PoolInfo& other = board_.memories[before].pool;
        if (pool.is_constant != other.is_constant || pool.section != other.section) continue;
        Diagnostic& error = checks_.Error(
            DiagnosticKind::kArguments, items[i].offset(),
            fmt::format("expected a section of its own for `{}`, found {}", pool.name,
                        pool.section.empty() ? fmt::format("none, as for `{}`", other.name)
                                             : fmt::format("that of `{}`", other.name)));
        Diagnostics::AddNote(error, checks_.RangeAt(items[before].offset()), "it is here");
      }
    }
  }

  /// Two memories at the same addresses are one memory, which must not be planned twice.
  void CheckOverlaps(const JsonValue::Array& items) const {
    std::vector<size_t> order(items.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    const auto memory = [&](size_t i) -> const BoardMemory& { return board_.memories[i]; };
    std::ranges::stable_sort(
        order, [&](size_t a, size_t b) { return memory(a).address < memory(b).address; });
    size_t last = 0;  // the one that ends last, of those so far
    for (size_t i = 1; i < order.size(); ++i) {
      const BoardMemory& before = memory(order[last]);
      const BoardMemory& now = memory(order[i]);
      if (now.address < before.address + before.size_bytes) {
        Diagnostic& error = checks_.Error(
            DiagnosticKind::kArguments, items[order[i]].offset(),
            fmt::format("`{}` begins at {:#x}, before the end of `{}` at {:#x}", now.pool.name,
                        now.address, before.pool.name, before.address + before.size_bytes));
        Diagnostics::AddNote(error, checks_.RangeAt(items[order[last]].offset()), "it is here");
      }
      if (now.address + now.size_bytes > before.address + before.size_bytes) last = i;
    }
  }

  Diagnostics& diagnostics_;
  PoolMembers members_;
  const JsonChecks& checks_ = members_.checks();
  Board board_;
};

std::string_view ArchitectureOf(const TargetSpec& spec) {
  return std::string_view(spec.triple).substr(0, spec.triple.find('-'));
}

/// `arm` for all Arm cores of 32 bits; the architecture of other triples.
std::string_view FamilyOf(const TargetSpec& spec) {
  const std::string_view architecture = ArchitectureOf(spec);
  const bool is_arm = architecture.starts_with("thumb") ||
                      (architecture.starts_with("arm") && !architecture.starts_with("arm64"));
  return is_arm ? "arm" : architecture.starts_with("riscv32") ? "riscv32" : architecture;
}

/// `128 KiB of `ram` at 0x20000000, of which 16 KiB are reserved`.
std::string MemoryText(const BoardMemory& memory) {
  std::string text = fmt::format("{} of `{}` at {:#x}", ShortBytes(memory.size_bytes),
                                 memory.pool.name, memory.address);
  if (memory.reserved_bytes > 0)
    text += fmt::format(", of which {} are reserved", ShortBytes(memory.reserved_bytes));
  return text;
}

}  // namespace

int64_t Board::Bytes(bool is_constant) const {
  int64_t bytes = 0;
  for (const BoardMemory& memory : memories) {
    if (memory.pool.is_constant == is_constant) bytes += memory.pool.size_hint_bytes;
  }
  return bytes;
}

std::optional<Board> ParseBoard(SourceManager& sources, const BoardText& text,
                                Diagnostics& diagnostics) {
  const SourceFile* const file = AddSource(sources, text.name, text.text, text.owner, diagnostics);
  if (file == nullptr) return std::nullopt;
  return BoardReader(*file, diagnostics).Read();
}

absl::Status Reserve(Board& board, std::string_view words) {
  const size_t colon = words.rfind(':');
  const std::string_view name = words.substr(0, colon);
  const std::optional<int64_t> bytes =
      colon == std::string_view::npos ? std::nullopt : ParseByteSize(words.substr(colon + 1));
  if (!bytes) {
    return absl::InvalidArgumentError(fmt::format(
        "--reserve: expected MEMORY:BYTES such as ram:16K, found `{}`", ShownText(words)));
  }
  std::vector<std::string> names;
  for (BoardMemory& memory : board.memories) {
    names.push_back(memory.pool.name);
    if (memory.pool.name != name) continue;
    if (*bytes > memory.size_bytes) {
      return absl::InvalidArgumentError(
          fmt::format("--reserve: expected at most {} bytes, the size of `{}`, found {}",
                      memory.size_bytes, name, *bytes));
    }
    memory.reserved_bytes = *bytes;
    memory.pool.size_hint_bytes = memory.size_bytes - *bytes;
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      fmt::format("--reserve: expected a memory of {}, one of {}; found `{}`", board.name,
                  fmt::join(names, ", "), ShownText(name)));
}

absl::Status UseProcessor(const Board& board, TargetSpec& target) {
  if (target.triple.empty()) {
    target.triple = board.processor;
    return absl::OkStatus();
  }
  const TargetSpec given = WithNamedTarget({target.triple, "", ""});
  const TargetSpec own = WithNamedTarget({board.processor, "", ""});
  // A triple names no processor: the user knows whether the board's runs its code, which has at
  // least the same family.
  const bool is_triple = given.triple == target.triple || own.triple == board.processor;
  const bool is_same = is_triple ? FamilyOf(given) == FamilyOf(own)
                                 : !own.cpu.empty() && given.cpu == own.cpu &&
                                       ArchitectureOf(given) == ArchitectureOf(own);
  // The same core may be without its floating-point unit, but code must not need a missing one.
  constexpr std::string_view kNoUnit = "+nofp";
  const bool needs_unit = board.processor.ends_with(kNoUnit) && !target.triple.ends_with(kNoUnit);
  if (board.processor == target.triple || (is_same && (is_triple || !needs_unit)))
    return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("--target is `{}`, but {} has the processor `{}`: leave out --target, or copy "
                  "the board with --print-board",
                  ShownText(target.triple), board.name, ShownText(board.processor)));
}

std::vector<PoolInfo> PoolsOf(const Board& board) {
  std::vector<PoolInfo> pools;
  for (const BoardMemory& memory : board.memories) pools.push_back(memory.pool);
  return pools;
}

void NoteBoard(const Board& board, Diagnostics& diagnostics) {
  const std::vector<Diagnostic> all = diagnostics.all();
  diagnostics.Clear();
  for (const Diagnostic& one : all) {
    Diagnostic& again =
        one.severity == Severity::kError     ? diagnostics.Error(one.kind, one.range, one.message)
        : one.severity == Severity::kWarning ? diagnostics.Warning(one.kind, one.range, one.message)
                                             : diagnostics.Note(one.kind, one.range, one.message);
    again.notes = one.notes;
    if (!one.message.starts_with("does not fit: ")) continue;
    std::vector<std::string> memories;
    size_t first = std::string::npos;
    for (const BoardMemory& memory : board.memories) {
      const size_t at = one.message.find(fmt::format("pool `{}`", memory.pool.name));
      if (at < first) memories.assign(1, MemoryText(memory));
      if (first == std::string::npos && at == first && !memory.pool.is_constant)
        memories.push_back(MemoryText(memory));
      first = std::min(first, at);
    }
    if (memories.empty()) continue;
    Diagnostics::AddNote(again, {},
                         fmt::format("{} has {}", board.name, fmt::join(memories, ", and ")));
  }
}

}  // namespace tenon
