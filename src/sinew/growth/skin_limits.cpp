#include "sinew/growth/skin_limits.h"

#include "sinew/geometry/measure.h"
#include "sinew/growth/skin_room.h"
#include "sinew/growth/skin_separation.h"

#include <algorithm>
#include <array>

// Contact as springs that are switched, not added. Vertices that face other skin within 3 cm have
// their diagonal entry in the matrix of this term, with a projection onto themselves (no force)
// while they are free and onto the point where they are held otherwise. A factorisation with the
// term stays valid whatever is held.
//
// Stiffness goes with the vertex' area, so that a finer skin is held no more firmly.

namespace sinew {

namespace {

constexpr double kFacing = 0.03;     // m of room: beyond, skin hardly ever meets
constexpr double kLeastBack = 1e-6;  // m, that skin has gone back

}  // namespace

SkinLimits::SkinLimits(const Body& rest, double stiffness) : ProjectiveConstraints(1), rest_(rest) {
    const TriangleMesh& skin = rest.skin.mesh;
    const std::vector<double> room = outward_room(skin);
    std::vector<double> area(room.size(), 0.0);  // a third of the triangles around, m^2
    const Eigen::VectorXd areas = triangle_areas(skin);
    for (Eigen::Index t = 0; t < areas.size(); ++t) {
        for (int k = 0; k < 3; ++k) {
            area[at(skin.triangles(t, k))] += areas[t] / 3.0;
        }
    }
    for (std::size_t i = 0; i < room.size(); ++i) {
        if (room[i] < kFacing) {
            const Index vertex = rest.skin.tet_vertex[i];
            vertex_.push_back(vertex);
            add(std::array{vertex}, std::array{1.0}, stiffness * area[i]);
        }
    }
    finish();
    const auto count = static_cast<Eigen::Index>(vertex_.size());
    hold_ = Points::Zero(count, 3);
    free_side_ = Points::Zero(count, 3);
    is_held_.assign(vertex_.size(), 0);
}

void SkinLimits::reset() {
    std::fill(is_held_.begin(), is_held_.end(), 0);
}

bool SkinLimits::hold(const Points& x) {
    bool is_changed = false;
    const SeparatedSkin apart = separate_skin(rest_, x);
    for (std::size_t i = 0; i < vertex_.size(); ++i) {
        const auto row = static_cast<Eigen::Index>(i);
        const Vec3 back = point(apart.x, vertex_[i]) - point(x, vertex_[i]);
        if (back.norm() > kLeastBack) {
            // What was held already and is pushed through is held as much deeper as it was pushed:
            // the step of the method of multipliers.
            const Eigen::RowVector3d pushed =
                is_held_[i] != 0 ? Eigen::RowVector3d(x.row(vertex_[i]) - hold_.row(row))
                                 : Eigen::RowVector3d::Zero();
            hold_.row(row) = apart.x.row(vertex_[i]) - pushed;
            free_side_.row(row) = back.normalized().transpose();
            is_held_[i] = 1;
            is_changed = true;
        } else if (is_held_[i] != 0 &&
                   (x.row(vertex_[i]) - hold_.row(row)).dot(free_side_.row(row)) > 0.0) {
            is_held_[i] = 0;
            is_changed = true;
        }
    }
    return is_changed;
}

std::size_t SkinLimits::held() const {
    return static_cast<std::size_t>(std::count(is_held_.begin(), is_held_.end(), 1));
}

void SkinLimits::project(std::size_t i, const Rows& /*q*/, Rows& p) const {
    if (is_held_[i] != 0) {
        p.row(0) = hold_.row(static_cast<Eigen::Index>(i));
    }
}

}  // namespace sinew
