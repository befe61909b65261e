#include "sinew/body/body_parts.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/body/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace sinew {

namespace {

bool has_any(std::string_view name, std::initializer_list<std::string_view> words) {
    return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
        return name.find(word) != std::string_view::npos;
    });
}

struct PartName {
    std::string stem;
    bool is_long = false;
};

// The part that a bone belongs to, by its name without side.
PartName part_of_bone(const std::string& bone) {
    if (bone == "femur") {
        return {"thigh", true};
    }
    if (bone == "tibia" || bone == "fibula") {
        return {"shin", true};
    }
    if (bone == "humerus") {
        return {"upper_arm", true};
    }
    if (bone == "ulna" || bone == "radius") {
        return {"forearm", true};
    }
    if (has_any(bone, {"toe", "tarsal", "talus", "calcaneus", "cuboid", "cuneiform", "navicular",
                       "hallux"})) {
        return {"foot", false};
    }
    if (has_any(bone, {"finger", "thumb", "metacarpal", "capitate", "hamate", "lunate", "scaphoid",
                       "pisiform", "triquetr", "trapezi", "trapezoid"})) {
        return {"hand", false};
    }
    if (has_any(bone, {"hip_bone", "sacrum", "coccyx", "ilium", "pubic", "pelvis"})) {
        return {"pelvis", false};
    }
    if (has_any(bone, {"vertebra_c", "disc_c", "hyoid", "thyroid", "trachea", "cricoid"})) {
        return {"neck", false};
    }
    if (has_any(bone, {"vertebra_", "disc_", "rib", "sternum", "costal", "xiphoid"})) {
        return {"trunk", false};
    }
    if (has_any(bone, {"skull", "mandible", "teeth", "cranium", "maxilla", "frontal", "parietal",
                       "occipital", "temporal", "zygomatic", "nasal"})) {
        return {"head", false};
    }
    return {bone, false};
}

bool is_paired(const std::string& stem) {
    return stem != "pelvis" && stem != "trunk" && stem != "neck" && stem != "head";
}

}  // namespace

std::vector<BodyPart> body_parts(const Body& body) {
    const Skeleton& skeleton = body.skeleton;
    // A segment is called after its main bone.
    std::vector<std::string> bone_of(skeleton.segments.size());
    for (const Bone& bone : body.bones) {
        std::string& name = bone_of[at(bone.segment)];
        if (name.empty() || bone.name == skeleton.segments[at(bone.segment)].name) {
            name = bone.name;
        }
    }
    // Segments of the same part and side come together.
    std::vector<BodyPart> parts;
    std::map<std::string, std::size_t> number;
    std::vector<std::size_t> part_of(skeleton.segments.size());
    for (std::size_t s = 0; s < skeleton.segments.size(); ++s) {
        const SidedName sided =
            split_side(bone_of[s].empty() ? skeleton.segments[s].name : bone_of[s]);
        const PartName which = part_of_bone(sided.stem);
        const std::string name =
            is_paired(which.stem) ? with_side(which.stem, sided.side) : which.stem;
        const auto [it, is_new] = number.try_emplace(name, parts.size());
        if (is_new) {
            parts.push_back({.name = name, .is_long = which.is_long});
        }
        parts[it->second].segments.push_back(static_cast<Index>(s));
        part_of[s] = it->second;
    }
    // The near head: the joint through which the skeleton enters the part.
    for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
        const Joint& joint = skeleton.joints[j];
        const std::size_t child = part_of[at(joint.child)];
        const bool is_entry = joint.parent < 0 || part_of[at(joint.parent)] != child;
        if (is_entry && parts[child].proximal < 0 && joint.parent >= 0) {
            parts[child].proximal = static_cast<Index>(j);
            parts[child].near_end = joint.centre;
        } else if (is_entry && joint.parent < 0) {
            parts[child].near_end = joint.centre;
        }
    }
    // The far head: the joint furthest away, or the far end of the bones where no joint is near it.
    for (std::size_t p = 0; p < parts.size(); ++p) {
        BodyPart& part = parts[p];
        if (!part.is_long) {
            continue;
        }
        // The point of the bones that is furthest from the near head.
        double reach = 0.0;
        for (const Bone& bone : body.bones) {
            for (Eigen::Index i = 0; part_of[at(bone.segment)] == p && i < bone.mesh.points.rows();
                 ++i) {
                const double d = (point(bone.mesh.points, i) - part.near_end).norm();
                if (d > reach) {
                    reach = d;
                    part.far_end = point(bone.mesh.points, i);
                }
            }
        }
        // Better a joint to the next part, if one lies nearly as far.
        double furthest = 0.7 * reach;
        for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
            const Joint& joint = skeleton.joints[j];
            const double d = (joint.centre - part.near_end).norm();
            if (joint.parent >= 0 && part_of[at(joint.parent)] == p &&
                part_of[at(joint.child)] != p && d > furthest) {
                furthest = d;
                part.distal = static_cast<Index>(j);
                part.far_end = joint.centre;
            }
        }
        part.is_long = (part.far_end - part.near_end).norm() > 1e-6;
    }
    return parts;
}

std::vector<std::size_t> find_body_parts(const Body& body, std::span<const BodyPart> parts,
                                         std::string_view word, std::string_view where) {
    // A word may mean a part, a group of parts, or a bone; without a side it means both.
    const SidedName wanted = split_side(slug(word));
    static const std::map<std::string, std::vector<std::string>> kGroups = {
        {"arms", {"upper_arm", "forearm"}},
        {"arm", {"upper_arm", "forearm"}},
        {"legs", {"thigh", "shin"}},
        {"leg", {"thigh", "shin"}},
        {"hands", {"hand"}},
        {"feet", {"foot"}},
        {"thighs", {"thigh"}},
        {"shins", {"shin"}},
        {"upper_arms", {"upper_arm"}},
        {"forearms", {"forearm"}}};
    std::vector<std::string> stems = {wanted.stem};
    if (const auto it = kGroups.find(wanted.stem); it != kGroups.end()) {
        stems = it->second;
    }
    std::set<std::size_t> found;
    std::vector<std::string> known = {"arms", "legs", "hands", "feet"};
    const auto matches = [&](const std::string& name) {
        const SidedName sided = split_side(name);
        return std::find(stems.begin(), stems.end(), sided.stem) != stems.end() &&
               (wanted.side == Side::Middle || wanted.side == sided.side);
    };
    for (std::size_t p = 0; p < parts.size(); ++p) {
        known.push_back(parts[p].name);
        known.push_back(split_side(parts[p].name).stem);
        if (matches(parts[p].name)) {
            found.insert(p);
        }
        for (const Bone& bone : body.bones) {
            const bool is_in = std::find(parts[p].segments.begin(), parts[p].segments.end(),
                                         bone.segment) != parts[p].segments.end();
            if (is_in && matches(bone.name)) {
                found.insert(p);
            }
        }
    }
    // Nothing was meant: say what is known.
    if (found.empty()) {
        for (const Bone& bone : body.bones) {
            known.push_back(bone.name);
            known.push_back(split_side(bone.name).stem);
        }
        throw InputError({.where = std::string(where),
                          .found = fmt::format("unknown bone or part '{}'{}", word,
                                               did_you_mean(slug(word), known)),
                          .needs = "a bone, or arms, legs, hands, feet, trunk, pelvis, neck, head",
                          .remedy = "'sinew info' lists the bones of a body"});
    }
    return {found.begin(), found.end()};
}

}  // namespace sinew
