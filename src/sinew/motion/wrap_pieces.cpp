#include "sinew/motion/wrap_pieces.h"

#include "sinew/base/parallel.h"
#include "sinew/base/random.h"
#include "sinew/base/units.h"
#include "sinew/motion/wrapping.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

constexpr std::size_t kGrain = 64;    // poses
constexpr double kBeyondEnds = 0.25;  // of a range, by which draws go beyond its ends
constexpr double kFreeReach = 0.5;    // rad or m to either side where there is no range
constexpr double kNudge = 0.05;       // rad, of neighbours

// The same for any number of threads: each pose has a stream of its own.
std::vector<double> drawn_pose(const MusculoskeletalModel& model, std::size_t number) {
    Random random(Seed{13}, number);
    std::vector<double> q = rest_coordinates(model);
    for (std::size_t c = 0; c < q.size(); ++c) {
        const Coordinate& k = model.coordinates[c];
        if (!k.is_locked) {
            const double low = std::isfinite(k.low) ? k.low : k.rest - kFreeReach;
            const double high = std::isfinite(k.high) ? k.high : k.rest + kFreeReach;
            const double share =
                std::clamp(random.uniform(-kBeyondEnds, 1.0 + kBeyondEnds), 0.0, 1.0);
            q[c] = low + share * (high - low);
        }
    }
    return q;
}

WrapPiece piece_under(const WrapObject& object, const WrapUse& use, const ModelPlacement& pose) {
    const Placement to_surface =
        (object.body < 0 ? object.placement : pose.bodies[at(object.body)] * object.placement)
            .inverse();
    const auto seen = [&](Index k) {
        const PathPoint::Anchor& anchor = use.unit->points[at(k)].anchors[0];
        return Vec3(to_surface * (anchor.body < 0
                                      ? anchor.position
                                      : Vec3(pose.bodies[at(anchor.body)] * anchor.position)));
    };
    return {seen(use.first), seen(use.first + 1)};
}

}  // namespace

std::vector<WrapUse> uses_of_wraps(const MusculoskeletalModel& model) {
    std::vector<WrapUse> uses(model.wraps.size());
    for (const MuscleUnit& unit : model.muscles) {
        for (const PathWrap& wrap : unit.wraps) {
            WrapUse& use = uses[at(wrap.object)];
            const bool is_one_piece = wrap.first >= 0 && wrap.last == wrap.first + 1;
            const bool is_alone =
                std::count_if(unit.wraps.begin(), unit.wraps.end(), [&](const PathWrap& other) {
                    return other.first == wrap.first;
                }) == 1;
            const auto is_plain = [&](Index k) {
                const PathPoint& point = unit.points[at(k)];
                return point.anchors.size() == 1 && point.condition < 0 && !point.is_moving();
            };
            const bool is_simple =
                is_one_piece && is_alone && is_plain(wrap.first) && is_plain(wrap.last);
            use = {&unit, wrap.first, use.count + (is_simple ? 1 : 2)};
        }
    }
    return uses;
}

std::vector<std::vector<WrapPiece>> pieces_under_wraps(const MusculoskeletalModel& model,
                                                       const std::vector<WrapUse>& uses,
                                                       int poses) {
    const KinematicTree tree(model);
    const auto count = static_cast<std::size_t>(poses);
    std::vector<std::vector<WrapPiece>> out(model.wraps.size());
    for (std::size_t w = 0; w < uses.size(); ++w) {
        out[w].resize(uses[w].count == 1 ? count : 0);
    }
    parallel_for(count, kGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t p = begin; p < end; ++p) {
            const ModelPlacement pose = tree.place(drawn_pose(model, p));
            for (std::size_t w = 0; w < uses.size(); ++w) {
                if (!out[w].empty()) {
                    out[w][p] = piece_under(model.wraps[w], uses[w], pose);
                }
            }
        }
    });
    return out;
}

std::vector<WrapPiece> with_neighbours(const std::vector<WrapPiece>& pieces) {
    const Mat3 left = Eigen::AngleAxisd(kNudge, Vec3::UnitZ()).toRotationMatrix();
    std::vector<WrapPiece> out;
    out.reserve((kNeighbours + 1) * pieces.size());
    for (const WrapPiece& piece : pieces) {
        out.push_back(piece);
        for (const Mat3& R : {left, Mat3(left.transpose())}) {
            out.push_back({R * piece.from, piece.to});
            out.push_back({piece.from, R * piece.to});
        }
    }
    return out;
}

double length_over(const WrapObject& object, const WrapPiece& piece) {
    const SurfaceWrap wrap = wrap_segment(object, piece.from, piece.to);
    return wrap.wraps
               ? (wrap.begin - piece.from).norm() + wrap.length + (piece.to - wrap.end).norm()
               : (piece.to - piece.from).norm();
}

std::vector<double> lengths_over(const WrapObject& object, const std::vector<WrapPiece>& pieces) {
    std::vector<double> out;
    out.reserve(pieces.size());
    for (const WrapPiece& piece : pieces) {
        out.push_back(length_over(object, piece));
    }
    return out;
}

WrapObject with_side_towards(WrapObject object, double angle) {
    object.side_sign = 0;
    object.has_side_point = true;
    object.side_point = 2.0 * object.size[0] * Vec3(std::cos(angle), std::sin(angle), 0.0);
    return object;
}

}  // namespace sinew
