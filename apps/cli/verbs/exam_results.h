#pragma once

#include "sinew/base/fields.h"

#include <concepts>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace sinew::cli {

/// What `sinew retarget --exam --json` says of a test done once.
struct ExamAngleResult {
    double value = 0.0;
    std::string end;
    double torque = 0.0;
    std::string stop;
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, ExamAngleResult>
void visit_fields(Options& o, Visitor&& v) {
    v(o.value, Field{.name = "value_deg", .help = "that the model shows", .unit = "deg"});
    v(o.end, Field{.name = "end",
                   .help = "what ended the test: muscles, coordinate (the end of its range), start "
                           "(resisted where it begins), missing (not in the model)"});
    v(o.torque, Field{.name = "torque_nm", .help = "against the movement there", .unit = "N m"});
    v(o.stop, Field{.name = "stop", .help = "the muscle that resists most, or the coordinate"});
}

struct ExamTestResult {
    std::string test;
    std::string side;
    double asked = 0.0;
    double torque = 0.0;
    ExamAngleResult before = {};
    ExamAngleResult after = {};
    bool met = false;
    std::string reason;
    std::vector<std::string> muscles = {};
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, ExamTestResult>
void visit_fields(Options& o, Visitor&& v) {
    v(o.test, Field{.name = "test", .help = "of the examination"});
    v(o.side, Field{.name = "side", .help = "left or right"});
    v(o.asked, Field{.name = "asked_deg", .help = "by the table", .unit = "deg"});
    v(o.torque, Field{.name = "torque_nm", .help = "that ends the test", .unit = "N m"});
    v(o.before, Field{.name = "before", .help = "the model as it came, or as it was retargeted"});
    v(o.after, Field{.name = "after", .help = "the model that was written"});
    v(o.met, Field{.name = "met", .help = "whether the angle is the asked one"});
    v(o.reason, Field{.name = "reason", .help = "why not; empty where it is"});
    v(o.muscles, Field{.name = "muscles", .help = "that resist there and were changed"});
}

struct ExamResults {
    int met = 0;
    int asked = 0;
    std::vector<ExamTestResult> tests = {};
    std::vector<std::pair<std::string, double>> muscles = {};
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, ExamResults>
void visit_fields(Options& o, Visitor&& v) {
    v(o.met, Field{.name = "met", .help = "tests whose angle is the asked one"});
    v(o.asked, Field{.name = "asked", .help = "tests of the table"});
    v(o.tests, Field{.name = "tests", .help = "each one"});
    v(o.muscles, Field{.name = "muscles", .help = "maximal lengths over those before, by muscle"});
}

struct PoseLengthMuscle {
    std::string name;
    std::string pose;
    double force = 0.0;
    double factor = 1.0;
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, PoseLengthMuscle>
void visit_fields(Options& o, Visitor&& v) {
    v(o.name, Field{.name = "name", .help = "of the muscle"});
    v(o.pose, Field{.name = "pose", .help = "in which it resisted most"});
    v(o.force, Field{.name = "force_before", .help = "there, of its greatest force"});
    v(o.factor, Field{.name = "factor", .help = "of its maximal length"});
}

/// Of --poses.
struct PoseLengthResults {
    int poses = 0;
    std::vector<PoseLengthMuscle> relaxed = {};
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, PoseLengthResults>
void visit_fields(Options& o, Visitor&& v) {
    v(o.poses, Field{.name = "poses", .help = "that muscles allow"});
    v(o.relaxed, Field{.name = "relaxed", .help = "muscles that key poses made longer"});
}

/// Of --skills, per skill.
struct SkillResult {
    std::string name;
    int frames = 0;
    double wanted = 0.0;
    double met_reference = 0.0;
    double met_naive = 0.0;
    double met = 0.0;
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, SkillResult>
void visit_fields(Options& o, Visitor&& v) {
    v(o.name, Field{.name = "name", .help = "squat, arm lift, kick"});
    v(o.frames, Field{.name = "frames", .help = "of the motion"});
    v(o.wanted, Field{.name = "wanted_rad_s2", .help = "greatest wanted acceleration"});
    v(o.met_reference, Field{.name = "met_reference",
                             .help = "fraction of frames in which muscles reach all accelerations "
                                     "within a tenth of the greatest"});
    v(o.met_naive, Field{.name = "met_naive", .help = "the same, muscles only scaled"});
    v(o.met, Field{.name = "met", .help = "the same, retargeted"});
}

}  // namespace sinew::cli
