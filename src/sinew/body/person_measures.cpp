#include "sinew/body/person_measures.h"

#include "sinew/base/error.h"
#include "sinew/base/units.h"
#include "sinew/body/girths.h"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

const Vec3 kUp = Vec3::UnitY();
constexpr double kHangingArm = 3.0 * kPi / 180.0;  // of the upper arm from the vertical
constexpr double kSeat = 0.010;                    // m, flesh under the ischia of who sits

const std::vector<std::string>& needed_joints() {
    static const std::vector<std::string> kNames = [] {
        std::vector<std::string> names = {"neck_c7_t1", "neck_atlanto_occipital"};
        for (const char* side : {"_l", "_r"}) {
            for (const char* stem :
                 {"shoulder", "elbow", "wrist", "hip", "knee", "ankle", "mcp_middle_finger",
                  "pip_middle_finger", "dip_middle_finger"}) {
                names.push_back(std::string(stem) + side);
            }
        }
        return names;
    }();
    return kNames;
}

const std::vector<std::string>& needed_landmarks() {
    static const std::vector<std::string> kNames = [] {
        std::vector<std::string> names = {"glabella", "navel"};
        for (const char* side : {"_l", "_r"}) {
            for (const char* stem : {"acromion", "nipple", "elbow_lateral", "wrist_radial",
                                     "wrist_ulnar", "fingertip_middle", "heel", "toe_tip"}) {
                names.push_back(std::string(stem) + side);
            }
        }
        return names;
    }();
    return kNames;
}

const Bone* bone_named(const Body& body, const std::string& name) {
    const auto it = std::find_if(body.bones.begin(), body.bones.end(),
                                 [&](const Bone& bone) { return bone.name == name; });
    return it != body.bones.end() && it->mesh.points.rows() > 0 ? &*it : nullptr;
}

// The first thing that measures need and the body does not have.
std::string missing_for_measures(const Body& body) {
    const auto has = [](const auto& list, const std::string& name) {
        return std::any_of(list.begin(), list.end(),
                           [&](const auto& entry) { return entry.name == name; });
    };
    for (const std::string& name : needed_joints()) {
        if (!has(body.skeleton.joints, name)) {
            return fmt::format("joint '{}'", name);
        }
    }
    for (const std::string& name : needed_landmarks()) {
        if (!has(body.landmarks, name)) {
            return fmt::format("landmark '{}'", name);
        }
    }
    for (const char* bone : {"scapula_l", "scapula_r", "hip_bone_l", "hip_bone_r"}) {
        if (bone_named(body, bone) == nullptr) {
            return fmt::format("bone '{}'", bone);
        }
    }
    return body.skin.mesh.triangles.rows() > 0 ? "" : "skin";
}

/// Takes measures off one shape; all of them on its right side, as in the survey.
class Tailor {
public:
    explicit Tailor(const MeasuredShape& shape) : s_(shape) {
        low_ = s_.skin.col(1).minCoeff();
        height_ = s_.skin.col(1).maxCoeff() - low_;
        crotch_ = crotch();
    }

    double stature() const {
        return height_;
    }
    double crotch_height() const {
        return crotch_ - low_;
    }
    double sitting_height() const {
        return low_ + height_ - (std::min(s_.ischium[0].y(), s_.ischium[1].y()) - kSeat);
    }
    double acromial_height() const {
        return 0.5 * (landmark("acromion_l").y() + landmark("acromion_r").y()) - low_;
    }
    double biacromial_breadth() const {
        return (s_.acromion[0] - s_.acromion[1]).norm();
    }
    double chest() const {
        return level_girth(0.5 * (landmark("nipple_l").y() + landmark("nipple_r").y()));
    }
    double waist() const {
        return level_girth(landmark("navel").y());
    }

