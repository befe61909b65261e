#include "sinew/build/part_lines.h"

#include "sinew/base/parallel.h"

#include <algorithm>

namespace sinew {

PartLines::PartLines(std::span<const TriangleMesh* const> parts, const LineLattice& lattice,
                     Progress::Stage& stage)
    : lattice_(lattice), start_(lattice.count() + 1, 0) {
    // Batches of parts keep the doubles in memory few and the reports frequent.
    constexpr std::size_t kBatch = 64;
    std::vector<std::vector<LineStretch>> found(parts.size());
    for (std::size_t begin = 0; begin < parts.size(); begin += kBatch) {
        const std::size_t count = std::min(kBatch, parts.size() - begin);
        parallel_for(count, 1, [&](std::size_t from, std::size_t to) {
            for (std::size_t i = begin + from; i < begin + to; ++i) {
                found[i] = stretches_inside(parts[i]->points, parts[i]->triangles, lattice_);
            }
        });
        stage.advance(count);
    }
    for (const std::vector<LineStretch>& list : found) {
        for (const LineStretch& s : list) {
            ++start_[static_cast<std::size_t>(s.line) + 1];
        }
    }
    for (std::size_t i = 1; i < start_.size(); ++i) {
        start_[i] += start_[i - 1];
    }
    stretches_.resize(start_.back());
    std::vector<std::uint32_t> next(start_.begin(), start_.end() - 1);
    for (std::size_t p = 0; p < found.size(); ++p) {
        for (const LineStretch& s : found[p]) {
            stretches_[next[at(s.line)]++] = {static_cast<float>(s.low), static_cast<float>(s.high),
                                              static_cast<Index>(p)};
        }
        found[p] = {};
    }
    constexpr std::size_t kGrain = 1 << 14;
    parallel_for(lattice_.count(), kGrain, [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i) {
            std::sort(stretches_.begin() + start_[i], stretches_.begin() + start_[i + 1],
                      [](const Stretch& a, const Stretch& b) {
                          return a.low != b.low ? a.low < b.low : a.part < b.part;
                      });
        }
    });
}

}  // namespace sinew
