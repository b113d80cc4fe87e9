// A stand-in for cuBLASLt, libcublasLt.so.13: products as loops, with sums in the order of the text
// and one rounding at the end. It refuses what the library refuses.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "host.h"

namespace {

constexpr int kSuccess = 0;
constexpr int kInvalidValue = 7;
constexpr int kNotSupported = 15;

enum Type { kF32 = 0, kF16 = 2, kI8 = 3, kI32 = 10, kBF16 = 14 };

struct Layout {
  int type;
  uint64_t rows, columns;
  int64_t leading;
  int32_t batches = 1;
  int64_t batch_step = 0;
};

struct Desc {
  int compute;
  int scale;
  int32_t transposes[2] = {0, 0};
  int32_t epilogue = 1;
  uint64_t bias = 0;
};

/// The least alignments of the four matrices.
struct Alignments {
  uint32_t bytes[4] = {256, 256, 256, 256};
};

float OfHalf(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000) << 16;
  const int exponent = half >> 10 & 0x1f;
  const int fraction = half & 0x3ff;
  float value = std::ldexp(static_cast<float>(fraction), -24);
  if (exponent == 31) value = fraction != 0 ? NAN : INFINITY;
  if (exponent > 0 && exponent < 31)
    value = std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
  return sign != 0 ? -value : value;
}

uint16_t ToHalf(float value) {
  if (std::isnan(value)) return 0x7e00;
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const float magnitude = std::fabs(value);
  if (magnitude >= 65520.0F) return static_cast<uint16_t>(sign | 0x7c00);
  // The unit in the last place of the result.
  const int exponent = magnitude == 0 ? -24 : std::max(std::ilogb(magnitude) - 10, -24);
  const float units = std::nearbyint(std::ldexp(magnitude, -exponent));
  const int bits =
      exponent == -24 ? static_cast<int>(units) : static_cast<int>(units) + (exponent + 24) * 1024;
  return static_cast<uint16_t>(sign | bits);
}

