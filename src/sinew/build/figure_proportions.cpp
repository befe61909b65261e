#include "sinew/build/figure_proportions.h"

#include "sinew/base/error.h"
#include "sinew/build/figure_rig.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace sinew {

namespace {

const FigureJoint& joint_named(const FigureTable& table, std::string_view name) {
    const auto found = std::find_if(table.joints.begin(), table.joints.end(),
                                    [&](const FigureJoint& joint) { return joint.name == name; });
    if (found == table.joints.end()) {
        throw InputError({.where = "figure table",
                          .found = fmt::format("no joint '{}'", name),
                          .needs = "the joints shoulder_l, wrist_l, hip_l and ankle_l",
                          .remedy = "restore it in the figure's joint file"});
    }
    return *found;
}

/// A limb that is stretched between two joints.
struct Stretch {
    Vec3 start = Vec3::Zero();
    Vec3 direction = Vec3::Zero();
    double length = 0.0;
    double ratio = 1.0;

    /// How far a place is moved along the limb: in proportion up to its end, constant beyond.
    double shift(const Vec3& x) const {
        return (ratio - 1.0) * std::clamp((x - start).dot(direction), 0.0, length);
    }
};

Stretch stretch_between(const FigureTable& table, std::string_view from, std::string_view to,
                        double ratio) {
    const Vec3 a = joint_named(table, from).centre;
    const Vec3 b = joint_named(table, to).centre;
    return {
        .start = a, .direction = (b - a).normalized(), .length = (b - a).norm(), .ratio = ratio};
}

double centre_line_length(const FigurePart& part) {
    double length = 0.0;
    for (const FigureStroke& stroke : part.strokes) {
        for (std::size_t i = 1; i < stroke.stations.size(); ++i) {
            length += (stroke.stations[i].position - stroke.stations[i - 1].position).norm();
        }
    }
    return length;
}

void move_all(FigureTable& table, const Vec3& shift) {
    for (FigurePart& part : table.parts) {
        for (FigureStroke& stroke : part.strokes) {
            for (FigureStation& s : stroke.stations) {
                s.position += shift;
            }
        }
        for (FigureSheet& sheet : part.sheets) {
            for (FigureNode& node : sheet.nodes) {
                node.position += shift;
            }
        }
    }
    for (FigureJoint& joint : table.joints) {
        joint.centre += shift;
    }
    for (Landmark& landmark : table.landmarks) {
        landmark.position += shift;
    }
}

/// Ratios of the trunk at a height, between rows by a cubic that is flat at the rows.
FigureVariant::Row row_at(const FigureVariant& variant, double y) {
    const auto& rows = variant.trunk;
    if (rows.empty()) {
        return {};
    }
    const auto above = std::find_if(rows.begin(), rows.end(),
                                    [&](const FigureVariant::Row& r) { return r.y >= y; });
    if (above == rows.begin() || above == rows.end()) {
        return above == rows.begin() ? rows.front() : rows.back();
    }
    const FigureVariant::Row& high = *above;
    const FigureVariant::Row& low = *(above - 1);
    const double t = (y - low.y) / std::max(high.y - low.y, 1e-9);
    const double s = t * t * (3.0 - 2.0 * t);
    return {.y = y, .x = low.x + s * (high.x - low.x), .z = low.z + s * (high.z - low.z)};
}

/// Trunk widths; arms and legs keep their shape and go along with their root joint.
void reshape_trunk(FigureTable& table, const FigureVariant& variant) {
    const Vec3 shoulder = joint_named(table, "shoulder_l").centre;
    const Vec3 hip = joint_named(table, "hip_l").centre;
    const Vec3 ankle = joint_named(table, "ankle_l").centre;
    const double arm_shift = (row_at(variant, shoulder.y()).x - 1.0) * shoulder.x();
    const double leg_shift = (row_at(variant, hip.y()).x - 1.0) * hip.x();
    constexpr double kFeetFollow = 0.3;  // wider hips, but thighs that slope inward
    const std::array<std::string, 2> joints = {"shoulder_l", "hip_l"};
    move_figure(table, joints, [&](const Vec3& p, std::span<const double> follows) {
        const FigureVariant::Row row = row_at(variant, p.y());
        const Vec3 trunk(p.x() * row.x, p.y(), p.z() * row.z);
        const double down = std::clamp((hip.y() - p.y()) / (hip.y() - ankle.y()), 0.0, 1.0);
        Vec3 moved = trunk + follows[0] * (p + Vec3(arm_shift, 0.0, 0.0) - trunk);
        moved += follows[1] *
                 (p + Vec3(leg_shift * (1.0 - (1.0 - kFeetFollow) * down), 0.0, 0.0) - trunk);
        return FigureMove{.position = moved};
    });
}

void reshape_part(FigurePart& part, const FigureVariant& variant) {
    for (const auto& entry : variant.muscle_volume) {
        if (part.kind != FigureKind::Muscle || entry.group != part.group) {
            continue;
        }
        part.volume *= entry.ratio;
        part.fmax *= std::pow(entry.ratio, 2.0 / 3.0);
        for (FigureStroke& stroke : part.strokes) {
            for (FigureStation& s : stroke.stations) {
                s.a *= std::sqrt(entry.ratio);
                s.b *= std::sqrt(entry.ratio);
            }
        }
        for (FigureSheet& sheet : part.sheets) {
            for (FigureNode& node : sheet.nodes) {
                node.half *= entry.ratio;
            }
        }
    }
    for (const auto& entry : variant.fat) {
        if (entry.group != part.group) {
            continue;
        }
        const auto thicker = [&](double skin) {
            return std::max(entry.ratio * skin + entry.offset, 0.0);
        };
        for (FigureStroke& stroke : part.strokes) {
            for (FigureStation& s : stroke.stations) {
                s.skin = thicker(s.skin);
            }
        }
        for (FigureSheet& sheet : part.sheets) {
            for (FigureNode& node : sheet.nodes) {
                node.skin = thicker(node.skin);
            }
        }
    }
    const bool is_limb_bone =
        part.kind == FigureKind::Bone && (part.group == "arm" || part.group == "leg" ||
                                          part.group == "hand" || part.group == "foot");
    if (is_limb_bone) {
        part.volume *= variant.limb_girth * variant.limb_girth;
        for (FigureStroke& stroke : part.strokes) {
            for (FigureStation& s : stroke.stations) {
                s.a *= variant.limb_girth;
                s.b *= variant.limb_girth;
            }
        }
    }
}

}  // namespace