    // Where the buttocks stand out most.
    double buttocks() const {
        double best = 0.0;
        double girth = 0.0;
        for (int k = 0; k <= 12; ++k) {
            const double y = crotch_ + 0.01 * height_ + k * 0.0075 * height_;
            const std::vector<Vec3> points = level(y);
            double back = 0.0;
            for (const Vec3& p : points) {
                back = std::min(back, p.z());
            }
            if (back < best) {
                best = back;
                girth = tape_length(points, kUp);
            }
        }
        return girth;
    }
    double hip_breadth() const {
        const double hip = 0.5 * (joint("hip_l").y() + joint("hip_r").y());
        double breadth = 0.0;
        for (int k = 0; k <= 8; ++k) {
            breadth = std::max(breadth, width(level(hip + (0.01 * k - 0.02) * height_)));
        }
        return breadth;
    }

    // Under the gluteal fold, as high as the thigh is alone.
    double thigh() const {
        const Vec3 hip = joint("hip_r");
        const Vec3 axis = joint("knee_r") - hip;
        const double middle = 0.5 * (hip.x() + joint("hip_l").x());
        for (int k = 0; k < 12; ++k) {
            const double y = crotch_ - (0.006 + 0.008 * k) * height_;
            const Vec3 centre = hip + (y - hip.y()) / axis.y() * axis;
            const std::vector<Vec3> loop = loop_around(s_.skin, s_.triangles, centre, kUp);
            const bool is_alone = std::all_of(loop.begin(), loop.end(),
                                              [&](const Vec3& p) { return p.x() < middle + 0.01; });
            if (is_alone && !loop.empty()) {
                return tape_length(loop, kUp);
            }
        }
        return 0.0;
    }
    double calf() const {
        return largest("knee_r", "ankle_r", {0.18, 0.23, 0.28, 0.33, 0.38});
    }
    double biceps() const {
        const double flexing = s_.sex == Sex::Female ? 1.04 : 1.07;
        return flexing * largest("shoulder_r", "elbow_r", {0.45, 0.52, 0.59, 0.66});
    }
    double forearm() const {
        const double flexing = s_.sex == Sex::Female ? 1.02 : 1.03;
        return flexing * largest("elbow_r", "wrist_r", {0.10, 0.16, 0.22, 0.28, 0.34});
    }
    double wrist() const {
        return -largest("elbow_r", "wrist_r", {0.88, 0.92, 0.96}, -1.0);
    }
    double neck() const {
        return -largest("neck_c7_t1", "neck_atlanto_occipital", {0.35, 0.45, 0.55, 0.65, 0.75},
                        -1.0);
    }
    double head() const {
        double girth = 0.0;
        for (const double up : {0.011, 0.015, 0.019}) {
            const Vec3 centre(0.0, landmark("glabella").y() + up * height_,
                              0.5 * landmark("glabella").z());
            girth = std::max(girth, tape_girth(s_.skin, s_.triangles, centre, kUp));
        }
        return girth;
    }

    // Trunk and both upper arms, hanging, below the shoulders.
    std::vector<Vec3> shoulders(double t) const {
        std::vector<Vec3> points;
        double y = 0.0;
        for (const char* side : {"_l", "_r"}) {
            const Vec3 top = joint(std::string("shoulder") + side);
            const Mat3 down = hanging(side);
            const Vec3 axis = joint(std::string("elbow") + side) - top;
            // Towards the trunk the section may run into it: the outer half says all.
            const double out = side[1] == 'l' ? 1.0 : -1.0;
            const Vec3 a = axis.normalized();
            const Vec3 outwards = out * (Vec3::UnitX() - a.x() * a);
            for (const Vec3& p : loop_around(s_.skin, s_.triangles, top + t * axis, a)) {
                if ((p - top).dot(outwards) > 0.0) {
                    points.push_back(top + down * (p - top));
                }
            }
            y += 0.5 * (top.y() - t * axis.norm());
        }
        const double widest = joint("shoulder_l").x();
        for (const std::vector<Vec3>& loop :
             section_loops(s_.skin, s_.triangles, Vec3(0.0, y, 0.0), kUp)) {
            for (const Vec3& p : loop) {
                if (std::abs(p.x()) < widest) {
                    points.push_back(p);
                }
            }
        }
        return points;
    }
    double shoulder_girth() const {
        return tape_length(shoulders(0.18), kUp);
    }
    double bideltoid_breadth() const {
        double breadth = 0.0;
        for (const double t : {0.22, 0.32, 0.42}) {
            breadth = std::max(breadth, width(shoulders(t)));
        }
        return breadth;
    }

