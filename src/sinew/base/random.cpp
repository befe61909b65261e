#include "sinew/base/random.h"

#include "sinew/base/units.h"

#include <cmath>

namespace sinew {

namespace {

// SplitMix64: spreads neighbouring numbers over all 64 bits.
std::uint64_t hash(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

constexpr std::uint64_t kMultiplier = 6364136223846793005ull;

}  // namespace

Random::Random(Seed seed, std::uint64_t stream) : state_(0), increment_((hash(stream) << 1) | 1u) {
    bits();
    state_ += hash(seed.value);
    bits();
}

std::uint32_t Random::bits() {
    const std::uint64_t old = state_;
    state_ = old * kMultiplier + increment_;
    const auto shifted = static_cast<std::uint32_t>(((old >> 18) ^ old) >> 27);
    const auto turn = static_cast<std::uint32_t>(old >> 59);
    return (shifted >> turn) | (shifted << ((32u - turn) & 31u));
}

double Random::uniform() {
    const std::uint64_t high = bits() >> 5;  // 27 bits
    const std::uint64_t low = bits() >> 6;   // 26 bits
    return static_cast<double>((high << 26) | low) * 0x1.0p-53;
}

double Random::uniform(double low, double high) {
    return low + (high - low) * uniform();
}

std::uint32_t Random::below(std::uint32_t n) {
    // Reject the few values that would make small results likelier.
    const std::uint32_t threshold = (0u - n) % n;
    for (;;) {
        const std::uint32_t r = bits();
        if (r >= threshold) {
            return r % n;
        }
    }
}

double Random::normal() {
    const double u = 1.0 - uniform();  // (0, 1]: the logarithm is finite
    const double v = uniform();
    return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * kPi * v);
}

}  // namespace sinew
