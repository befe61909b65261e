#include "sinew/muscle/muscle_contact_term.h"

#include <algorithm>
#include <iterator>

namespace sinew {

namespace {

std::uint64_t pair_of(Index i, Index j) {
    return (static_cast<std::uint64_t>(std::max(i, j)) << 32) |
           static_cast<std::uint64_t>(std::min(i, j));
}

bool is_behind(const Planes::Plane& p, const Points& x) {
    Vec3 from = p.origin;
    for (int k = 0; k < 3 && p.support[0] >= 0; ++k) {
        from += p.weight[k] * point(x, p.support[static_cast<std::size_t>(k)]);
    }
    return p.normal.dot(point(x, p.vertex) - from) < 0.0;
}

}  // namespace

MuscleContactTerm::MuscleContactTerm(const MuscleContacts& contacts,
                                     std::vector<Eigen::Isometry3d> frames, const Points& x)
    : contacts_(contacts), frames_(std::move(frames)) {
    make_room(x);
}

void MuscleContactTerm::set_frames(std::vector<Eigen::Isometry3d> frames) {
    frames_ = std::move(frames);
    planes_.reset();
}

void MuscleContactTerm::make_room(const Points& x) {
    const std::vector<std::uint64_t> before = std::move(close_);
    close_.clear();
    for (const Planes::Plane& p : at(x)->planes()) {
        if (p.support[0] >= 0 && p.is_coupled) {
            Eigen::Index nearest = 0;
            p.weight.maxCoeff(&nearest);
            const Index corner = p.support[static_cast<std::size_t>(nearest)];
            close_.push_back(pair_of(p.vertex, corner));
            for (const Index v : contacts_.around(corner)) {
                close_.push_back(pair_of(p.vertex, v));
            }
        }
    }
    std::sort(close_.begin(), close_.end());
    close_.erase(std::unique(close_.begin(), close_.end()), close_.end());
    coupled_.clear();
    std::set_union(close_.begin(), close_.end(), before.begin(), before.end(),
                   std::back_inserter(coupled_));
}

void MuscleContactTerm::set_stiffening(double factor) {
    stiffening_ = factor;
    planes_.reset();
}

void MuscleContactTerm::hold(const Points& x) {
    is_held_ = false;
    at(x);
    is_held_ = true;
}

void MuscleContactTerm::release() {
    is_held_ = false;
}

double MuscleContactTerm::stranger_fraction(const Points& x) const {
    std::size_t pushing = 0;
    std::size_t strangers = 0;
    for (const Planes::Plane& p : at(x)->planes()) {
        if (p.support[0] >= 0 && is_behind(p, x)) {
            ++pushing;
            strangers += !std::all_of(p.support.begin(), p.support.end(),
                                      [&](Index corner) { return is_coupled(p.vertex, corner); });
        }
    }
    return pushing == 0 ? 0.0 : static_cast<double>(strangers) / static_cast<double>(pushing);
}

std::shared_ptr<const Planes> MuscleContactTerm::at(const Points& x) const {
    const std::scoped_lock lock(mutex_);
    if (!planes_ || (!is_held_ && last_ != x)) {
        std::vector<Planes::Plane> planes = contacts_.find(x, frames_);
        for (Planes::Plane& plane : planes) {
            plane.stiffness *= stiffening_;
        }
        planes_ = std::make_shared<Planes>(std::move(planes));
        last_ = x;
    }
    return planes_;
}

double MuscleContactTerm::value(const Points& x) const {
    return at(x)->value(x);
}

void MuscleContactTerm::add_gradient(const Points& x, Points& gradient) const {
    at(x)->add_gradient(x, gradient);
}

void MuscleContactTerm::add_pattern(BlockPattern& pattern) const {
    for (const std::uint64_t pair : coupled_) {
        pattern.couple(std::array{static_cast<Index>(pair >> 32), static_cast<Index>(pair)});
    }
}

bool MuscleContactTerm::is_coupled(Index i, Index j) const {
    return std::binary_search(coupled_.begin(), coupled_.end(), pair_of(i, j));
}

// k r r^T (n n^T) with r = (1, -b). A vertex and a corner without room in the pattern count
// |r_i r_j| on both their diagonal blocks instead, which is never less.
void MuscleContactTerm::add_hessian(const Points& x, Tangent /*kind*/, BlockHessian& H) const {
    const std::shared_ptr<const Planes> planes = at(x);
    for (const Planes::Plane& p : planes->planes()) {
        if (!is_behind(p, x)) {
            continue;
        }
        const Mat3 block = p.stiffness * p.normal * p.normal.transpose();
        H.add(p.vertex, p.vertex, block);
        for (int k = 0; k < 3 && p.support[0] >= 0; ++k) {
            const Index corner = p.support[static_cast<std::size_t>(k)];
            const Mat3 share = p.weight[k] * block;
            for (int l = 0; l <= k; ++l) {
                H.add(corner, p.support[static_cast<std::size_t>(l)], p.weight[l] * share);
            }
            if (is_coupled(p.vertex, corner)) {
                H.add(p.vertex, corner, -share);
            } else {
                H.add(p.vertex, p.vertex, share);
                H.add(corner, corner, share);
            }
        }
    }
}

}  // namespace sinew