    double upper_arm_length() const {
        const Vec3 top = joint("shoulder_r");
        const Vec3 radiale = top + hanging("_r") * (landmark("elbow_lateral_r") - top);
        return (radiale - s_.acromion[1]).norm();
    }
    // Along the bent fingers.
    double hand_length() const {
        Vec3 at = 0.5 * (landmark("wrist_radial_r") + landmark("wrist_ulnar_r"));
        double length = 0.0;
        for (const char* name :
             {"mcp_middle_finger_r", "pip_middle_finger_r", "dip_middle_finger_r"}) {
            length += (joint(name) - at).norm();
            at = joint(name);
        }
        return length + (landmark("fingertip_middle_r") - at).norm();
    }
    double foot_length() const {
        Vec3 way = landmark("toe_tip_r") - landmark("heel_r");
        way.y() = 0.0;
        way.normalize();
        double near = 1e300;
        double far = -1e300;
        for (Eigen::Index i = 0; i < s_.skin.rows(); ++i) {
            const Vec3 p = point(s_.skin, i);
            if (p.y() < low_ + 0.05 * height_ && p.x() < 0.0) {
                near = std::min(near, p.dot(way));
                far = std::max(far, p.dot(way));
            }
        }
        return far - near;
    }

private:
    const Vec3& joint(const std::string& name) const {
        return s_.joints.at(name);
    }
    const Vec3& landmark(const std::string& name) const {
        return s_.landmarks.at(name);
    }

    // Rotation that lets the upper arm hang.
    Mat3 hanging(const std::string& side) const {
        const double out = side == "_l" ? 1.0 : -1.0;
        const Vec3 axis = joint("elbow" + side) - joint("shoulder" + side);
        return Eigen::Quaterniond::FromTwoVectors(
                   axis, Vec3(out * std::sin(kHangingArm), -std::cos(kHangingArm), 0.0))
            .toRotationMatrix();
    }
    // Whether a position is nearer to the arm than to the side of the trunk: beyond the plane that
    // halves the angle between arm and vertical.
    bool is_on_arm(const Vec3& p) const {
        const std::string side = p.x() > 0.0 ? "_l" : "_r";
        const Vec3 top = joint("shoulder" + side);
        const Vec3 arm = (joint("elbow" + side) - top).normalized();
        const Vec3 between = (arm - kUp).normalized();
        const Vec3 from = p - top;
        return from.dot(between) > 0.0 && from.dot(arm - arm.dot(between) * between) > 0.0;
    }
    // What a level plane cuts of trunk and legs.
    std::vector<Vec3> level(double y) const {
        std::vector<Vec3> points;
        for (const std::vector<Vec3>& loop :
             section_loops(s_.skin, s_.triangles, Vec3(0.0, y, 0.0), kUp)) {
            for (const Vec3& p : loop) {
                if (!is_on_arm(p)) {
                    points.push_back(p);
                }
            }
        }
        return points;
    }
    double level_girth(double y) const {
        return tape_length(level(y), kUp);
    }
    static double width(const std::vector<Vec3>& points) {
        double low = 0.0;
        double high = 0.0;
        for (const Vec3& p : points) {
            low = std::min(low, p.x());
            high = std::max(high, p.x());
        }
        return high - low;
    }
    // The largest of sign * girth across a limb.
    double largest(const std::string& from, const std::string& to,
                   std::initializer_list<double> along, double sign = 1.0) const {
        const Vec3 axis = joint(to) - joint(from);
        double girth = -1e300;
        for (const double t : along) {
            girth = std::max(girth, sign * tape_girth(s_.skin, s_.triangles, joint(from) + t * axis,
                                                      axis.normalized()));
        }
        return girth;
    }
    double crotch() const {
        const double middle = 0.5 * (joint("hip_l").x() + joint("hip_r").x());
        double lowest = 1e300;
        for (const std::vector<Vec3>& loop :
             section_loops(s_.skin, s_.triangles, Vec3(middle, 0.0, 0.0), Vec3::UnitX())) {
            for (const Vec3& p : loop) {
                if (p.y() > low_ + 0.3 * height_) {
                    lowest = std::min(lowest, p.y());
                }
            }
        }
        return lowest;
    }

