#pragma once

#include <cstdint>

namespace sinew {

struct Seed {
    std::uint64_t value = 0;
};

/// A stream of random numbers that is the same on every machine and compiler. Streams of one seed
/// are independent, so element i can draw from Random(seed, i) in parallel and in any order.
/// PCG-XSH-RR 64/32 [ONeill2014], its stream chosen by a hash of the stream's number.
class Random {
public:
    explicit Random(Seed seed, std::uint64_t stream = 0);

    std::uint32_t bits();
    double uniform();                         ///< in [0, 1)
    double uniform(double low, double high);  ///< in [low, high)
    std::uint32_t below(std::uint32_t n);     ///< in [0, n), n >= 1, without bias
    double normal();                          ///< mean 0, variance 1 (Box–Muller)

private:
    std::uint64_t state_;
    std::uint64_t increment_;
};

}  // namespace sinew
