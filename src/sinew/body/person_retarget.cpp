#include "sinew/body/person_retarget.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/body/person_feet.h"
#include "sinew/body/person_poser.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sinew {

namespace {

constexpr double kAtLimit = 1e-6;  // rad

const std::array<std::string, 2> kSides = {"_l", "_r"};

void measure_limbs(PersonPoser& poser, const std::vector<std::vector<double>>& frames,
                   RetargetReport& report) {
    PoseSolver& solver = poser.solver();
    const PersonPair& pair = poser.pair();
    struct Bone {
        const char* name;
        const char* from;
        const char* to;
        const char* limb;
    };
    double sum = 0.0;
    double all = 0.0;
    for (const Bone& bone :
         {Bone{"upper_arm", "shoulder", "elbow", "shoulder"},
          Bone{"forearm", "elbow", "wrist", "shoulder"}, Bone{"thigh", "hip", "knee", "hip"},
          Bone{"shank", "knee", "ankle", "hip"}}) {
        LimbError error{.bone = bone.name};
        double count = 0.0;
        double unlimited = 0.0;
        for (const std::string& side : kSides) {
            const std::string from = bone.from + side;
            const std::string to = bone.to + side;
            if (!pair.has(from) || !pair.has(to)) {
                continue;
            }
            for (std::size_t f = 0; f < frames.size(); ++f) {
                const ModelPlacement& now = solver.place(frames[f]);
                const Vec3 d = solver.position(now, poser.carried(to, true)) -
                               solver.position(now, poser.carried(from));
                const Vec3 w = pair.wanted_direction(f, from, to);
                const double angle = std::atan2(d.cross(w).norm(), d.dot(w));
                const std::vector<Index>& free = poser.free_of(bone.limb + side);
                const bool is_limited = std::any_of(free.begin(), free.end(), [&](Index c) {
                    const double v = frames[f][at(c)];
                    const bool is_fixed = solver.high(c) - solver.low(c) < kAtLimit;
                    return !is_fixed &&
                           (v < solver.low(c) + kAtLimit || v > solver.high(c) - kAtLimit);
                });
                error.mean += angle;
                error.largest = std::max(error.largest, angle);
                error.limited_fraction += is_limited ? 1.0 : 0.0;
                error.mean_unlimited += is_limited ? 0.0 : angle;
                unlimited += is_limited ? 0.0 : 1.0;
                count += 1.0;
            }
        }
        if (count > 0.0) {
            sum += error.mean;
            all += count;
            error.mean /= count;
            error.limited_fraction /= count;
            error.mean_unlimited /= std::max(1.0, unlimited);
            report.limbs.push_back(error);
        }
    }
    report.mean_limb_error = all > 0.0 ? sum / all : 0.0;
}

// Joints that are no part of either, and have the same name: fingers, props.
std::vector<std::pair<Index, Index>> same_names(const Recording& recording,
                                                const PersonJoints& source,
                                                const MusculoskeletalModel& model,
                                                const PersonJoints& target) {
    const auto is_part = [](const PersonJoints& person, Index joint) {
        return std::any_of(person.joints.begin(), person.joints.end(), [&](const auto& entry) {
            return std::find(entry.second.begin(), entry.second.end(), joint) != entry.second.end();
        });
    };
    std::map<std::string, Index> recorded;
    for (std::size_t k = 0; k < recording.skeleton.size(); ++k) {
        if (!is_part(source, static_cast<Index>(k))) {
            recorded.emplace(bare_joint_name(recording.skeleton.joints[k].name),
                             static_cast<Index>(k));
        }
    }
    std::vector<std::pair<Index, Index>> pairs;
    for (std::size_t j = 0; j < model.joints.size(); ++j) {
        const auto found = recorded.find(bare_joint_name(model.joints[j].name));
        // Only below a part: what lies between the ground and the pelvis is the root's.
        if (found != recorded.end() && !is_part(target, static_cast<Index>(j)) &&
            model.joints[j].parent >= 0 &&
            recording.skeleton.joints[at(found->second)].parent >= 0) {
            pairs.emplace_back(static_cast<Index>(j), found->second);
        }
    }
    return pairs;
}

}  // namespace

bool is_person(const PersonJoints& joints) {
    return std::any_of(kSides.begin(), kSides.end(), [&](const std::string& side) {
        return (joints.has("hip" + side) && joints.has("knee" + side)) ||
               (joints.has("shoulder" + side) && joints.has("elbow" + side));
    });
}

void require_same_limbs(const Recording& recording, const PersonJoints& source,
                        const PersonJoints& target) {
    std::vector<std::string> missing;
    std::vector<std::string> found;
    bool is_whole = false;
    bool is_partial = false;
    for (const auto& [first, second] : {std::pair{"hip", "knee"}, {"shoulder", "elbow"}}) {
        std::size_t needed = 0;
        std::size_t lacking = missing.size();
        for (const std::string& side : kSides) {
            for (const std::string part : {first, second}) {
                if (target.has(part + side)) {
                    ++needed;
                    (source.has(part + side) ? found : missing).push_back(part + side);
                }
            }
        }
        lacking = missing.size() - lacking;
        is_whole = is_whole || (needed > 0 && lacking == 0);
        is_partial = is_partial || (lacking > 0 && lacking < needed);
    }
    const bool lacks_pelvis = target.has("pelvis") && !source.has("pelvis");
    // Recordings of arms alone, or of legs alone, leave the others at rest.
    if (!is_whole || is_partial || lacks_pelvis) {
        std::vector<std::string> names;
        for (std::size_t j = 0; j < std::min<std::size_t>(6, recording.skeleton.size()); ++j) {
            names.push_back("'" + recording.skeleton.joints[j].name + "'");
        }
        if (lacks_pelvis) {
            missing.insert(missing.begin(), "pelvis");
        }
        throw InputError(
            {.where = recording.name,
             .found = fmt::format("joints such as {}, of which {}", join(names, ", "),
                                  found.empty() ? std::string("none is known as a part of a limb")
                                                : join(found, ", ") + " are known"),
             .needs = join(missing, ", ") + " too",
             .remedy = "rename its joints as docs/motion.md lists them, or say what they are in a "
                       "table of your own with --joint-names"});
    }
}

PersonMotion retarget_person(const Recording& recording, const PersonJoints& source,
                             const MusculoskeletalModel& model, const PersonJoints& target,
                             const RetargetOptions& options) {
    std::vector<std::pair<Index, Index>> extras = same_names(recording, source, model, target);
    std::vector<Index> more;
    for (const auto& [joint, recorded] : extras) {
        more.push_back(joint);
    }
    const PrunedModel pruned(model, target, more);
    for (auto& [joint, recorded] : extras) {
        joint = pruned.joint_of[at(joint)];
    }
    PersonPoser poser(recording, source, pruned, extras, options);
    PersonMotion motion;
    std::vector<double> q = rest_coordinates(pruned.model);
    for (std::size_t f = 0; f < recording.times.size(); ++f) {
        q = poser.pose_frame(f, q);
        motion.frames.push_back(q);
    }
    if (options.keep_contacts) {
        keep_contacts(recording, poser, motion.frames);
    }
    motion.report.source = source.convention;
    motion.report.target = target.convention;
    motion.report.rests_in_first_frame = recording.rest_frame == 0;
    motion.report.scale = poser.pair().scale();
    for (const auto& [part, joints] : target.joints) {
        if (!source.has(part)) {
            motion.report.without.push_back(part);
        }
    }
    measure_limbs(poser, motion.frames, motion.report);
    return motion;
}

}  // namespace sinew
