#include "sinew/io/skel_files.h"

#include "sinew/io/file_bytes.h"
#include "sinew/io/text_cursor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace sinew {
namespace {

constexpr double kSecondsPerKey = 0.5;
constexpr std::string_view kNoParent = "root";

// In metres, Y up.
Vec3 read_vector(TextCursor& cursor, std::string_view what, const ReadOptions& options) {
    Points p(1, 3);
    for (int k = 0; k < 3; ++k) {
        p(0, k) = cursor.number(what);
    }
    convert_to_metres_y_up(p, options);
    return p.row(0).transpose();
}

Eigen::Quaterniond turn_about(TextCursor& cursor, const Vec3& axis, double angle) {
    const double length = axis.norm();
    if (angle == 0.0) {
        return Eigen::Quaterniond::Identity();
    }
    if (!(length > 1e-6) || !std::isfinite(length)) {
        cursor.fail("an axis without a direction, turned about", "an axis of length 1");
    }
    return Eigen::Quaterniond(Eigen::AngleAxisd(angle, axis / length));
}

}  // namespace

CharacterSkeleton parse_skel(std::string_view text, const std::string& where,
                             const ReadOptions& options) {
    TextCursor cursor(text, where, {});
    constexpr std::size_t kShortestJoint = 10;  // "0 0 0 a b\n"
    const std::size_t count = cursor.count("number of joints", kShortestJoint);
    CharacterSkeleton skeleton;
    std::map<std::string, Index, std::less<>> number;
    for (std::size_t j = 0; j < count; ++j) {
        CharacterJoint joint;
        joint.position = read_vector(cursor, "place of a joint", options);
        joint.name = cursor.word();
        const std::string_view parent = cursor.word();
        if (joint.name.empty() || parent.empty()) {
            cursor.fail("the end of the file", "a joint's name and that of its parent");
        }
        const auto found = number.find(parent);
        if (found != number.end()) {
            joint.parent = found->second;
        } else if (parent != kNoParent) {
            cursor.fail(fmt::format("parent {}", quoted(parent)),
                        "the name of a joint before this one, or 'root'");
        }
        number.emplace(joint.name, static_cast<Index>(j));
        skeleton.joints.push_back(std::move(joint));
    }
    require_valid(skeleton, where);
    return skeleton;
}

CharacterMotion parse_anim(std::string_view text, const std::string& where,
                           const CharacterSkeleton& skeleton, const ReadOptions& options) {
    TextCursor cursor(text, where, {});
    const std::size_t keys = cursor.count("number of keys", 2);
    const std::size_t joints = cursor.count("number of joints", 2);
    if (keys == 0 || joints == 0 || joints > skeleton.size()) {
        cursor.fail(
            fmt::format("{} keys of {} joints", keys, joints),
            fmt::format("at least one key, of 1 to the skeleton's {} joints", skeleton.size()));
    }
    // Axes have no unit.
    const ReadOptions axes_up{.up = options.up};
    const double length = kSecondsPerKey * static_cast<double>(keys);
    CharacterMotion motion;
    for (std::size_t k = 0; k < keys; ++k) {
        cursor.number("number of a key");
        std::vector<Vec3> axes;
        for (std::size_t j = 0; j < joints; ++j) {
            axes.push_back(read_vector(cursor, "axis of a joint", axes_up));
        }
        JointRotations key;
        key.rotations.assign(skeleton.size(), Eigen::Quaterniond::Identity());
        for (std::size_t j = 0; j < joints; ++j) {
            key.rotations[j] = turn_about(cursor, axes[j], cursor.number("angle of a joint"));
        }
        motion.times.push_back(
            keys > 1 ? length * static_cast<double>(k) / static_cast<double>(keys - 1) : 0.0);
        motion.keys.push_back(std::move(key));
    }
    return motion;
}

CharacterSkeleton read_skel(const std::filesystem::path& path, const ReadOptions& options) {
    return parse_skel(read_file_bytes(path), path.filename().string(), options);
}

CharacterMotion read_anim(const std::filesystem::path& path, const CharacterSkeleton& skeleton,
                          const ReadOptions& options) {
    return parse_anim(read_file_bytes(path), path.filename().string(), skeleton, options);
}

}  // namespace sinew
