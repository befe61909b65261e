#pragma once

#include "sinew/body/person_pair.h"
#include "sinew/body/pose_solver.h"
#include "sinew/body/retarget.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace sinew {

/// A model without what no part needs: joints between the ground and the parts are all that counts,
/// and faces and fingers are most of many models. Body j is the child of joint j; coordinates are
/// those of the whole.
struct PrunedModel {
    /// @param more  joints that are kept too
    PrunedModel(const MusculoskeletalModel& whole, const PersonJoints& person,
                const std::vector<Index>& more);

    MusculoskeletalModel model = {};
    PersonJoints joints = {};
    std::vector<Index> joint_of = {};  ///< of each joint of the whole model, -1: gone
};

/// A leg of the target, and what of its foot touches the ground.
struct StandingLeg {
    std::string side;         ///< "_l", "_r"
    std::vector<Index> free;  ///< coordinates from hip to ankle
    CarriedPoint hip;
    CarriedPoint ankle;
    CarriedPoint ball = {};  ///< the joint of the toes, as a point of the foot
    std::vector<CarriedPoint> soles =
        {};               ///< heel, ball and tip of the toes; on the ground at rest
    double length = 0.0;  ///< thigh and shank, m
};

/// Poses a model as a person in a recording, frame by frame; feet go where their legs take them.
class PersonPoser {
public:
    /// @param extras  joints of the model and of the recording that rotate alike, parents first
    PersonPoser(const Recording& recording, const PersonJoints& source, const PrunedModel& pruned,
                const std::vector<std::pair<Index, Index>>& extras, const RetargetOptions& options);

    /// @param last  coordinates of the frame before
    std::vector<double> pose_frame(std::size_t frame, const std::vector<double>& last);
    /// Pelvis and legs together: directions of the legs and further goals against where the
    /// recording carries the pelvis. Only where they stand (`legs`).
    /// @param is_turning  the pelvis may also tilt, where legs at their limits ask for it
    void pose_pelvis_and_legs(std::size_t frame, const PoseGoals& more, bool is_turning,
                              std::vector<double>& q);
    /// The pelvis, as it is turned, away from where the recording carries it; and how far it is.
    void shift_pelvis(std::size_t frame, const Vec3& shift, std::vector<double>& q);
    Vec3 pelvis_shift(std::size_t frame, const std::vector<double>& q);
    void pose_toes(std::size_t frame, std::vector<double>& q);
    /// What directions and rotations of these parts should be.
    PoseGoals limb_goals(std::size_t frame, const std::vector<std::string>& parts) const;

    PoseSolver& solver() {
        return solver_;
    }
    const PersonPair& pair() const {
        return pair_;
    }
    /// Two, or none where they cannot stand: legs that are not in both, a pelvis that is held.
    const std::vector<StandingLeg>& legs() const {
        return legs_;
    }
    double ground() const {
        return ground_;
    }
    /// From heights of the recording, in the target's lengths, to those of the target, m.
    double lift() const {
        return lift_;
    }
    double frame_time() const {
        return frame_time_;
    }
    /// Coordinates of a limb, by its first part.
    const std::vector<Index>& free_of(const std::string& part) {
        return limb_free_[part];
    }
    /// The centre of a part's joint, carried by what hangs on it, or by what it hangs on.
    CarriedPoint carried(const std::string& part, bool by_parent = false) const;

private:
    struct Row {
        std::vector<double> own, recorded;
        std::vector<Index> joints, source_joints;
    };
    void prepare_root();
    void prepare_row(const std::vector<std::string>& parts, const std::string& end_source,
                     Row& row) const;
    void prepare_limbs();
    void prepare_legs();
    void find_ground();
    std::vector<Index> path(Index from_joint, Index to_joint) const;
    std::vector<Index> coordinates_of(const std::vector<Index>& joints, bool turns_only) const;
    Vec3 hips_of_source(std::size_t frame) const;
    Vec3 hips_goal(std::size_t frame) const;
    void pose_root(std::size_t frame, std::vector<double>& q);
    Mat3 parent_rotation(Index joint, const ModelPlacement& now) const;

    void pose_row(std::size_t frame, const Mat3& base, const Row& row, std::vector<double>& q);
    void pose_limb(std::size_t frame, const std::vector<std::string>& parts,
                   std::vector<double>& q);
    void pose_girdle(std::size_t frame, const std::string& side, std::vector<double>& q);
    std::vector<double> turned_limb(std::size_t frame, const std::vector<std::string>& parts,
                                    const std::vector<Index>& joints, const std::vector<double>& q);
    void pose_extras(std::size_t frame, std::vector<double>& q);

    const Recording& recording_;
    const PersonJoints& source_;
    const MusculoskeletalModel& model_;
    const PersonJoints& target_;
    const std::vector<std::pair<Index, Index>>& extras_;
    RetargetOptions options_;
    PoseSolver solver_;
    PersonPair pair_;

    bool is_carried_ = false;            // the pelvis moves against the ground
    std::vector<Index> root_free_ = {};  // coordinates
    CarriedPoint hips_ = {};             // of the target: the middle between the hips
    Vec3 hips_start_ = Vec3::Zero();     // of the recording, where the motion begins
    double ground_ = 0.0;
    double lift_ = 0.0;
    double frame_time_ = 1.0 / 30.0;
    Row trunk_ = {};
    Row neck_ = {};
    std::vector<StandingLeg> legs_ = {};
    std::map<std::string, std::vector<Index>> limb_joints_ = {};  // by the first part
    std::map<std::string, std::vector<Index>> limb_free_ = {};
    std::map<std::string, std::vector<Index>> girdle_free_ = {};  // by the shoulder
};

}  // namespace sinew
