#pragma once

#include "sinew/body/pose_solver.h"
#include "sinew/body/retarget.h"

#include <map>
#include <string>
#include <vector>

namespace sinew {

/// A person in a recording and a model of another: how one stands against the other at rest. World
/// frames are those of the target: Y up, the recording turned to face as it does.
class PersonPair {
public:
    PersonPair(const Recording& recording, const PersonJoints& source, const PoseSolver& solver,
               const PersonJoints& target, RestPoses rests);

    bool has(const std::string& part) const {
        return source_.has(part) && target_.has(part);
    }
    const PersonJoints& source() const {
        return source_;
    }
    const PersonJoints& target() const {
        return target_;
    }
    /// Lengths of the target against those of the recording, by the legs, else the arms.
    double scale() const {
        return scale_;
    }
    /// Of a leg: thigh and shank, m; 0 without.
    double leg() const {
        return leg_;
    }

    /// G of a recorded joint in a frame, and where it is, in lengths of the target.
    Mat3 rotation(std::size_t frame, Index joint) const;
    Vec3 position(std::size_t frame, Index joint) const;
    Vec3 rest_position(Index joint) const;
    /// A_part: takes the target's part at rest to where the recording has its own.
    const Mat3& alignment(const std::string& part) const;
    /// G A of a part in a frame.
    Mat3 wanted(std::size_t frame, const std::string& part) const;
    /// Where the bone from a part to the next points.
    Vec3 wanted_direction(std::size_t frame, const std::string& part,
                          const std::string& next) const;
    Vec3 centre(const std::string& part) const;  ///< of the target's joint at rest

    /// Of a target that hangs on the ground: motions count against this recorded joint; -1: none.
    void hold(Index joint) {
        held_ = joint;
    }

private:
    void find_heading();
    void find_scale();
    void align_limb(const std::vector<std::string>& parts);
    void align_hand(const std::string& side);
    Vec3 bone_of_source(const std::string& part, const std::string& next) const;
    Vec3 bone_of_target(const std::string& part, const std::string& next) const;

    const Recording& recording_;
    const PersonJoints& source_;
    const PoseSolver& solver_;
    const PersonJoints& target_;
    RestPoses rests_;
    Mat3 heading_ = Mat3::Identity();  // of the recording's world in the target's
    double scale_ = 1.0;
    double leg_ = 0.0;
    Index held_ = -1;
    std::map<std::string, Mat3> alignment_ = {};
};

}  // namespace sinew