void stretch_limbs(FigureTable& table, const LimbLengths& lengths) {
    if (lengths.arm_length == 1.0 && lengths.leg_length == 1.0) {
        return;
    }
    const Stretch arm = stretch_between(table, "shoulder_l", "wrist_l", lengths.arm_length);
    const Stretch leg = stretch_between(table, "hip_l", "ankle_l", lengths.leg_length);
    std::vector<double> before;
    for (const FigurePart& part : table.parts) {
        before.push_back(centre_line_length(part));
    }
    const std::array<std::string, 2> joints = {"shoulder_l", "hip_l"};
    move_figure(table, joints, [&](const Vec3& p, std::span<const double> follows) {
        return FigureMove{.position = p + follows[0] * arm.shift(p) * arm.direction +
                                      follows[1] * leg.shift(p) * leg.direction};
    });
    for (std::size_t i = 0; i < table.parts.size(); ++i) {
        if (before[i] > 0.0) {
            table.parts[i].volume *= centre_line_length(table.parts[i]) / before[i];
        }
    }
    const double lift = -(lengths.leg_length - 1.0) * leg.length * leg.direction.y();
    move_all(table, Vec3(0.0, lift, 0.0));
    table.stature += lift;
}

void apply_variant(FigureTable& table, Sex sex) {
    const auto found =
        std::find_if(table.variants.begin(), table.variants.end(),
                     [&](const FigureVariant& variant) { return variant.sex == sex; });
    if (found == table.variants.end()) {
        throw InputError({.where = "figure table '" + table.name + "'",
                          .found = fmt::format("no figures for sex '{}'", name_of(sex)),
                          .needs = "a variant file",
                          .remedy = "name it in figure.json under variant_files"});
    }
    const FigureVariant variant = *found;
    for (const FigurePart& part : variant.extra_parts) {
        table.parts.push_back(part);
    }
    for (FigurePart& part : table.parts) {
        reshape_part(part, variant);
    }
    reshape_trunk(table, variant);
    scale_figure(table, variant.stature / table.stature);
    for (const std::string& source : variant.sources) {
        table.attribution += " " + source;
    }
}

}  // namespace sinew
