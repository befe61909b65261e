#include "sinew/io/character_files.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/body/named_transfer.h"
#include "sinew/io/bvh.h"
#include "sinew/io/character_scene.h"
#include "sinew/io/joint_names_file.h"
#include "sinew/io/skel_files.h"
#include "sinew/io/strict_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace sinew {
namespace {

constexpr std::size_t kMostJoints = 4096;
constexpr double kMostTurn = 1e6;  // rad, and length of a quaternion
constexpr double kMostWay = 1e9;   // m

bool ends_in(const std::filesystem::path& path, std::string_view ending) {
    return lower(path.extension().string()) == ending;
}

Vec3 read_place(const StrictJson& json, const ReadOptions& options) {
    const std::vector<double> v = json.numbers(3);
    Points p(1, 3);
    p << v[0], v[1], v[2];
    convert_to_metres_y_up(p, options);
    return p.row(0).transpose();
}

std::string suggestion(const std::string& name, const std::map<std::string, Index>& numbers) {
    std::vector<std::string> known;
    for (const auto& [key, number] : numbers) {
        known.push_back(key);
    }
    return did_you_mean(name, known);
}

// A joint as it stands in the file: its parent by name or number.
struct Entry {
    CharacterJoint joint;
    Index parent = -1;
};

Entry read_joint(const StrictJson& json, const std::map<std::string, Index>& numbers,
                 std::size_t count, const ReadOptions& options) {
    json.allow_only(
        {"name", "parent", "position", "radius", "bone_radius", "stiffness", "mass", "virtual"});
    Entry entry;
    entry.joint.name = json.at("name").text();
    entry.joint.position = read_place(json.at("position"), options);
    const double unit = metres_per(options.unit);
    entry.joint.radius = json.has("radius") ? unit * json.at("radius").number() : 0.0;
    entry.joint.bone_radius =
        json.has("bone_radius") ? unit * json.at("bone_radius").number() : 0.0;
    entry.joint.stiffness = json.has("stiffness") ? json.at("stiffness").number() : 1.0;
    entry.joint.mass = json.has("mass") ? json.at("mass").number() : 1.0;
    entry.joint.is_virtual = json.has("virtual") && json.at("virtual").truth();
    if (json.has("parent") && !json.at("parent").is_null()) {
        const StrictJson parent = json.at("parent");
        if (parent.is_text()) {
            const auto found = numbers.find(parent.text());
            if (found == numbers.end()) {
                parent.refuse(
                    fmt::format("'{}'{}", parent.text(), suggestion(parent.text(), numbers)),
                    "the name of a joint");
            }
            entry.parent = found->second;
        } else {
            const double number = parent.number();
            if (number != std::floor(number) || number < -1.0 ||
                number >= static_cast<double>(count)) {
                parent.refuse(fmt::format("{}", number), "the number of a joint, or -1");
            }
            entry.parent = static_cast<Index>(number);
        }
    }
    return entry;
}

// Parents before children, otherwise as in the file.
CharacterSkeleton sorted(const std::vector<Entry>& entries, const std::string& where) {
    CharacterSkeleton skeleton;
    std::vector<Index> number(entries.size(), -1);
    while (skeleton.size() < entries.size()) {
        const std::size_t before = skeleton.size();
        for (std::size_t j = 0; j < entries.size(); ++j) {
            const Index parent = entries[j].parent;
            if (number[j] >= 0 || (parent >= 0 && number[at(parent)] < 0)) {
                continue;
            }
            number[j] = static_cast<Index>(skeleton.size());
            CharacterJoint joint = entries[j].joint;
            joint.parent = parent < 0 ? -1 : number[at(parent)];
            skeleton.joints.push_back(std::move(joint));
        }
        if (skeleton.size() == before) {
            const auto first = std::find(number.begin(), number.end(), -1) - number.begin();
            throw InputError({.where = where,
                              .found = fmt::format("joints that are their own ancestors: '{}'",
                                                   entries[at(first)].joint.name),
                              .needs = "a tree",
                              .remedy = "correct the parents"});
        }
    }
    return skeleton;
}

CharacterSkeleton skeleton_from(const StrictJson& json, const ReadOptions& options) {
    const std::vector<StrictJson> items = json.at("joints").items();
    if (items.size() > kMostJoints) {
        json.refuse(fmt::format("{} joints", items.size()), fmt::format("at most {}", kMostJoints));
    }
    std::map<std::string, Index> numbers;
    for (std::size_t j = 0; j < items.size(); ++j) {
        numbers.emplace(items[j].at("name").text(), static_cast<Index>(j));
    }
    std::vector<Entry> entries;
    for (const StrictJson& item : items) {
        entries.push_back(read_joint(item, numbers, items.size(), options));
    }
    CharacterSkeleton skeleton = sorted(entries, json.where());
    require_valid(skeleton, json.where());
    return skeleton;
}

Eigen::Quaterniond read_turn(const StrictJson& json, const ReadOptions& options) {
    const std::vector<double> v = json.numbers();
    Vec3 vector;
    double w = 0.0;
    if (v.size() == 3 || v.size() == 4) {
        vector = Vec3(v[0], v[1], v[2]);
    } else {
        json.refuse(fmt::format("{} numbers", v.size()),
                    "three (axis times angle, rad) or four (quaternion x y z w)");
    }
    if (!(vector.cwiseAbs().maxCoeff() < kMostTurn) || !(std::abs(v.back()) < kMostTurn)) {
        json.refuse(fmt::format("{} {} {}", v[0], v[1], v[2]),
                    fmt::format("numbers below {:g}", kMostTurn));
    }
    if (options.up == UpAxis::Z) {
        vector = Vec3(vector.x(), vector.z(), -vector.y());
    }
    if (v.size() == 3) {
        const double angle = vector.norm();
        return angle > 0.0 ? Eigen::Quaterniond(Eigen::AngleAxisd(angle, vector / angle))
                           : Eigen::Quaterniond::Identity();
    }
    w = v[3];
    const Eigen::Quaterniond q(w, vector.x(), vector.y(), vector.z());
    if (!(q.norm() > 1e-6)) {
        json.refuse("a quaternion without length", "x y z w, not all zero");
    }
    return q.normalized();
}

// The joint of the skeleton that each name in the keys stands for.
std::map<std::string, std::size_t> numbers_of_named(const StrictJson& json,
                                                    const CharacterSkeleton& skeleton) {
    std::set<std::string> named;
    for (const StrictJson& key : json.at("keys").items()) {
        if (key.has("joints")) {
            for (const auto& [name, turn] : key.at("joints").members()) {
                named.insert(name);
            }
        }
    }
    const std::vector<std::string> names(named.begin(), named.end());
    const std::vector<Index> source = joints_by_name(names, skeleton);
    std::map<std::string, std::size_t> numbers;
    for (std::size_t j = 0; j < skeleton.size(); ++j) {
        if (source[j] >= 0) {
            numbers.emplace(names[at(source[j])], j);
        }
    }
    return numbers;
}

std::string some_names(const CharacterSkeleton& skeleton) {
    constexpr std::size_t kMost = 12;
    std::vector<std::string> names;
    for (std::size_t j = 0; j < std::min(kMost, skeleton.size()); ++j) {
        names.push_back(skeleton.joints[j].name);
    }
    return join(names, ", ") + (skeleton.size() > kMost ? " ..." : "");
}

CharacterMotion motion_from(const StrictJson& json, const CharacterSkeleton& skeleton,
                            const ReadOptions& options) {
    json.allow_only({"keys", "name"});
    const std::map<std::string, std::size_t> numbers = numbers_of_named(json, skeleton);
    CharacterMotion motion;
    for (const StrictJson& item : json.at("keys").items()) {
        item.allow_only({"time", "shift", "joints"});
        JointRotations key;
        key.rotations.assign(skeleton.size(), Eigen::Quaterniond::Identity());
        const double time = item.at("time").number();
        if (!motion.times.empty() && !(time > motion.times.back())) {
            item.refuse(fmt::format("time {} after {}", time, motion.times.back()),
                        "ascending times");
        }
        if (item.has("shift")) {
            key.shift = read_place(item.at("shift"), options);
            if (!(key.shift.cwiseAbs().maxCoeff() < kMostWay)) {
                item.at("shift").refuse(fmt::format("a way of {:g} m", key.shift.stableNorm()),
                                        fmt::format("less than {:g} m", kMostWay));
            }
        }
        if (item.has("joints")) {
            for (const auto& [name, turn] : item.at("joints").members()) {
                const auto found = numbers.find(name);
                if (found == numbers.end()) {
                    turn.refuse(fmt::format("joint '{}'", name),
                                "a joint of the skeleton: " + some_names(skeleton));
                }
                key.rotations[found->second] = read_turn(turn, options);
            }
        }
        motion.times.push_back(time);
        motion.keys.push_back(std::move(key));
    }
    if (motion.keys.empty()) {
        json.refuse("no keys", "at least one");
    }
    return motion;
}

// JSON under any name; but what is none and is not called so is of another kind.
nlohmann::json json_of(const std::filesystem::path& path, std::string_view what,
                       std::string_view endings) {
    try {
        return parse_json_file(path);
    } catch (const InputError&) {
        std::error_code ignored;
        if (ends_in(path, ".json") || !std::filesystem::is_regular_file(path, ignored)) {
            throw;
        }
        throw InputError(
            {.where = path.string(),
             .found = fmt::format("no JSON, and the ending '{}'", path.extension().string()),
             .needs = fmt::format("{}: {}", what, endings),
             .remedy = "choose such a file"});
    }
}

}  // namespace

