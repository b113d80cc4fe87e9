// A decoder as TIR, and not as C, so that every back end and the interpreter has it. Each length is
// checked before its bytes are touched, since a damaged block must not write outside of the output.

#include "passes/lowering/lz4_function.h"

#include <vector>

#include "ir/builtins.h"

namespace tenon {

namespace {

/// A sequence of a block is a token, literals and a match. The token's upper four bits begin the
/// number of literals, its lower four bits the length of the match. 15 means that more bytes
/// follow.
constexpr int64_t kFourBits = 15;
constexpr int64_t kByteMax = 255;
constexpr int64_t kLeastMatch = 4;

class Lz4Builder {
 public:
  Lz4Builder(NodeBuilder& builder, DataType size_type)
      : builder_(builder),
        type_(size_type),
        stored_(builder.NewVar("stored", size_type)),
        size_(builder.NewVar("size", size_type)),
        from_(NewBuffer("from_bytes", "source", DataType::UInt(8), stored_)),
        to_(NewBuffer("to_bytes", "target", DataType::UInt(8), size_)),
        read_(NewCounter("bytes_read")),
        written_(NewCounter("bytes_written")),
        length_(NewCounter("length")),
        byte_(NewCounter("byte")),
        token_(NewCounter("token")),
        offset_(NewCounter("match_offset")) {}

  const PrimFunc* Make(const MapAttr* attrs) {
    // The loop ends by a return: no sequence reads beyond the block.
    const Expr* goes_on = builder_.New<LE>({}, Get(read_), stored_);
    const Stmt* body =
        builder_.Seq({Set(read_, Int(0)), Set(written_, Int(0)),
                      builder_.New<While>({}, goes_on, Sequence()), Return(builder_.Int(-1))});
    for (const Buffer* counter : {offset_, token_, byte_, length_, written_, read_}) {
      body = builder_.New<Allocate>({}, counter->data, type_, counter->shape, builder_.Bool(true),
                                    nullptr, body);
    }
    const auto params = builder_.List<Var>({from_->data, stored_, to_->data, size_});
    const std::vector<const Buffer*> buffers(params.size(), nullptr);
    return builder_.New<PrimFunc>(
        {}, params, builder_.arena().Copy(Span<const Buffer*>(buffers.data(), buffers.size())),
        builder_.context().PrimType(DataType::Int(32)), attrs, body);
  }

 private:
  const Buffer* NewBuffer(std::string_view name, std::string_view data, DataType dtype,
                          const Expr* extent) {
    Context& context = builder_.context();
    const Var* pointer = builder_.NewVar(data, context.PointerType(dtype, "global"));
    return builder_.New<Buffer>({}, context.Intern(name), pointer, dtype,
                                builder_.List<Expr>({extent}), builder_.Int(0));
  }
  const Buffer* NewCounter(std::string_view name) {
    return NewBuffer(name, name, type_, builder_.Int(1));
  }
  const Expr* Int(int64_t value) { return builder_.Int(type_, value); }
  const Expr* Get(const Buffer* counter) { return builder_.Load(counter, {builder_.Int(0)}); }
  const Stmt* Set(const Buffer* counter, const Expr* value) {
    return builder_.New<BufferStore>({}, counter, value, builder_.List<Expr>({builder_.Int(0)}));
  }
  const Stmt* Increase(const Buffer* counter, const Expr* by) {
    return Set(counter, Plus(Get(counter), by));
  }
  const Expr* Plus(const Expr* a, const Expr* b) { return builder_.New<Add>({}, a, b); }
  const Expr* Minus(const Expr* a, const Expr* b) { return builder_.New<Sub>({}, a, b); }
  const Expr* Bits(OpKind op, const Expr* a, int64_t b) {
    return builder_.NewCall(type_, op, {a, Int(b)});
  }
  const Stmt* If(const Expr* condition, const Stmt* then) {
    return builder_.New<IfThenElse>({}, condition, then, nullptr);
  }
  const Stmt* Return(const Expr* status) {
    return builder_.New<Evaluate>({}, builder_.NewCall(DataType::Int(32), OpKind::kRet, {status}));
  }
  const Stmt* RefuseIf(const Expr* condition) { return If(condition, Return(builder_.Int(-1))); }
  const Stmt* RefuseIfOver(const Expr* value, const Expr* most) {
    return RefuseIf(builder_.New<GT>({}, value, most));
  }

