#include "sinew/growth/muscle_responses.h"

#include "sinew/base/error.h"
#include "sinew/body/names.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace sinew {

namespace {

// What groups are solved for. Set twice, for so many iterations after a plan was set skin is first
// held apart; one group alone needs none of it, and the solver keeps its one matrix.
constexpr double kLearntGrown = 1.3;
constexpr double kLearntShrunk = 0.8;
constexpr int kLearningIterations = 10;
constexpr int kLearningRounds = 2;
constexpr double kLeastMotion = 2e-6;  // m: what moves less is left out
constexpr double kLeastForeseen = 0.5;
constexpr double kMostForeseen = 1.6;

}  // namespace

MuscleResponses::MuscleResponses(const Body& body)
    : rest_(body.tets.points), muscles_(body.muscles.size()) {
    std::map<std::pair<std::string, Side>, Group> groups;
    for (std::size_t m = 0; m < muscles_; ++m) {
        const Muscle& muscle = body.muscles[m];
        if (!muscle.is_passive) {
            groups[{muscle.group, split_side(muscle.name).side}].muscles.push_back(
                static_cast<Index>(m));
        }
    }
    for (auto& [name, group] : groups) {
        groups_.push_back(std::move(group));
    }
}

bool MuscleResponses::learn_next(MuscleGrowth& growth, const Progress& progress) {
    if (is_complete()) {
        return false;
    }
    Group& group = groups_[next_];
    const auto solve = [&](double learnt) {
        std::vector<double> alpha(muscles_, 1.0);
        for (const Index m : group.muscles) {
            alpha[at(m)] = learnt;
        }
        growth.restart();
        for (int round = 0; round < kLearningRounds; ++round) {
            growth.set_growth(alpha);
            growth.iterate(kLearningIterations, progress);
        }
        const Points& x = growth.positions();
        SINEW_ASSERT(x.rows() == rest_.rows(), "{} points, {} at rest", x.rows(), rest_.rows());
        Response response;
        for (Eigen::Index v = 0; v < x.rows(); ++v) {
            const Eigen::RowVector3d moved = x.row(v) - rest_.row(v);
            if (moved.norm() > kLeastMotion) {
                response.vertex.push_back(static_cast<Index>(v));
                for (int c = 0; c < 3; ++c) {
                    response.displacement.push_back(static_cast<float>(moved[c]));
                }
            }
        }
        for (const double f : growth.factors()) {
            response.log_factor.push_back(static_cast<float>(std::log(f)));
        }
        return response;
    };
    const auto back_to_rest = [&] {
        growth.restart();
        growth.set_growth(std::vector<double>(muscles_, 1.0));
    };
    try {
        group.grown = solve(kLearntGrown);
        group.shrunk = solve(kLearntShrunk);
    } catch (...) {
        back_to_rest();
        throw;
    }
    back_to_rest();
    ++next_;
    return true;
}

// 1: as much as was learnt of growth; -1: as much as was learnt of shrinking. As far as all muscles
// of the group do: a soleus that grows alone does not move the calf as a whole group does.
double MuscleResponses::strength(const Group& group, std::span<const double> alpha) const {
    double least = kMostForeseen - 1.0;
    double most = kLeastForeseen - 1.0;
    for (const Index m : group.muscles) {
        const double change = std::clamp(alpha[at(m)], kLeastForeseen, kMostForeseen) - 1.0;
        least = std::min(least, change);
        most = std::max(most, change);
    }
    return least > 0.0  ? least / (kLearntGrown - 1.0)
           : most < 0.0 ? most / (1.0 - kLearntShrunk)
                        : 0.0;
}

MuscleGrowthShift MuscleResponses::shift(std::span<const double> from,
                                         std::span<const double> to) const {
    SINEW_ASSERT(from.size() == muscles_ && to.size() == muscles_, "{} and {} alphas, {} muscles",
                 from.size(), to.size(), muscles_);
    MuscleGrowthShift shift{.displacement = Points::Zero(rest_.rows(), 3),
                            .log_factor = std::vector<double>(muscles_ + 1, 0.0)};
    const auto add = [&](const Response& response, double part) {
        if (part == 0.0) {
            return;
        }
        for (std::size_t k = 0; k < response.vertex.size(); ++k) {
            for (int c = 0; c < 3; ++c) {
                shift.displacement(response.vertex[k], c) +=
                    part * static_cast<double>(response.displacement[3 * k + at(c)]);
            }
        }
        for (std::size_t k = 0; k < response.log_factor.size(); ++k) {
            shift.log_factor[k] += part * static_cast<double>(response.log_factor[k]);
        }
    };
    for (std::size_t g = 0; g < next_; ++g) {
        const double before = strength(groups_[g], from);
        const double after = strength(groups_[g], to);
        add(groups_[g].grown, std::max(after, 0.0) - std::max(before, 0.0));
        add(groups_[g].shrunk, std::max(-after, 0.0) - std::max(-before, 0.0));
    }
    return shift;
}

}  // namespace sinew