float OfBrain(uint16_t brain) {
  const uint32_t bits = static_cast<uint32_t>(brain) << 16;
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

uint16_t ToBrain(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  if (std::isnan(value)) return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

float Load(int type, uint64_t memory, int64_t at) {
  if (type == kF32) return reinterpret_cast<const float*>(memory)[at];
  if (type == kF16) return OfHalf(reinterpret_cast<const uint16_t*>(memory)[at]);
  return OfBrain(reinterpret_cast<const uint16_t*>(memory)[at]);
}

void Store(int type, uint64_t memory, int64_t at, float value) {
  if (type == kF32) reinterpret_cast<float*>(memory)[at] = value;
  if (type == kF16) reinterpret_cast<uint16_t*>(memory)[at] = ToHalf(value);
  if (type == kBF16) reinterpret_cast<uint16_t*>(memory)[at] = ToBrain(value);
}

/// The number of an element of a matrix by columns, or of its transpose.
int64_t ElementOf(const Layout& layout, int batch, int64_t row, int64_t column,
                  bool is_transposed) {
  return batch * layout.batch_step +
         (is_transposed ? row * layout.leading + column : column * layout.leading + row);
}

struct Product {
  Desc desc;
  Layout a, b, d;
  float alpha, beta;
  uint64_t first, second, c, result;
};

float Epilogue(const Product& p, float value) {
  if ((p.desc.epilogue & 2) != 0) value = value > 0 ? value : 0;
  if ((p.desc.epilogue & 32) != 0)
    value =
        0.5F * value * (1 + std::tanh(0.7978845608F * (value + 0.044715F * value * value * value)));
  return value;
}

int Multiply(const Product& p) {
  const bool ta = p.desc.transposes[0] != 0;
  const bool tb = p.desc.transposes[1] != 0;
  const auto depth = static_cast<int64_t>(ta ? p.a.rows : p.a.columns);
  for (int batch = 0; batch < p.d.batches; ++batch) {
    for (int64_t column = 0; column < static_cast<int64_t>(p.d.columns); ++column) {
      for (int64_t row = 0; row < static_cast<int64_t>(p.d.rows); ++row) {
        const int64_t to = ElementOf(p.d, batch, row, column, false);
        int32_t whole = 0;
        float sum = 0;
        for (int64_t k = 0; k < depth; ++k) {
          const int64_t x = ElementOf(p.a, batch, row, k, ta);
          const int64_t y = ElementOf(p.b, batch, k, column, tb);
          if (p.d.type == kI32) {
            whole += reinterpret_cast<const int8_t*>(p.first)[x] *
                     reinterpret_cast<const int8_t*>(p.second)[y];
          } else {
            sum += Load(p.a.type, p.first, x) * Load(p.b.type, p.second, y);
          }
        }
        if (p.d.type == kI32) {
          reinterpret_cast<int32_t*>(p.result)[to] = whole;
          continue;
        }
        sum *= p.alpha;
        if (p.beta != 0) sum += p.beta * Load(p.d.type, p.c, to);
        if ((p.desc.epilogue & 4) != 0) sum += Load(p.d.type, p.desc.bias, row);
        Store(p.d.type, p.result, to, Epilogue(p, sum));
      }
    }
  }
  return kSuccess;
}

/// True for products that cuBLASLt has.
bool IsPossible(const Desc& desc, const Layout& a, const Layout& b, const Layout& d) {
  const auto op = [](const Layout& layout, bool is_transposed, uint64_t& rows, uint64_t& columns) {
    rows = is_transposed ? layout.columns : layout.rows;
    columns = is_transposed ? layout.rows : layout.columns;
    return layout.leading >= static_cast<int64_t>(layout.rows) && layout.rows > 0 &&
           layout.columns > 0;
  };
  uint64_t m = 0;
  uint64_t k = 0;
  uint64_t k2 = 0;
  uint64_t n = 0;
  if (!op(a, desc.transposes[0] != 0, m, k) || !op(b, desc.transposes[1] != 0, k2, n)) return false;
  if (m != d.rows || n != d.columns || k != k2 || a.type != b.type || a.batches != d.batches ||
      b.batches != d.batches || d.leading < static_cast<int64_t>(d.rows))
    return false;
  if (a.type != kI8)
    return desc.compute == 68 && desc.scale == 0 && (d.type == a.type || d.type == kF32);
  const auto fits = [](uint64_t number) { return number % 4 == 0; };
  return desc.compute == 72 && desc.scale == 10 && d.type == kI32 && desc.transposes[0] == 1 &&
         desc.transposes[1] == 0 && fits(m) && fits(n) && fits(k) &&
         fits(static_cast<uint64_t>(a.leading)) && fits(static_cast<uint64_t>(b.leading));
}

}  // namespace

extern "C" {

int cublasLtCreate(void** handle) {
  *handle = new int(0);
  return kSuccess;
}
int cublasLtDestroy(void* handle) {
  delete static_cast<int*>(handle);
  return kSuccess;
}
int cublasLtMatmulDescCreate(Desc** desc, int compute, int scale) {
  *desc = new Desc{compute, scale};
  return kSuccess;
}
int cublasLtMatmulDescDestroy(Desc* desc) {
  delete desc;
  return kSuccess;
}
int cublasLtMatmulDescSetAttribute(Desc* desc, int attribute, const void* value, size_t bytes) {
  const auto set = [&](void* to, size_t size) {
    if (bytes != size) return kInvalidValue;
    std::memcpy(to, value, size);
    return kSuccess;
  };
  switch (attribute) {
    case 3:
    case 4:
      return set(&desc->transposes[attribute - 3], 4);
    case 7:
      return set(&desc->epilogue, 4);
    case 8:
      return set(&desc->bias, 8);
    default:
      return kInvalidValue;
  }
}
int cublasLtMatrixLayoutCreate(Layout** layout, int type, uint64_t rows, uint64_t columns,
                               int64_t leading) {
  *layout = new Layout{type, rows, columns, leading};
  return kSuccess;
}
int cublasLtMatrixLayoutDestroy(Layout* layout) {
  delete layout;
  return kSuccess;
}
int cublasLtMatrixLayoutSetAttribute(Layout* layout, int attribute, const void* value,
                                     size_t bytes) {
  if (attribute == 5 && bytes == 4) {
    std::memcpy(&layout->batches, value, 4);
  } else if (attribute == 6 && bytes == 8) {
    std::memcpy(&layout->batch_step, value, 8);
  } else {
    return kInvalidValue;
  }
  return kSuccess;
}
int cublasLtMatmulPreferenceCreate(Alignments** preference) {
  *preference = new Alignments;
  return kSuccess;
}
int cublasLtMatmulPreferenceDestroy(Alignments* preference) {
  delete preference;
  return kSuccess;
}
int cublasLtMatmulPreferenceSetAttribute(Alignments* preference, int attribute, const void* value,
                                         size_t bytes) {
  if (attribute < 5 || attribute > 8 || bytes != 4) return kInvalidValue;
  std::memcpy(&preference->bytes[attribute - 5], value, 4);
  return kSuccess;
}
int cublasLtMatmulAlgoGetHeuristic(void*, Desc* desc, Layout* a, Layout* b, Layout*, Layout* d,
                                   const Alignments* preference, int, Alignments* algorithm,
                                   int* count) {
  *count = IsPossible(*desc, *a, *b, *d) ? 1 : 0;
  // The algorithm expects the alignments of the preference.
  *algorithm = *preference;
  return *count == 1 ? kSuccess : kNotSupported;
}
int cublasLtMatmul(void*, Desc* desc, const void* alpha, const void* first, Layout* a,
                   const void* second, Layout* b, const void* beta, const void* c, Layout*,
                   void* result, Layout* d, const Alignments* algorithm, void*, size_t,
                   void* stream) {
  const void* const addresses[] = {first, second, c, result};
  for (int i = 0; i < 4; ++i) {
    if (reinterpret_cast<uint64_t>(addresses[i]) % algorithm->bytes[i] != 0) return kNotSupported;
  }
  Product p{*desc, *a, *b, *d, 1, 0, 0, 0, 0, 0};
  if (desc->scale == 0) {
    std::memcpy(&p.alpha, alpha, 4);
    std::memcpy(&p.beta, beta, 4);
  }
  p.first = reinterpret_cast<uint64_t>(first);
  p.second = reinterpret_cast<uint64_t>(second);
  p.c = reinterpret_cast<uint64_t>(c);
  p.result = reinterpret_cast<uint64_t>(result);
  cuda_host::Log("product %llu x %llu, %d batches", static_cast<unsigned long long>(d->columns),
                 static_cast<unsigned long long>(d->rows), d->batches);
  return cuda_host::Run(stream, [p] { return Multiply(p); });
}

}  // extern "C"
