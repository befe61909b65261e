#include "sinew/body/figure_table.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace sinew {

namespace {

constexpr double kMaxSize = 10.0;          // m: nothing in a human is larger
constexpr double kNormalTolerance = 0.02;  // normals are stored with three digits

[[noreturn]] void refuse_table(std::string where, std::string found, std::string needs) {
    throw InputError({.where = std::move(where),
                      .found = std::move(found),
                      .needs = std::move(needs),
                      .remedy = "correct the figure's data file"});
}

void require_within(double value, double low, double high, const std::string& where,
                    std::string_view what) {
    if (!(value >= low && value <= high)) {
        refuse_table(where, fmt::format("{} {}", what, value),
                     fmt::format("a number from {} to {}", low, high));
    }
}

void require_place(const Vec3& p, const std::string& where, std::string_view what) {
    if (!(p.allFinite() && p.cwiseAbs().maxCoeff() <= kMaxSize)) {
        refuse_table(where, fmt::format("{} ({}, {}, {})", what, p.x(), p.y(), p.z()),
                     fmt::format("finite coordinates within {} m", kMaxSize));
    }
}

void require_unit(const Vec3& n, const std::string& where, std::string_view what) {
    require_place(n, where, what);
    if (std::abs(n.norm() - 1.0) > kNormalTolerance) {
        refuse_table(where, fmt::format("{} of length {}", what, n.norm()), "a unit vector");
    }
}

void require_stroke(const FigureStroke& stroke, const std::string& where) {
    if (stroke.stations.size() < 2) {
        refuse_table(where, fmt::format("{} stations", stroke.stations.size()), "2 or more");
    }
    require_within(stroke.exponent, 1.0, 16.0, where, "section exponent");
    require_within(stroke.blend, 0.0, 0.2, where, "blend radius");
    for (const double cap : stroke.cap.value_or(std::array{1e-3, 1e-3})) {
        require_within(cap, 1e-6, 1.0, where, "cap length");
    }
    for (std::size_t i = 0; i < stroke.stations.size(); ++i) {
        const FigureStation& s = stroke.stations[i];
        const std::string place = fmt::format("{}, station {}", where, i);
        require_place(s.position, place, "position");
        require_unit(s.normal, place, "normal");
        require_within(s.a, 1e-5, 1.0, place, "half-width a");
        require_within(s.b, 1e-5, 1.0, place, "half-width b");
        require_within(s.skin, 0.0, 0.2, place, "skin distance");
        if (i > 0 && (s.position - stroke.stations[i - 1].position).norm() < 1e-6) {
            refuse_table(place, "the same position as the station before", "stations that advance");
        }
    }
}

void require_sheet(const FigureSheet& sheet, const std::string& where) {
    if (sheet.rows < 2 || sheet.columns < 2 ||
        sheet.nodes.size() !=
            static_cast<std::size_t>(sheet.rows) * static_cast<std::size_t>(sheet.columns)) {
        refuse_table(where,
                     fmt::format("{} nodes in {} rows and {} columns", sheet.nodes.size(),
                                 sheet.rows, sheet.columns),
                     "2 or more rows and columns, all nodes given");
    }
    require_within(sheet.blend, 0.0, 0.2, where, "blend radius");
    require_within(sheet.fibre, -4.0, 4.0, where, "fibre angle (rad)");
    for (std::size_t i = 0; i < sheet.nodes.size(); ++i) {
        const FigureNode& node = sheet.nodes[i];
        const std::string place = fmt::format("{}, node {}", where, i);
        require_place(node.position, place, "position");
        require_within(node.half, 1e-5, 0.2, place, "half-thickness");
        require_within(node.skin, 0.0, 0.2, place, "skin distance");
    }
}

bool ends_in_left(std::string_view name) {
    return name.size() > 2 && name.substr(name.size() - 2) == "_l";
}

void require_part(const FigurePart& part, const std::set<std::string>& bones,
                  const std::string& where) {
    if (part.mirror && !ends_in_left(part.name)) {
        refuse_table(where, "a mirrored part whose name does not end in '_l'",
                     "a name like 'femur_l'");
    }
    if (part.strokes.empty() && part.sheets.empty()) {
        refuse_table(where, "no stroke and no sheet", "at least one");
    }
    for (const std::string* bone : {&part.origin, &part.insertion}) {
        if (!bone->empty() && !bones.contains(*bone)) {
            const std::vector<std::string> known(bones.begin(), bones.end());
            refuse_table(where,
                         fmt::format("attachment to '{}', which is no bone{}", *bone,
                                     did_you_mean(*bone, known)),
                         "the name of a bone");
        }
    }
    require_within(part.belly_begin, 0.0, 1.0, where, "begin of the belly");
    require_within(part.belly_end, part.belly_begin, 1.0, where, "end of the belly");
    require_within(part.volume, 0.0, 0.1, where, "volume (m^3)");
    require_within(part.fmax, 0.0, 1e5, where, "force (N)");
    require_within(part.pennation, 0.0, 1.55, where, "pennation (rad)");
    for (std::size_t i = 0; i < part.strokes.size(); ++i) {
        require_stroke(part.strokes[i], fmt::format("{}, stroke {}", where, i));
    }
    for (std::size_t i = 0; i < part.sheets.size(); ++i) {
        require_sheet(part.sheets[i], fmt::format("{}, sheet {}", where, i));
    }
}

/// Names of all rigid parts, both sides; every name of the table may be used once.
std::set<std::string> bone_names(const FigureTable& table, std::string_view where) {
    std::set<std::string> all;
    std::set<std::string> bones;
    const auto add = [&](const std::string& name, FigureKind kind) {
        if (name.empty() || !all.insert(name).second) {
            refuse_table(fmt::format("{}, part '{}'", where, name),
                         "a name that is empty or used twice", "a name for each part");
        }
        if (kind == FigureKind::Bone || kind == FigureKind::Disc || kind == FigureKind::Cartilage) {
            bones.insert(name);
        }
    };
    for (const FigurePart& part : table.parts) {
        add(part.name, part.kind);
        if (part.mirror) {
            add(right_name(part.name), part.kind);
        }
    }
    return bones;
}

void require_joint(const FigureJoint& joint, const std::string& where) {
    const auto angles = static_cast<std::size_t>(angle_count(joint.type));
    if (joint.type == JointType::Free || joint.axes.size() != angles ||
        joint.limits.size() != angles || joint.motions.size() != angles) {
        refuse_table(
            where,
            fmt::format("a {} joint with {} axes, {} limits, {} motions", name_of(joint.type),
                        joint.axes.size(), joint.limits.size(), joint.motions.size()),
            fmt::format("{} of each", angles));
    }
    require_place(joint.centre, where, "centre");
    require_within(joint.rest, -7.0, 7.0, where, "rest angle (rad)");
    for (const Vec3& axis : joint.axes) {
        require_unit(axis, where, "axis");
    }
    for (const AngleLimit& limit : joint.limits) {
        require_within(limit.low, -7.0, 7.0, where, "lower limit (rad)");
        require_within(limit.high, limit.low, 7.0, where, "upper limit (rad)");
    }
}

/// Every bone is the child of one joint whose parent was placed before; the root of none.
void require_tree(const FigureTable& table, const std::set<std::string>& bones,
                  std::string_view where) {
    if (!bones.contains(table.root)) {
        refuse_table(std::string(where), fmt::format("root '{}'", table.root),
                     "the name of a bone");
    }
    std::set<std::string> placed = {table.root};
    std::set<std::string> names;
    const auto place = [&](const std::string& name, const std::string& parent,
                           const std::string& child) {
        const std::string at = fmt::format("{}, joint '{}'", where, name);
        if (name.empty() || !names.insert(name).second) {
            refuse_table(at, "a name that is empty or used twice", "a name for each joint");
        }
        if (!bones.contains(child) || !placed.contains(parent)) {
            refuse_table(at, fmt::format("parent '{}' and child '{}'", parent, child),
                         "bones, the parent placed by an earlier joint");
        }
        if (!placed.insert(child).second) {
            refuse_table(at, fmt::format("a second joint that moves '{}'", child),
                         "one joint per bone");
        }
    };
    for (const FigureJoint& joint : table.joints) {
        require_joint(joint, fmt::format("{}, joint '{}'", where, joint.name));
        place(joint.name, joint.parent, joint.child);
    }
    for (const FigureJoint& joint : table.joints) {
        if (joint.mirror) {
            if (!ends_in_left(joint.name) || !ends_in_left(joint.child)) {
                refuse_table(fmt::format("{}, joint '{}'", where, joint.name),
                             "a mirrored joint whose name or child does not end in '_l'",
                             "names like 'hip_l' and 'femur_l'");
            }
            const std::string parent =
                ends_in_left(joint.parent) && bones.contains(right_name(joint.parent))
                    ? right_name(joint.parent)
                    : joint.parent;
            place(right_name(joint.name), parent, right_name(joint.child));
        }
    }
    for (const std::string& bone : bones) {
        if (!placed.contains(bone)) {
            refuse_table(fmt::format("{}, part '{}'", where, bone), "no joint",
                         "a joint for each bone");
        }
    }
}

void require_stances(const FigureTable& table, std::string_view where) {
    for (const FigureStance& stance : table.stances) {
        for (const FigureStance::Turn& turn : stance.turns) {
            const std::string at = fmt::format("{}, stance '{}'", where, stance.name);
            const auto joint =
                std::find_if(table.joints.begin(), table.joints.end(),
                             [&](const FigureJoint& j) { return j.name == turn.joint; });
            if (joint == table.joints.end() ||
                std::find(joint->motions.begin(), joint->motions.end(), turn.motion) ==
                    joint->motions.end()) {
                refuse_table(at, fmt::format("joint '{}', motion '{}'", turn.joint, turn.motion),
                             "a joint of the table and one of its motions");
            }
            require_within(turn.angle, -3.2, 3.2, at, "angle (rad)");
        }
    }
}

void require_variant(const FigureVariant& variant, const std::set<std::string>& bones,
                     const std::string& where) {
    require_within(variant.stature, 0.5, 2.5, where, "stature (m)");
    require_within(variant.limb_girth, 0.2, 5.0, where, "limb girth");
    for (std::size_t i = 0; i < variant.trunk.size(); ++i) {
        const FigureVariant::Row& row = variant.trunk[i];
        require_within(row.y, i == 0 ? -1.0 : variant.trunk[i - 1].y, 3.0, where, "trunk height");
        require_within(row.x, 0.3, 3.0, where, "trunk width ratio");
        require_within(row.z, 0.3, 3.0, where, "trunk depth ratio");
    }
    for (const auto& entry : variant.muscle_volume) {
        require_within(entry.ratio, 0.1, 5.0, where, "muscle volume ratio");
    }
    for (const auto& entry : variant.fat) {
        require_within(entry.ratio, 0.0, 10.0, where, "fat ratio");
        require_within(entry.offset, -0.05, 0.1, where, "fat offset (m)");
    }
    for (const FigurePart& part : variant.extra_parts) {
        require_part(part, bones, fmt::format("{}, part '{}'", where, part.name));
    }
}

}  // namespace