    const MeasuredShape& s_;
    double low_ = 0.0;     // of the soles
    double height_ = 0.0;  // stature
    double crotch_ = 0.0;  // y
};

}  // namespace

std::span<const std::string> person_measure_names() {
    static const std::vector<std::string> kNames = {"waistcircumference",
                                                    "chestcircumference",
                                                    "buttockcircumference",
                                                    "thighcircumference",
                                                    "calfcircumference",
                                                    "bicepscircumferenceflexed",
                                                    "forearmcircumferenceflexed",
                                                    "wristcircumference",
                                                    "neckcircumference",
                                                    "shouldercircumference",
                                                    "headcircumference",
                                                    "biacromialbreadth",
                                                    "bideltoidbreadth",
                                                    "hipbreadth",
                                                    "acromialheight",
                                                    "crotchheight",
                                                    "sittingheight",
                                                    "acromionradialelength",
                                                    "handlength",
                                                    "footlength"};
    return kNames;
}

std::vector<double> person_measures(const MeasuredShape& shape) {
    const Tailor t(shape);
    return {t.waist(),
            t.chest(),
            t.buttocks(),
            t.thigh(),
            t.calf(),
            t.biceps(),
            t.forearm(),
            t.wrist(),
            t.neck(),
            t.shoulder_girth(),
            t.head(),
            t.biacromial_breadth(),
            t.bideltoid_breadth(),
            t.hip_breadth(),
            t.acromial_height(),
            t.crotch_height(),
            t.sitting_height(),
            t.upper_arm_length(),
            t.hand_length(),
            t.foot_length()};
}

bool has_person_measures(const Body& body) {
    return missing_for_measures(body).empty();
}

MeasuredShape measured_shape(const Body& body) {
    if (const std::string missing = missing_for_measures(body); !missing.empty()) {
        throw InputError({.where = fmt::format("measures of body '{}'", body.name),
                          .found = fmt::format("no {}", missing),
                          .needs = "skin, joints, landmarks and bones of the built-in human",
                          .remedy = "make the body with 'sinew build'"});
    }
    MeasuredShape shape{
        .sex = body.sex, .skin = body.skin.mesh.points, .triangles = body.skin.mesh.triangles};
    for (const std::string& name : needed_joints()) {
        shape.joints[name] = std::find_if(body.skeleton.joints.begin(), body.skeleton.joints.end(),
                                          [&](const Joint& joint) { return joint.name == name; })
                                 ->centre;
    }
    for (const Landmark& landmark : body.landmarks) {
        shape.landmarks[landmark.name] = landmark.position;
    }
    for (const int side : {0, 1}) {
        const std::string end = side == 0 ? "_l" : "_r";
        const double out = side == 0 ? 1.0 : -1.0;
        const Points& scapula = bone_named(body, "scapula" + end)->mesh.points;
        Eigen::Index outermost = 0;
        (out * scapula.col(0)).maxCoeff(&outermost);
        shape.acromion[static_cast<std::size_t>(side)] = point(scapula, outermost);
        const Points& hip = bone_named(body, "hip_bone" + end)->mesh.points;
        Eigen::Index lowest = 0;
        hip.col(1).minCoeff(&lowest);
        shape.ischium[static_cast<std::size_t>(side)] = point(hip, lowest);
    }
    return shape;
}

std::vector<double> person_measures(const Body& body) {
    return person_measures(measured_shape(body));
}

}  // namespace sinew
