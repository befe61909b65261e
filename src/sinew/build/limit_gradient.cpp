#include "sinew/build/limit_gradient.h"

#include <functional>
#include <queue>

namespace sinew {

void limit_gradient(std::vector<double>& values, const Points& points, const Lists& neighbours,
                    double slope) {
    // From the lowest value upwards, as shortest ways are found.
    using Entry = std::pair<double, Index>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    for (std::size_t i = 0; i < values.size(); ++i) {
        queue.emplace(values[i], static_cast<Index>(i));
    }
    while (!queue.empty()) {
        const auto [value, i] = queue.top();
        queue.pop();
        if (value > values[at(i)]) {
            continue;
        }
        for (const Index n : neighbours[at(i)]) {
            const double bound = value + slope * (points.row(i) - points.row(n)).norm();
            if (bound < values[at(n)]) {
                values[at(n)] = bound;
                queue.emplace(bound, n);
            }
        }
    }
}

}  // namespace sinew
