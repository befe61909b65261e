#include "sinew/motion/model_equivalence.h"

#include "sinew/base/random.h"
#include "sinew/motion/hill.h"
#include "sinew/motion/muscle_paths.h"

#include <algorithm>
#include <cmath>
#include <map>

// What a model keeps when it goes through a file, or into a format that has other muscles: lengths,
// moment arms and torques in random poses of all coordinates at once.

namespace sinew {

namespace {

// One of the two models in one pose: lengths, moment arms and torques, paired with the other's.
class PosedModel {
public:
    explicit PosedModel(const MusculoskeletalModel& model)
        : model_(model), tree_(model), paths_(model, tree_) {}

    void pose(const std::vector<double>& q) {
        placement_ = tree_.place(q);
        state_ = paths_.evaluate(placement_);
    }
    double length(std::size_t m) const {
        return state_.length[m];
    }
    // Moment arms of a muscle about all coordinates, those that follow folded into their leaders.
    std::vector<double> arms(std::size_t m) const {
        std::vector<double> out(model_.coordinates.size());
        paths_.scatter(state_, m, out);
        tree_.fold_couplers(placement_, out);
        for (double& x : out) {
            x = -x;
        }
        return out;
    }
    double force(std::size_t m) const {
        return equilibrium_force(model_.muscles[m], state_.length[m], 1.0).total;
    }

private:
    const MusculoskeletalModel& model_;
    KinematicTree tree_;
    MusclePaths paths_;
    ModelPlacement placement_ = {};
    PathState state_ = {};
};

void raise(ModelEquivalence::Greatest& greatest, double off, const std::string& muscle,
           const std::string& coordinate) {
    if (off > greatest.value) {
        greatest = {off, muscle, coordinate};
    }
}

}  // namespace

ModelEquivalence compare_models(const MusculoskeletalModel& a, const MusculoskeletalModel& b,
                                const EquivalenceOptions& options) {
    std::map<std::string, std::size_t> numbers;
    for (std::size_t m = 0; m < b.muscles.size(); ++m) {
        numbers[b.muscles[m].name] = m;
    }
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    for (std::size_t m = 0; m < a.muscles.size(); ++m) {
        if (const auto it = numbers.find(a.muscles[m].name); it != numbers.end()) {
            pairs.emplace_back(m, it->second);
        }
    }
    std::vector<Index> same;
    for (const Coordinate& c : a.coordinates) {
        same.push_back(find_coordinate(b, c.name));
    }
    ModelEquivalence out{.poses = options.poses, .muscles = static_cast<int>(pairs.size())};
    PosedModel first(a);
    PosedModel second(b);
    double squares = 0.0;
    double off_squares = 0.0;
    for (int pose = 0; pose < options.poses; ++pose) {
        Random random(Seed{options.seed}, static_cast<std::uint64_t>(pose));
        std::vector<double> q = rest_coordinates(a);
        std::vector<double> p = rest_coordinates(b);
        for (std::size_t c = 0; c < q.size(); ++c) {
            const Coordinate& k = a.coordinates[c];
            const double usual = k.is_rotation ? 0.5 : 0.1;
            const double low = std::isfinite(k.low) ? k.low : k.rest - usual;
            const double high = std::isfinite(k.high) ? k.high : k.rest + usual;
            q[c] = k.is_locked ? k.rest : random.uniform(low, std::max(low, high));
            if (same[c] >= 0) {
                p[at(same[c])] = q[c];
            }
        }
        first.pose(q);
        second.pose(p);
        std::vector<double> torque(q.size(), 0.0);
        std::vector<double> torque_off(q.size(), 0.0);
        for (const auto& [m, n] : pairs) {
            const std::string& name = a.muscles[m].name;
            const double off = std::abs(first.length(m) - second.length(n));
            out.mean_length += off / static_cast<double>(pairs.size());
            raise(out.length, off, name, "");
            const std::vector<double> arms = first.arms(m);
            const std::vector<double> others = second.arms(n);
            const double F = first.force(m);
            const double G = second.force(n);
            for (std::size_t c = 0; c < arms.size(); ++c) {
                if (same[c] >= 0) {
                    const double other = others[at(same[c])];
                    raise(out.moment_arm, std::abs(arms[c] - other), name, a.coordinates[c].name);
                    torque[c] += F * arms[c];
                    torque_off[c] += F * arms[c] - G * other;
                }
            }
        }
        for (std::size_t c = 0; c < torque.size(); ++c) {
            raise(out.torque, std::abs(torque_off[c]), "", a.coordinates[c].name);
            squares += torque[c] * torque[c];
            off_squares += torque_off[c] * torque_off[c];
        }
    }
    out.mean_length /= static_cast<double>(std::max(1, options.poses));
    out.torque_share = squares > 0.0 ? std::sqrt(off_squares / squares) : 0.0;
    return out;
}

}  // namespace sinew