  /// Reads the next byte of the block into `byte_`.
  const Stmt* Take() {
    const Expr* byte = builder_.New<Cast>({}, type_, builder_.Load(from_, {Get(read_)}));
    return builder_.Seq({RefuseIf(builder_.New<EQ>({}, Get(read_), stored_)), Set(byte_, byte),
                         Increase(read_, Int(1))});
  }

  /// Reads the length that begins with `four_bits`, and checks that it fits the rest of the output.
  const Stmt* Length(const Expr* four_bits, int64_t least) {
    const Stmt* more = builder_.Seq({Take(), Increase(length_, Get(byte_)),
                                     RefuseIfOver(Get(length_), Plus(size_, Int(kLeastMatch)))});
    return builder_.Seq(
        {Set(length_, least == 0 ? four_bits : Plus(four_bits, Int(least))),
         If(builder_.New<EQ>({}, four_bits, Int(kFourBits)),
            builder_.Seq(
                {Set(byte_, Int(kByteMax)),
                 builder_.New<While>({}, builder_.New<EQ>({}, Get(byte_), Int(kByteMax)), more)})),
         RefuseIfOver(Get(length_), Minus(size_, Get(written_)))});
  }

  /// Copies `length_` bytes to the output, in order: a match may overlap the bytes that it writes.
  const Stmt* Copy(const Buffer* buffer, const Expr* begin) {
    const Var* i = builder_.NewVar("i", type_);
    const Expr* byte = builder_.Load(buffer, {Plus(begin, i)});
    const Stmt* store =
        builder_.New<BufferStore>({}, to_, byte, builder_.List<Expr>({Plus(Get(written_), i)}));
    return builder_.New<For>({}, i, Int(0), Get(length_), ForKind::kSerial, store);
  }

  const Stmt* Sequence() {
    const Expr* four_bits = Bits(OpKind::kShiftRight, Get(token_), 4);
    const Expr* low_bits = Bits(OpKind::kBitwiseAnd, Get(token_), kFourBits);
    const Expr* is_whole = builder_.New<And>({}, builder_.New<EQ>({}, Get(written_), size_),
                                             builder_.New<EQ>({}, low_bits, Int(0)));
    const Expr* is_outside = builder_.New<Or>({}, builder_.New<EQ>({}, Get(offset_), Int(0)),
                                              builder_.New<GT>({}, Get(offset_), Get(written_)));
    return builder_.Seq(
        {Take(), Set(token_, Get(byte_)),
         // Literals. Only the last sequence ends after them.
         Length(four_bits, 0), RefuseIfOver(Get(length_), Minus(stored_, Get(read_))),
         Copy(from_, Get(read_)), Increase(read_, Get(length_)), Increase(written_, Get(length_)),
         If(builder_.New<EQ>({}, Get(read_), stored_),
            builder_.Seq({If(is_whole, Return(builder_.Int(0))), Return(builder_.Int(-1))})),
         // The match: bytes of the output, from `match_offset` bytes before its end.
         Take(), Set(offset_, Get(byte_)), Take(),
         Increase(offset_, Bits(OpKind::kShiftLeft, Get(byte_), 8)), RefuseIf(is_outside),
         Length(low_bits, kLeastMatch), Copy(to_, Minus(Get(written_), Get(offset_))),
         Increase(written_, Get(length_))});
  }

  NodeBuilder& builder_;
  DataType type_;
  const Var* stored_;
  const Var* size_;
  const Buffer* from_;
  const Buffer* to_;
  const Buffer* read_;
  const Buffer* written_;
  const Buffer* length_;
  const Buffer* byte_;
  const Buffer* token_;
  const Buffer* offset_;
};

}  // namespace

const PrimFunc* MakeLz4Function(NodeBuilder& builder, DataType size_type, const MapAttr* attrs) {
  return Lz4Builder(builder, size_type).Make(attrs);
}

DataType Lz4SizeType(int64_t most_bytes) {
  // A length may exceed the output by one byte's value before it is refused.
  return most_bytes < INT32_MAX - 2 * (kByteMax + kLeastMatch) ? DataType::Int(32)
                                                               : DataType::Int(64);
}

}  // namespace tenon
