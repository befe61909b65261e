#include "sinew/fit/limb_search.h"

#include "sinew/base/units.h"
#include "sinew/geometry/measure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

// Starts of whole poses find trunk and head. A limb that then lies where the scan shows none is
// tried in other poses by itself: all combinations of a few angles, ranked by the part of the limb
// that would lie on the scan, the likely ones by both surfaces, the best fitted. It is kept only
// where the whole rig agrees better.

namespace sinew {
namespace {

constexpr double kLimbReach = 0.15;      // m: farther is as bad
constexpr double kLimbMatch = 0.06;      // m: a vertex within it has found its surface
constexpr double kLimbAngle = 1.05;      // rad, between normals
constexpr double kFootMatch = 0.03;      // m: feet are small, and turned ones lie near their scan
constexpr double kFootAngle = 0.6;       // rad
constexpr double kFootGain = 0.995;      // a foot is a small part of the whole
constexpr double kLimbFound = 0.75;      // of its vertices: such a limb is left as it is
constexpr double kLimbGain = 0.98;       // of the mismatch before: another pose is better below it
constexpr std::size_t kLimbLikely = 16;  // poses that are compared both ways, of all
constexpr std::size_t kLimbTried = 4;    // of these, poses that are fitted

// Angles of a limb, degrees from rest; names without their side.
struct LimbSearchAngle {
    const char* joint;
    const char* motion;
    std::vector<double> degrees;
};
struct LimbSearchRow {
    const char* end;  // joint of the hand or foot, whose fingers and toes say little of the limb
    std::vector<LimbSearchAngle> angles;
    bool is_foot = false;
};

const std::array<LimbSearchRow, 3>& limb_search_rows() {
    // Arms at rest stand 40 degrees away from the trunk.
    static const std::array<LimbSearchRow, 3> kLimbSearch = {
        {{"wrist",
          {{"shoulder", "abduction", {-30, 15, 60, 105}},
           {"shoulder", "flexion", {-30, 10, 50, 95}},
           {"shoulder", "internal_rotation", {-45, 30}},
           {"elbow", "flexion", {10, 60, 110}},
           {"forearm", "pronation", {50}}}},
         {"ankle",
          {{"hip", "flexion", {-10, 30, 65, 100}},
           {"hip", "abduction", {-5, 20}},
           {"knee", "flexion", {5, 50, 95, 130}},
           {"ankle", "dorsiflexion", {-15}}}},
         {"toes",
          {{"ankle", "dorsiflexion", {-35, -15, 5, 25}}, {"subtalar", "inversion", {-20, 0, 20}}},
          true}}};
    return kLimbSearch;
}

struct SearchedLimb {
    const LimbSearchRow* row = nullptr;
    std::vector<Index> angles = {};    // of the rig, beside those of the row; -1: not there
    std::vector<Index> vertices = {};  // that the limb moves
};

SearchedLimb searched_limb(const PoseRig& rig, const LimbSearchRow& row, char side) {
    SearchedLimb limb{.row = &row};
    for (const LimbSearchAngle& angle : row.angles) {
        limb.angles.push_back(
            rig.angle_named(std::string(angle.joint) + "_" + side + " " + angle.motion));
    }
    // A vertex belongs to the limb when its first joint turns it by a good part of the arc that the
    // farthest one makes: the trunk beside the joint does not.
    const auto first =
        std::find_if(limb.angles.begin(), limb.angles.end(), [](Index a) { return a >= 0; });
    if (first == limb.angles.end()) {
        return limb;
    }
    const Points rest = rig.placed(rig.start()).world;
    const auto moved_by = [&](Index angle) {
        RigState turned = rig.start();
        turned.angles[angle] += 0.1;
        return Eigen::VectorXd((rig.placed(turned).world - rest).rowwise().norm());
    };
    const Eigen::VectorXd moved = moved_by(*first);
    Eigen::VectorXd end = Eigen::VectorXd::Zero(moved.size());
    const std::string end_joint = std::string(row.end) + "_" + side + " ";
    for (std::size_t a = 0; a < rig.angles().size(); ++a) {
        if (rig.angles()[a].name.starts_with(end_joint)) {
            end = end.cwiseMax(moved_by(static_cast<Index>(a)));
        }
    }
    constexpr double kHeld = 0.001;  // m, of 0.1 rad: what stays is not of the hand or foot
    for (Eigen::Index v = 0; v < moved.size(); ++v) {
        if (moved[v] > 0.25 * moved.maxCoeff() && end[v] < kHeld) {
            limb.vertices.push_back(static_cast<Index>(v));
        }
    }
    return limb;
}

// The part of a limb that lies on the scan.
double limb_part_found(const PoseRig& rig, const RigState& state, const ScanIndex& index,
                       const SearchedLimb& limb) {
    const Points world = rig.placed(state).world;
    const Points normals = vertex_normals(world, rig.rest().triangles);
    Points some(static_cast<Eigen::Index>(limb.vertices.size()), 3);
    Points looks(some.rows(), 3);
    for (std::size_t i = 0; i < limb.vertices.size(); ++i) {
        some.row(static_cast<Eigen::Index>(i)) = world.row(limb.vertices[i]);
        looks.row(static_cast<Eigen::Index>(i)) = normals.row(limb.vertices[i]);
    }
    double found = 0.0;
    const bool is_foot = limb.row->is_foot;
    for (const ScanMatch& match : index.matches(some, looks, is_foot ? kFootMatch : kLimbMatch,
                                                is_foot ? kFootAngle : kLimbAngle)) {
        found += match.is_valid ? 1.0 : 0.0;
    }
    return found / static_cast<double>(std::max<std::size_t>(1, limb.vertices.size()));
}

// Every combination of the row's angles, the rest of the body as it is.
std::vector<Eigen::VectorXd> searched_poses(const PoseRig& rig, const Eigen::VectorXd& now,
                                            const SearchedLimb& limb) {
    std::vector<Eigen::VectorXd> poses = {now};
    for (std::size_t k = 0; k < limb.angles.size(); ++k) {
        if (limb.angles[k] < 0) {
            continue;
        }
        const RigAngle& angle = rig.angles()[at(limb.angles[k])];
        std::vector<Eigen::VectorXd> more;
        for (const Eigen::VectorXd& pose : poses) {
            for (const double degrees : limb.row->angles[k].degrees) {
                more.push_back(pose);
                more.back()[limb.angles[k]] = std::clamp(degrees * kDegree, angle.low, angle.high);
            }
        }
        poses = std::move(more);
    }
    return poses;
}

// The best of a limb's poses, fitted; what was there where none is better.
FoundPlacement limb_tried(const PoseRig& rig, const ScanIndex& index, const FoundPlacement& now,
                          const SearchedLimb& limb) {
    struct Candidate {
        Eigen::VectorXd angles;
        double cost = 0.0;
    };
    // All by the part of the limb that would lie on the scan, the likely ones by both surfaces.
    std::vector<Candidate> candidates;
    RigState state = now.state;
    for (Eigen::VectorXd& angles : searched_poses(rig, now.state.angles, limb)) {
        state.angles = angles;
        const double cost = -limb_part_found(rig, state, index, limb);
        candidates.push_back({std::move(angles), cost});
    }
    const auto keep_best = [&](std::size_t count) {
        std::stable_sort(candidates.begin(), candidates.end(),
                         [](const Candidate& a, const Candidate& b) { return a.cost < b.cost; });
        candidates.resize(std::min(candidates.size(), count));
    };
    keep_best(kLimbLikely);
    for (Candidate& candidate : candidates) {
        state.angles = candidate.angles;
        candidate.cost = rig_mismatch(rig, state, index, kLimbReach);
    }
    keep_best(kLimbTried);
    FoundPlacement best = now;
    best.mismatch = (limb.row->is_foot ? kFootGain : kLimbGain) *
                    rig_mismatch(rig, now.state, index, kLimbReach);
    for (const Candidate& candidate : candidates) {
        FoundPlacement tried = now;
        tried.state.angles = candidate.angles;
        for (const Index a : limb.angles) {
            if (a >= 0) {
                tried.prior.angles[a] = candidate.angles[a];
            }
        }
        for (const double reach : {0.12, 0.06}) {
            tried.state =
                fit_rig(rig, tried.state, index, {}, tried.prior,
                        {.iterations = 6, .reach = reach, .max_angle = 1.2, .samples = 1000});
        }
        tried.mismatch = rig_mismatch(rig, tried.state, index, kLimbReach);
        if (tried.mismatch < best.mismatch) {
            best = tried;
        }
    }
    return best;
}

}  // namespace

FoundPlacement with_limbs_found(const PoseRig& rig, const ScanIndex& index, FoundPlacement found,
                                const Progress& progress, SearchedParts parts) {
    struct Poor {
        SearchedLimb limb;
        double part = 0.0;
    };
    std::vector<Poor> poor;
    for (const LimbSearchRow& row : limb_search_rows()) {
        if (row.is_foot && parts == SearchedParts::Limbs) {
            continue;
        }
        for (const char side : {'l', 'r'}) {
            SearchedLimb limb = searched_limb(rig, row, side);
            const double part = limb_part_found(rig, found.state, index, limb);
            // Whether a foot is found is seen once its leg is.
            if (!limb.vertices.empty() && (row.is_foot || part < kLimbFound)) {
                poor.push_back({std::move(limb), part});
            }
        }
    }
    // The worst first: once it is right, the others are pulled to where they belong.
    // Feet come last, for they hang on their legs.
    std::stable_sort(poor.begin(), poor.end(), [](const Poor& a, const Poor& b) {
        return std::pair(a.limb.row->is_foot, a.part) < std::pair(b.limb.row->is_foot, b.part);
    });
    Progress::Stage stage = progress.stage("finding limbs", poor.size());
    for (const Poor& one : poor) {
        if (limb_part_found(rig, found.state, index, one.limb) < kLimbFound) {
            found = limb_tried(rig, index, found, one.limb);
        }
        stage.advance();
    }
    found.mismatch = rig_mismatch(rig, found.state, index);
    return found;
}

}  // namespace sinew