std::string_view name_of(FigureKind kind) {
    static constexpr std::array<std::string_view, 7> kNames = {
        "bone", "disc", "cartilage", "muscle", "tendon", "skin_detail", "fill"};
    return kNames[static_cast<std::size_t>(kind)];
}

std::string right_name(std::string_view left) {
    SINEW_ASSERT(ends_in_left(left), "name {}", left);
    return std::string(left.substr(0, left.size() - 1)) + "r";
}

void require_valid(const FigureTable& table, std::string_view where) {
    require_within(table.stature, 0.5, 2.5, std::string(where), "stature (m)");
    const std::set<std::string> bones = bone_names(table, where);
    for (const FigurePart& part : table.parts) {
        require_part(part, bones, fmt::format("{}, part '{}'", where, part.name));
    }
    require_tree(table, bones, where);
    require_stances(table, where);
    const std::string skin = fmt::format("{}, skin", where);
    for (const double length : {table.skin.smooth_body, table.skin.smooth_fine,
                                table.skin.blur_body, table.skin.blur_fine, table.skin.gap}) {
        require_within(length, 0.0, 0.1, skin, "length (m)");
    }
    for (const Landmark& landmark : table.landmarks) {
        require_place(landmark.position, fmt::format("{}, landmark '{}'", where, landmark.name),
                      "position");
    }
    for (const FigureVariant& variant : table.variants) {
        require_variant(variant, bones,
                        fmt::format("{}, variant '{}'", where, name_of(variant.sex)));
    }
}

}  // namespace sinew
