#include "bench/motion_bench.h"

#include "sinew/base/error.h"
#include "sinew/base/timer.h"
#include "sinew/body/kinematics.h"
#include "sinew/body/retarget.h"
#include "sinew/body/skeleton_model.h"
#include "sinew/build/figure.h"
#include "sinew/build/joint_tree.h"
#include "sinew/io/data_folder.h"
#include "sinew/io/figure_files.h"
#include "sinew/io/joint_names_file.h"
#include "sinew/io/mass_files.h"
#include "sinew/io/motion_files.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <optional>

namespace sinew::bench {

namespace {

// Where parts of a person are over time, and how they were at rest.
struct MovedPerson {
    PersonJoints joints;
    std::vector<Vec3> rest;
    std::vector<std::vector<Vec3>> frames;
    std::vector<std::vector<Mat3>> rotations;  // of what hangs on a joint
};

struct Target {
    std::string name;
    double ground = 0.0;
    std::function<std::pair<MovedPerson, RetargetReport>(const Recording&, const JointNames&)> move;
};

MovedPerson moved_character(const CharacterSkeleton& skeleton, const CharacterMotion& motion,
                            const JointNames& names) {
    MovedPerson person;
    std::vector<std::string> joints;
    for (const CharacterJoint& joint : skeleton.joints) {
        joints.push_back(joint.name);
        person.rest.push_back(joint.position);
    }
    person.joints = find_person_joints(joints, names);
    for (const JointRotations& key : motion.keys) {
        const CharacterPose pose = pose_of(skeleton, key);
        std::vector<Vec3> places;
        std::vector<Mat3> rotations;
        for (std::size_t j = 0; j < pose.size(); ++j) {
            places.push_back(pose[j] * person.rest[j]);
            rotations.emplace_back(pose[j].linear());
        }
        person.frames.push_back(std::move(places));
        person.rotations.push_back(std::move(rotations));
    }
    return person;
}

Target body_target(const std::string& name, FigureSex sex) {
    const FigureTable table = read_figure(data_folder() / "figure");
    const auto skeleton = [&](FigurePose pose) {
        const FigureTable shaped = shape_figure(table, {.sex = sex, .pose = pose});
        return build_joint_tree(shaped.root, joints_of(shaped), "figure").skeleton;
    };
    const auto ankle = [](const Skeleton& s) {
        for (const Joint& joint : s.joints) {
            if (joint.name == "ankle_l") {
                return joint.centre.y();
            }
        }
        return 0.0;
    };
    const Skeleton stands = skeleton(FigurePose::A);
    // Its soles are as far below its ankles as in the stance that it was measured in, on y = 0.
    const double ground = ankle(stands) - ankle(skeleton(FigurePose::Measured));
    return {
        name, ground, [=](const Recording& recording, const JointNames& names) {
            const RetargetedPoses moved = retarget(recording, stands, names, {.ground = ground});
            return std::pair(moved_character(skeleton_of(stands),
                                             motion_of(stands, moved.times, moved.poses), names),
                             moved.report);
        }};
}

// Parents in MakeHuman's default rig, by the names of its joints.
std::string parent_in_makehuman(const std::string& name) {
    const std::size_t dot = name.find('.');
    const std::string side = dot == std::string::npos ? "" : name.substr(dot);
    const std::string stem = name.substr(0, dot);
    static const std::map<std::string, std::string> kParents = {
        {"spine05", "root"},          {"spine04", "spine05"},       {"spine03", "spine04"},
        {"spine02", "spine03"},       {"spine01", "spine02"},       {"neck01", "spine01"},
        {"neck02", "neck01"},         {"neck03", "neck02"},         {"head", "neck03"},
        {"clavicle", "spine01"},      {"shoulder01", "clavicle"},   {"upperarm01", "shoulder01"},
        {"upperarm02", "upperarm01"}, {"lowerarm01", "upperarm02"}, {"lowerarm02", "lowerarm01"},
        {"wrist", "lowerarm02"},      {"finger1-1", "wrist"},       {"metacarpal2", "wrist"},
        {"finger3-1", "metacarpal2"}, {"pelvis", "root"},           {"upperleg01", "pelvis"},
        {"upperleg02", "upperleg01"}, {"lowerleg01", "upperleg02"}, {"lowerleg02", "lowerleg01"},
        {"foot", "lowerleg02"},       {"toe1-1", "foot"},           {"toe2-1", "foot"},
        {"toe3-1", "foot"},           {"toe4-1", "foot"},           {"toe5-1", "foot"}};
    const auto found = kParents.find(stem);
    if (found == kParents.end()) {
        return "";
    }
    const bool is_middle = found->second.starts_with("spine") || found->second == "root" ||
                           found->second.starts_with("neck");
    return found->second + (is_middle ? "" : side);
}

Target makehuman_target(const nlohmann::json& truth, const std::string& body) {
    CharacterSkeleton skeleton;
    std::map<std::string, Index> number;
    const auto& order = truth["joint_order"];
    for (std::size_t k = 0; k < order.size(); ++k) {
        const std::string name = order[k];
        const std::string parent = parent_in_makehuman(name);
        if (name == "root" || number.contains(parent)) {
            const auto& p = truth["bodies"][body][k];
            number[name] = static_cast<Index>(skeleton.size());
            skeleton.joints.push_back({.name = name,
                                       .parent = name == "root" ? -1 : number[parent],
                                       .position = Vec3(p[0], p[1], p[2])});
        }
    }
    return {"makehuman " + body, 0.0, [=](const Recording& recording, const JointNames& names) {
                const RetargetedCharacter moved =
                    retarget(recording, skeleton, names, {.ground = 0.0});
                return std::pair(moved_character(skeleton, moved.motion, names), moved.report);
            }};
}

Target model_target(const std::filesystem::path& folder) {
    const MusculoskeletalModel model = read_mass(folder / "human.xml", folder / "muscle284.xml");
    return {"MASS", 0.0, [=](const Recording& recording, const JointNames& names) {
                const RetargetedModel moved = retarget(recording, model, names, {.ground = 0.0});
                const KinematicTree tree(model);
                MovedPerson person;
                person.joints = person_joints(model, names);
                const auto places = [&](std::span<const double> q) {
                    const ModelPlacement placed = tree.place(q);
                    std::vector<Vec3> all;
                    std::vector<Mat3> turned;
                    for (const ModelJoint& joint : model.joints) {
                        const Placement& T = placed.bodies[at(joint.child)];
                        all.push_back(T * joint.child_frame.position);
                        turned.push_back(T.rotation);
                    }
                    return std::pair(all, turned);
                };
                const auto [rest, rest_turned] = places(rest_coordinates(model));
                person.rest = rest;
                const std::size_t n = model.coordinates.size();
                for (std::size_t f = 0; f < moved.motion.times.size(); ++f) {
                    auto [now, turned] = places(std::span(moved.motion.values).subspan(f * n, n));
                    for (std::size_t j = 0; j < turned.size(); ++j) {
                        turned[j] = turned[j] * rest_turned[j].transpose();
                    }
                    person.frames.push_back(std::move(now));
                    person.rotations.push_back(std::move(turned));
                }
                return std::pair(person, moved.report);
            }};
}

void measure_limbs(const Recording& recording, const PersonJoints& source,
                   const MovedPerson& person, MotionFit& fit) {
    double sum = 0.0;
    double count = 0.0;
    for (const auto& [from, to] :
         {std::pair{"shoulder", "elbow"}, {"elbow", "wrist"}, {"hip", "knee"}, {"knee", "ankle"}}) {
        for (const std::string side : {"_l", "_r"}) {
            const auto a = static_cast<std::size_t>(person.joints.first(from + side));
            const auto b = static_cast<std::size_t>(person.joints.first(to + side));
            for (std::size_t f = 0; f < person.frames.size(); ++f) {
                const Vec3 own = person.frames[f][b] - person.frames[f][a];
                const Vec3 other = recording.position(f, source.first(to + side)) -
                                   recording.position(f, source.first(from + side));
                const double angle = std::atan2(own.cross(other).norm(), own.dot(other));
                sum += angle;
                count += 1.0;
                fit.limb_largest = std::max(fit.limb_largest, angle);
            }
        }
    }
    fit.limb_mean = count > 0.0 ? sum / count : 0.0;
}

// How far the sole at a joint of the foot is below the ground, at most. That below the heel turns
// with the ankle; that below the toes is as far below their joint as at rest.
double deepest_sole(const MovedPerson& person, std::size_t ankle, std::size_t joint,
                    double ground) {
    const Vec3 heel(person.rest[ankle].x(), ground, person.rest[ankle].z());
    double deepest = 0.0;
    for (std::size_t f = 0; f < person.frames.size(); ++f) {
        const Vec3 sole =
            person.frames[f][ankle] + person.rotations[f][ankle] * (heel - person.rest[ankle]);
        deepest = std::max(deepest, joint == ankle
                                        ? ground - sole.y()
                                        : person.rest[joint].y() - person.frames[f][joint].y());
    }
    return deepest;
}

// The height that a point of a foot has when it is lowest: the 5th percentile over the clip,
// without the first frame, a T-pose.
double low_percentile(const std::vector<Vec3>& path) {
    std::vector<double> heights;
    for (std::size_t f = 1; f < path.size(); ++f) {
        heights.push_back(path[f].y());
    }
    std::sort(heights.begin(), heights.end());
    return heights[heights.size() / 20];
}

// When a point of a recorded foot stands, judged without the retargeter: it is no more than 3 cm
// above its lowest height and goes no faster than 0.15 m/s between the frames beside, for at least
// three frames. A foot that is never lower than 5 cm above the other is held up, and stands on
// nothing. Lengths are those of a person with legs of 0.85 m.
std::vector<std::pair<std::size_t, std::size_t>> recorded_stands(const std::vector<Vec3>& path,
                                                                 const std::vector<Vec3>& other,
                                                                 double frame_time, double leg) {
    constexpr double kHeldUp = 0.05 / 0.85;
    constexpr double kLow = 0.03 / 0.85;
    constexpr double kSlow = 0.15 / 0.85;
    const double lowest = low_percentile(path);
    std::vector<std::pair<std::size_t, std::size_t>> spans;
    if (lowest > low_percentile(other) + kHeldUp * leg) {
        return spans;
    }
    std::size_t begin = 0;
    for (std::size_t f = 2; f < path.size(); ++f) {
        const bool stands = f + 1 < path.size() && path[f].y() < lowest + kLow * leg &&
                            (path[f + 1] - path[f - 1]).norm() < 2.0 * frame_time * kSlow * leg;
        if (stands && begin == 0) {
            begin = f;
        } else if (!stands && begin > 0) {
            if (f - begin >= 3) {
                spans.emplace_back(begin, f - 1);
            }
            begin = 0;
        }
    }
    return spans;
}

// The largest distance along the ground between two positions in a span.
double widest(const std::vector<Vec3>& path, std::size_t first, std::size_t last) {
    double far = 0.0;
    for (std::size_t a = first; a <= last; ++a) {
        for (std::size_t b = a + 1; b <= last; ++b) {
            far = std::max(far, std::hypot(path[b].x() - path[a].x(), path[b].z() - path[a].z()));
        }
    }
    return far;
}

// Frames of a span in which the target's own point is low too. A heel that limits lift where the
// recorded one stands touches nothing; such frames are counted.
std::vector<std::pair<std::size_t, std::size_t>> low_spans(const std::vector<Vec3>& path,
                                                           std::size_t first, std::size_t last,
                                                           double rest, double leg,
                                                           double& lifted) {
    constexpr double kLow = 0.03 / 0.85;
    std::vector<std::pair<std::size_t, std::size_t>> spans;
    bool is_open = false;
    for (std::size_t f = first; f <= last; ++f) {
        const bool is_low = path[f].y() < rest + kLow * leg;
        if (is_low && is_open) {
            spans.back().second = f;
        } else if (is_low) {
            spans.emplace_back(f, f);
        } else {
            lifted += 1.0;
        }
        is_open = is_low;
    }
    return spans;
}

void measure_feet(const Recording& recording, const PersonJoints& source, const MovedPerson& person,
                  double ground, MotionFit& fit) {
    std::vector<double> slides;
    double standing = 0.0;  // frames
    double lifted = 0.0;
    double leg = 0.0;
    double recorded_leg = 0.0;
    for (const auto& [a, b] : {std::pair{"hip_l", "knee_l"}, {"knee_l", "ankle_l"}}) {
        leg += (person.rest[at(person.joints.first(a))] - person.rest[at(person.joints.first(b))])
                   .norm();
        recorded_leg +=
            (recording.rest_position(source.first(a)) - recording.rest_position(source.first(b)))
                .norm();
    }
    const double frame_time = recording.times[1] - recording.times[0];
    for (const std::string point : {"ankle", "toe"}) {
        for (const std::string side : {"_l", "_r"}) {
            const Index recorded_joint = source.first(point + side);
            const auto ankle = static_cast<std::size_t>(person.joints.first("ankle" + side));
            const auto joint = static_cast<std::size_t>(person.joints.first(point + side));
            const Index other_joint = source.first(point + (side == "_l" ? "_r" : "_l"));
            std::vector<Vec3> recorded;
            std::vector<Vec3> other;
            std::vector<Vec3> own;
            for (std::size_t f = 0; f < recording.poses.size(); ++f) {
                recorded.push_back(leg / recorded_leg * recording.position(f, recorded_joint));
                other.push_back(leg / recorded_leg * recording.position(f, other_joint));
                own.push_back(person.frames[f][joint]);
            }
            for (const auto& [first, last] : recorded_stands(recorded, other, frame_time, leg)) {
                const double theirs = widest(recorded, first, last);
                fit.recorded_slide = std::max(fit.recorded_slide, theirs);
                double slide = 0.0;
                for (const auto& [begin, end] :
                     low_spans(own, first, last, person.rest[joint].y(), leg, lifted)) {
                    slide = std::max(slide, widest(own, begin, end));
                }
                slides.push_back(slide);
                fit.excess = std::max(fit.excess, slide - theirs);
                fit.steps_over_excess += slide - theirs > 0.01 ? 1 : 0;
                standing += static_cast<double>(last - first + 1);
            }
            fit.foot_depth = std::max(fit.foot_depth, deepest_sole(person, ankle, joint, ground));
        }
    }
    std::sort(slides.begin(), slides.end());
    fit.lifted = lifted / std::max(standing, 1.0);
    fit.steps = static_cast<int>(slides.size());
    fit.steps_over = static_cast<int>(
        std::count_if(slides.begin(), slides.end(), [](double slide) { return slide > 0.01; }));
    if (!slides.empty()) {
        fit.slide = slides.back();
        fit.slide_median = slides[slides.size() / 2];
        fit.slide_p95 =
            slides[static_cast<std::size_t>(0.95 * static_cast<double>(slides.size() - 1))];
    }
}

MotionFit fit_of(const Target& target, const Recording& recording, const JointNames& names) {
    MotionFit fit{.target = target.name, .clip = recording.name};
    try {
        const Timer timer;
        const auto [person, report] = target.move(recording, names);
        fit.ms_per_frame = 1e3 * timer.seconds() / static_cast<double>(recording.times.size());
        std::vector<std::string> joints;
        for (const CharacterJoint& joint : recording.skeleton.joints) {
            joints.push_back(joint.name);
        }
        const PersonJoints source = find_person_joints(joints, names);
        measure_limbs(recording, source, person, fit);
        measure_feet(recording, source, person, target.ground, fit);
        fit.limbs = report.limbs;
        double weight = 0.0;
        for (const LimbError& limb : report.limbs) {
            fit.unlimited_mean += (1.0 - limb.limited_fraction) * limb.mean_unlimited;
            weight += 1.0 - limb.limited_fraction;
            fit.limited += limb.limited_fraction / static_cast<double>(report.limbs.size());
        }
        fit.unlimited_mean /= std::max(weight, 1e-9);
    } catch (const InputError&) {
        fit.is_refused = true;
    }
    return fit;
}

}  // namespace

MotionBench run_motion_bench(const std::filesystem::path& data, bool is_short,
                             const Progress& progress) {
    namespace fs = std::filesystem;
    std::vector<Target> targets = {body_target("man", FigureSex::Male),
                                   body_target("woman", FigureSex::Female)};
    if (const fs::path file = data / "scans" / "registered" / "truth_joints.json";
        fs::exists(file)) {
        std::ifstream stream(file);
        const nlohmann::json truth = nlohmann::json::parse(stream);
        targets.push_back(makehuman_target(truth, "body_00"));
        targets.push_back(makehuman_target(truth, "body_01"));
    }
    if (fs::exists(data / "musculoskeletal" / "mass" / "human.xml")) {
        targets.push_back(model_target(data / "musculoskeletal" / "mass"));
    }
    std::vector<fs::path> clips;
    if (!fs::is_directory(data / "motion")) {
        throw InputError({.where = (data / "motion").string(),
                          .found = "no folder",
                          .needs = "recordings (.bvh)",
                          .remedy = "say where they are with --data"});
    }
    for (const fs::directory_entry& entry : fs::directory_iterator(data / "motion")) {
        if (entry.path().extension() == ".bvh") {
            clips.push_back(entry.path());
        }
    }
    std::sort(clips.begin(), clips.end());
    if (is_short) {
        std::erase_if(clips, [](const fs::path& clip) {
            return clip.stem() != "07_01" && clip.stem() != "35_01" && clip.stem() != "83_29";
        });
    }
    const JointNames names = known_joint_names();
    MotionBench bench;
    auto stage = progress.stage("motions", clips.size() * targets.size());
    for (const fs::path& clip : clips) {
        const Recording recording = read_recording(clip);
        for (const Target& target : targets) {
            bench.fits.push_back(fit_of(target, recording, names));
            bench.refused += bench.fits.back().is_refused ? 1 : 0;
            stage.advance();
        }
    }
    return bench;
}

}  // namespace sinew::bench
