#pragma once

#include "sinew/body/kinematics.h"
#include "sinew/body/musculoskeletal.h"
#include "sinew/motion/body_load.h"

#include <cstdint>
#include <span>
#include <vector>

namespace sinew {

/// Lengths of all muscles in one pose and their derivatives. Keep one and evaluate into it again:
/// nothing is then allocated.
struct PathState {
    std::vector<double> length = {};  ///< of each musculotendon path, m
    /// dl/dq in the sparse rows of MusclePaths, m/rad or m/m. The moment arm is minus this
    /// [Ryu2021, eq. 16].
    std::vector<double> jacobian = {};

    /// A point that the path goes through, for pictures and forces.
    struct Node {
        Vec3 position = Vec3::Zero();  ///< world, m
        Index order = 0;               ///< of the muscle's points; tangents have that before them
        Index wrap = -1;               ///< tangent to this wrap object; -1: a point of the path
        bool is_begin = false;         ///< of a piece on the surface
        double on_surface = 0.0;       ///< length of the piece that begins here, m
        double weight = 1.0;           ///< of the piece that begins here; 0 behind a branch's end
    };
    std::vector<Node> nodes = {};  ///< scratch: of the muscle evaluated last
    std::vector<Vec3> anchors = {};
    std::vector<Vec3> points = {};
};

/// The paths of all muscles of a model, ready to be measured in any pose.
///
/// A path is a chain of straight pieces and of geodesics on wrap surfaces. With u the unit vectors
/// of the straight pieces, dl/dx = u_in - u_out at every point; summed up per body as force and
/// moment about the origin, each coordinate's derivative is one product with its motion column.
/// Bodies whose joints move the whole path get nothing, as they must.
class MusclePaths {
public:
    /// Keeps copies; `tree` must be that of the same model.
    MusclePaths(const MusculoskeletalModel& model, const KinematicTree& tree);

    std::size_t muscle_count() const {
        return muscles_.size();
    }
    /// Coordinates that can change a muscle's length; the entries row_start(m) ... of jacobian.
    std::span<const Index> coordinates(std::size_t muscle) const;
    std::size_t row_start(std::size_t muscle) const {
        return static_cast<std::size_t>(muscles_[muscle].row);
    }

    void evaluate(const ModelPlacement& placement, PathState& state) const;
    PathState evaluate(const ModelPlacement& placement) const;

    /// dl/dq of one muscle by all coordinates.
    void scatter(const PathState& state, std::size_t muscle, std::span<double> dense) const;

    /// The points that one muscle goes through, tangent points included.
    std::vector<PathState::Node> route(std::size_t muscle, const ModelPlacement& placement) const;

    /// Adds the forces of a muscle's tension on the bodies along its path. A piece that lies on a
    /// surface pushes with what its two ends pull, for it has no friction.
    void add_pull(std::size_t muscle, const ModelPlacement& placement, double tension,
                  std::vector<BodyLoad>& out) const;

private:
    struct Anchor {
        Vec3 position = Vec3::Zero();
        double weight = 1.0;
        Index body = -1;
        Index local = 0;  ///< number of the body among the muscle's own
    };
    struct Lever {
        Index dof = 0;
        Index entry = 0;  ///< into jacobian
        std::uint32_t bodies = 0;
    };
    struct Mover {
        Index point = 0;
        int component = 0;
        Index coordinate = 0;
        Index entry = 0;
        FunctionEvaluator function = {};
    };
    struct Condition {
        Index point = 0;
        Index coordinate = 0;
        double low = 0.0;
        double high = 0.0;
    };
    struct MuscleInfo {
        Index first_point = 0;
        Index end_point = 0;
        Index first_lever = 0;
        Index end_lever = 0;
        Index row = 0;
        Index end_row = 0;
        Index body_count = 0;
        bool is_plain = true;
        std::vector<PathWrap> wraps = {};
        std::vector<Index> wrap_locals = {};
        std::vector<Mover> movers = {};
        std::vector<Condition> conditions = {};
    };
    static constexpr std::size_t kMaxBodies = 32;
    struct Wrench {
        double f[3] = {0.0, 0.0, 0.0};
        double m[3] = {0.0, 0.0, 0.0};
    };

    void add_muscle(const MuscleUnit& unit, const KinematicTree& tree);
    void add_levers(MuscleInfo& info, std::span<const Index> bodies, const KinematicTree& tree);
    void place_points(const ModelPlacement& placement, PathState& state) const;
    void place_movers(const MuscleInfo& info, const ModelPlacement& placement,
                      PathState& state) const;
    void find_route(const MuscleInfo& info, const ModelPlacement& placement,
                    PathState& state) const;
    bool wrap_once(const PathWrap& wrap, const ModelPlacement& placement,
                   std::vector<PathState::Node>& nodes) const;
    double pull_plain(const MuscleInfo& info, const PathState& state, Wrench* wrenches) const;
    double pull_route(const MuscleInfo& info, const ModelPlacement& placement, PathState& state,
                      Wrench* wrenches) const;
    void pull_point(Index point, const Vec3& u, const PathState& state, Wrench* wrenches) const;

    std::vector<WrapObject> wraps_ = {};
    std::vector<MuscleInfo> muscles_ = {};
    std::vector<Index> point_start_ = {0};  ///< anchors of each point
    std::vector<double> weights_ = {};      ///< of the piece that begins in each point
    std::vector<Anchor> anchors_ = {};
    std::vector<Lever> levers_ = {};
    std::vector<Index> entry_coordinate_ = {};
};

}  // namespace sinew
