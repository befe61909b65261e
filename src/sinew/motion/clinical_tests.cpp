#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/motion/examination.h"

#include <fmt/format.h>

// The sheet of a physical examination of legs and arms: how each test holds the person and what it
// moves. Tests and positions are those of the textbooks that [Ryu2021, section 6.6] names; the
// torque is that of its Fig. 20, that of arms is ours.

namespace sinew {

namespace {

constexpr double kTorque = 50.0;     // N m [Ryu2021, Fig. 20]
constexpr double kArmTorque = 10.0;  // ours: an arm is held with less

using enum LimbTurn;

using Held = ClinicalTest::Held;
constexpr Held kHip{HipFlexion, 0.0};
constexpr Held kKnee{KneeFlexion, 0.0};
constexpr Held kBent{KneeFlexion, 90.0};
constexpr Held kOtherHip{HipFlexion, 0.0, true};
constexpr Held kOtherKnee{KneeFlexion, 0.0, true};
constexpr Held kHipUp{HipFlexion, 90.0};
constexpr Held kOtherHipUp{HipFlexion, 90.0, true};
constexpr Held kOtherBent{KneeFlexion, 90.0, true};
constexpr Held kArmHanging{ShoulderFlexion, 0.0};
constexpr Held kElbow{ElbowFlexion, 0.0};
constexpr Held kElbowBent{ElbowFlexion, 90.0};

// clang-format off
std::vector<ClinicalTest> leg_tests() {
    return {
        {"popliteal_unilateral", KneeFlexion, 90.0, -1, 1, kTorque, {kHipUp, kOtherHip, kOtherKnee}, true,
         "supine, hip flexed by 90 degrees, other leg flat; the knee is extended: flexion left"},
        {"popliteal_bilateral", KneeFlexion, 90.0, -1, 1, kTorque, {kHipUp, kOtherHipUp, kOtherBent}, false,
         "supine, both hips flexed by 90 degrees; the knee is extended: flexion left"},
        {"straight_leg_raise", HipFlexion, 0.0, 1, 1, kTorque, {kKnee, kOtherHip, kOtherKnee}, false,
         "supine, the straight leg is raised: hip flexion"},
        {"thomas", HipFlexion, 90.0, -1, 1, kTorque, {kKnee, {HipFlexion, 120.0, true}, {KneeFlexion, 120.0, true}}, false,
         "supine, other hip flexed until the back is flat; the thigh is lowered: flexion left"},
        {"staheli", HipFlexion, 90.0, -1, 1, kTorque, {kKnee, kOtherHipUp, kOtherBent}, false,
         "prone, other leg over the edge; the thigh is raised: flexion left"},
        {"hip_flexion", HipFlexion, 0.0, 1, 1, kTorque, {kBent, kOtherHip, kOtherKnee}, false,
         "supine, knee bent by 90 degrees; the thigh is raised: hip flexion"},
        {"hip_abduction_straight", HipAbduction, 0.0, 1, 1, kTorque, {kHip, kKnee}, false,
         "supine, legs straight; the leg is abducted"},
        {"hip_abduction_bent", HipAbduction, 0.0, 1, 1, kTorque, {kHip, kBent}, false,
         "prone, knee bent by 90 degrees (Phelps); the thigh is abducted"},
        {"hip_adduction", HipAbduction, 0.0, -1, -1, kTorque, {kHip, kKnee}, false,
         "supine, legs straight; the leg is adducted"},
        {"hip_internal_rotation", HipRotation, 0.0, 1, 1, kTorque, {kHip, kBent}, false,
         "prone, knee bent by 90 degrees; the thigh is rotated inwards"},
        {"hip_external_rotation", HipRotation, 0.0, -1, -1, kTorque, {kHip, kBent}, false,
         "prone, knee bent by 90 degrees; the thigh is rotated outwards"},
        {"duncan_ely", KneeFlexion, 0.0, 1, 1, kTorque, {kHip}, false,
         "prone, hip straight; the knee is flexed"},
        {"silfverskiold_straight", AnkleDorsiflexion, -20.0, 1, 1, kTorque, {kHip, kKnee}, false,
         "supine, knee straight; the foot is dorsiflexed"},
        {"silfverskiold_bent", AnkleDorsiflexion, -20.0, 1, 1, kTorque, {kHip, kBent}, false,
         "supine, knee bent by 90 degrees; the foot is dorsiflexed"},
        {"ankle_dorsiflexion", AnkleDorsiflexion, -20.0, 1, 1, kTorque, {kHip, kKnee}, false,
         "as silfverskiold_straight"},
        {"ankle_plantarflexion", AnkleDorsiflexion, 0.0, -1, -1, kTorque, {kHip, kKnee}, false,
         "supine, knee straight; the foot is plantarflexed"}};
}

std::vector<ClinicalTest> arm_tests() {
    return {
        {"shoulder_flexion", ShoulderFlexion, 0.0, 1, 1, kArmTorque, {kElbow}, false,
         "arm straight; it is raised forward, as far as the joint of scapula and arm"},
        {"shoulder_abduction", ShoulderAbduction, 0.0, 1, 1, kArmTorque, {kElbow}, false,
         "arm straight; it is raised sideways, as far as the joint of scapula and arm"},
        {"shoulder_internal_rotation", ShoulderRotation, 0.0, 1, 1, kArmTorque, {kElbowBent}, false,
         "arm hanging, elbow bent by 90 degrees; turned inwards"},
        {"shoulder_external_rotation", ShoulderRotation, 0.0, -1, -1, kArmTorque, {kElbowBent}, false,
         "arm hanging, elbow bent by 90 degrees; turned outwards"},
        {"elbow_flexion", ElbowFlexion, 30.0, 1, 1, kArmTorque, {kArmHanging}, false,
         "arm hanging; the elbow is flexed"},
        {"elbow_extension", ElbowFlexion, 90.0, -1, 1, kArmTorque, {kArmHanging}, false,
         "arm hanging; the elbow is extended: flexion left"}};
}
// clang-format on

std::vector<ClinicalTest> make_tests() {
    std::vector<ClinicalTest> out = leg_tests();
    for (ClinicalTest& test : arm_tests()) {
        out.push_back(std::move(test));
    }
    return out;
}

}  // namespace

const std::vector<ClinicalTest>& clinical_tests() {
    static const std::vector<ClinicalTest> kTests = make_tests();
    return kTests;
}

const ClinicalTest& find_clinical_test(std::string_view name, const std::string& where) {
    std::vector<std::string> names;
    for (const ClinicalTest& test : clinical_tests()) {
        if (test.name == name) {
            return test;
        }
        names.emplace_back(test.name);
    }
    throw InputError(
        {.where = where,
         .found = fmt::format("no such test '{}'{}", name, did_you_mean(std::string(name), names)),
         .needs = fmt::format("one of {}", join(names, ", ")),
         .remedy = "name the test as docs/retarget.md does"});
}

}  // namespace sinew
