#pragma once

#include "sinew/growth/muscle_growth.h"

#include <span>
#include <vector>

namespace sinew {

/// How a body answers to the growth of its muscle groups, one by one: where its points end when a
/// group of one side alone has grown or shrunk. Groups lie apart from each other, so these
/// displacements nearly add up, and nearly go with alpha - 1: the sum says in milliseconds where a
/// plan will end, and growth that begins there has little left to do.
///
///   u(alpha) = sum_g  s(alpha_g) u_g,    s(1) = 0, linear on either side
///
/// On the built-in man at standard resolution, all muscles at 1.3, the skin is 0.26 mm from the
/// end on average, of 7.0 mm that it moves.
class MuscleResponses {
public:
    /// Nothing is learnt yet.
    explicit MuscleResponses(const Body& body);

    /// Solves for one more group, grown and shrunk, on a solver of the same body that is at rest
    /// and is left there. False: all are known.
    /// @throws Cancelled   nothing of that group is kept
    bool learn_next(MuscleGrowth& growth, const Progress& progress = {});
    bool is_complete() const {
        return next_ == groups_.size();
    }
    /// Groups and sides, and how many of them are known.
    std::size_t size() const {
        return groups_.size();
    }
    std::size_t known() const {
        return next_;
    }

    /// What changes between two plans, one alpha per muscle each, as far as groups are known.
    /// Beyond 0.5 to 1.6 it is that of the limit: nobody has seen further.
    MuscleGrowthShift shift(std::span<const double> from, std::span<const double> to) const;

private:
    /// Displacements of the points that move, and logarithms of all factors.
    struct Response {
        std::vector<Index> vertex = {};
        std::vector<float> displacement = {};  // m, three each
        std::vector<float> log_factor = {};
    };
    struct Group {
        std::vector<Index> muscles = {};
        Response grown = {};
        Response shrunk = {};
    };
    double strength(const Group& group, std::span<const double> alpha) const;

    Points rest_;
    std::size_t muscles_ = 0;
    std::vector<Group> groups_ = {};
    std::size_t next_ = 0;
};

}  // namespace sinew