CharacterSkeleton parse_character_skeleton(std::string_view json, const std::string& where,
                                           const ReadOptions& options) {
    const nlohmann::json document = parse_json(json, where);
    return skeleton_from(StrictJson(document, where), options);
}

CharacterSkeleton read_character_skeleton(const std::filesystem::path& path,
                                          const ReadOptions& options) {
    if (ends_in(path, ".bvh")) {
        CharacterSkeleton skeleton = skeleton_of(read_bvh(path, options));
        require_valid(skeleton, path.filename().string());
        return skeleton;
    }
    if (is_scene_file(path)) {
        return skeleton_of(read_scene(path), path.filename().string());
    }
    if (ends_in(path, ".skel")) {
        return read_skel(path, options);
    }
    const nlohmann::json document =
        json_of(path, "a skeleton", ".json, .bvh, .glb, .gltf, .fbx or .skel");
    return skeleton_from(StrictJson(document, path.filename().string()), options);
}

CharacterMotion parse_character_motion(std::string_view json, const std::string& where,
                                       const CharacterSkeleton& skeleton,
                                       const ReadOptions& options) {
    const nlohmann::json document = parse_json(json, where);
    return motion_from(StrictJson(document, where), skeleton, options);
}

RetargetedCharacter read_character_motion(const std::filesystem::path& path,
                                          const CharacterSkeleton& skeleton,
                                          const MotionOptions& options) {
    if (is_recording(path)) {
        return retarget(read_recording(path, options), skeleton,
                        known_joint_names(options.joint_names), options.retarget);
    }
    if (ends_in(path, ".anim")) {
        return {.motion = read_anim(path, skeleton, options.read)};
    }
    const nlohmann::json document =
        json_of(path, "a motion", ".json, .bvh, .glb, .gltf, .fbx or .anim");
    return {.motion = motion_from(StrictJson(document, path.filename().string()), skeleton,
                                  options.read)};
}

}  // namespace sinew
