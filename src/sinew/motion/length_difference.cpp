#include "sinew/motion/length_difference.h"

#include "sinew/motion/muscle_paths.h"

#include <algorithm>
#include <cmath>
#include <map>

// How far two models of one person disagree: lengths of muscles of the same name at rest and with
// one coordinate after the other moved over its range. It judges conversions, so both models are
// posed from the rest of the first.

namespace sinew {

namespace {

constexpr int kValues = 5;  // of each coordinate

// Two models of the same person, muscle by muscle and pose by pose.
class Comparison {
public:
    Comparison(const MusculoskeletalModel& a, const MusculoskeletalModel& b)
        : a_(a), tree_a_(a), tree_b_(b), paths_a_(a, tree_a_), paths_b_(b, tree_b_) {
        // Muscles and coordinates are paired by name.
        std::map<std::string, std::size_t> muscles;
        for (std::size_t m = 0; m < b.muscles.size(); ++m) {
            muscles[b.muscles[m].name] = m;
        }
        for (std::size_t m = 0; m < a.muscles.size(); ++m) {
            if (const auto it = muscles.find(a.muscles[m].name); it != muscles.end()) {
                pairs_.push_back({m, it->second});
            }
        }
        for (const Coordinate& c : a.coordinates) {
            same_.push_back(find_coordinate(b, c.name));
        }
        // Both models start from the rest of the first.
        rest_a_ = rest_coordinates(a);
        rest_b_ = rest_coordinates(b);
        for (std::size_t c = 0; c < same_.size(); ++c) {
            if (same_[c] >= 0) {
                rest_b_[at(same_[c])] = rest_a_[c];
            }
        }
    }

    LengthDifference compare() {
        // At rest, then with one coordinate after the other over its range.
        compare_at(rest_a_, rest_b_, "", 0.0);
        for (std::size_t c = 0; c < same_.size(); ++c) {
            const Coordinate& coordinate = a_.coordinates[c];
            if (same_[c] < 0 || coordinate.is_locked) {
                continue;
            }
            const double usual = coordinate.is_rotation ? 0.5 : 0.1;
            const double low = std::isfinite(coordinate.low) ? coordinate.low : -usual;
            const double high = std::isfinite(coordinate.high) ? coordinate.high : usual;
            std::vector<double> q = rest_a_;
            std::vector<double> p = rest_b_;
            for (int k = 0; k < kValues; ++k) {
                q[c] = low + (high - low) * k / (kValues - 1);
                p[at(same_[c])] = q[c];
                compare_at(q, p, coordinate.name, q[c]);
            }
        }
        out_.mean = count_ > 0.0 ? sum_ / count_ : 0.0;
        return out_;
    }

private:
    // Adds the differences of all pairs in one pose, and remembers the largest.
    void compare_at(const std::vector<double>& q, const std::vector<double>& p,
                    const std::string& coordinate, double value) {
        const PathState x = paths_a_.evaluate(tree_a_.place(q));
        const PathState y = paths_b_.evaluate(tree_b_.place(p));
        for (const auto& [m, n] : pairs_) {
            const double off = std::abs(x.length[m] - y.length[n]);
            sum_ += off;
            count_ += 1.0;
            if (off > out_.greatest) {
                out_.greatest = off;
                out_.muscle = a_.muscles[m].name;
                out_.coordinate = coordinate;
                out_.at = value;
            }
        }
    }

    const MusculoskeletalModel& a_;
    KinematicTree tree_a_;
    KinematicTree tree_b_;
    MusclePaths paths_a_;
    MusclePaths paths_b_;
    std::vector<std::pair<std::size_t, std::size_t>> pairs_ = {};
    std::vector<Index> same_ = {};
    std::vector<double> rest_a_ = {};
    std::vector<double> rest_b_ = {};
    LengthDifference out_ = {};
    double sum_ = 0.0;
    double count_ = 0.0;
};

}  // namespace

LengthDifference compare_lengths(const MusculoskeletalModel& a, const MusculoskeletalModel& b) {
    return Comparison(a, b).compare();
}

}  // namespace sinew
