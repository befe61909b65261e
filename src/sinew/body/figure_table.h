#pragma once

#include "sinew/body/anatomy.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sinew {

// The built-in human as a table of measured figures. Bones and muscles are strokes (centre lines
// with oval sections) and sheets (middle surfaces with a thickness); build/figure.h makes surfaces
// of them. The left half and the midline are stored; what says `mirror` also exists reflected,
// x -> -x, with the end "_l" of its name turned into "_r".

/// One position on a centre line.
struct FigureStation {
    Vec3 position = Vec3::Zero();  ///< m
    double a = 0.0;                ///< half-width along `normal`, m, > 0
    double b = 0.0;                ///< half-width across it, m, > 0
    Vec3 normal = Vec3::UnitX();   ///< unit length up to rounding
    double skin = 0.0;             ///< distance of the skin over the surface here, m, >= 0
};

/// A centre line from origin to insertion with a section at each station.
struct FigureStroke {
    std::vector<FigureStation> stations = {};       ///< 2 or more
    double exponent = 2.0;                          ///< of the section: 2 oval, more = squarer
    double blend = 0.0;                             ///< radius of the smooth union, m, >= 0
    std::optional<std::array<double, 2>> cap = {};  ///< lengths of the end caps, m; none: min(a, b)
    bool mirror = false;         ///< the part holds the reflection of this stroke too
    bool is_cut = false;         ///< is taken away from the strokes before it
    bool squares_radii = false;  ///< squares of the radii are interpolated: blunt round ends
};

/// One node of a sheet.
struct FigureNode {
    Vec3 position = Vec3::Zero();  ///< m, on the middle surface
    double half = 0.0;             ///< half the thickness, m, > 0
    double skin = 0.0;             ///< as in FigureStation
};

/// A broad flat muscle: rows run upwards, columns from the origin's side.
struct FigureSheet {
    int rows = 0;                        ///< 2 or more
    int columns = 0;                     ///< 2 or more
    std::vector<FigureNode> nodes = {};  ///< row after row
    double blend = 0.0;                  ///< m
    double fibre = 0.0;  ///< direction of the fibres, from columns towards rising rows, rad

    const FigureNode& at(int row, int column) const {
        return nodes[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
                     static_cast<std::size_t>(column)];
    }
};

enum class FigureKind { Bone, Disc, Cartilage, Muscle, Tendon, SkinDetail, Fill };

/// What moves with the skeleton.
constexpr bool is_rigid(FigureKind kind) {
    return kind == FigureKind::Bone || kind == FigureKind::Disc || kind == FigureKind::Cartilage;
}
std::string_view name_of(FigureKind kind);  ///< "bone", ..., "skin_detail", "fill"

struct FigurePart {
    std::string name;
    FigureKind kind = FigureKind::Bone;
    std::string group = {};      ///< as the atlas groups it: "deltoid", "hand", "skull"
    bool mirror = false;         ///< name ends in "_l"
    std::string origin = {};     ///< bone, or empty
    std::string insertion = {};  ///< bone, or empty
    double belly_begin = 0.0;    ///< contractile part of the longest stroke, 0 to 1
    double belly_end = 1.0;
    double volume = 0.0;                    ///< measured, m^3; 0 = not measured
    double fmax = 0.0;                      ///< N; 0 = not known
    double pennation = 0.0;                 ///< rad
    std::vector<Alias> aliases = {};        ///< of the stored part
    std::vector<Alias> right_aliases = {};  ///< of its reflection
    std::vector<std::string> covers = {};   ///< atlas parts that this one merges
    std::vector<FigureStroke> strokes = {};
    std::vector<FigureSheet> sheets = {};
};

/// Joint between two bones of the table. Axes as in Joint (skeleton.h).
struct FigureJoint {
    std::string name;
    std::string parent;  ///< bone
    std::string child;   ///< bone
    bool mirror = false;
    Vec3 centre = Vec3::Zero();  ///< m
    JointType type = JointType::Fixed;
    std::vector<Vec3> axes = {};            ///< as many as angles
    std::vector<AngleLimit> limits = {};    ///< rad
    std::vector<std::string> motions = {};  ///< what a positive angle does
    double rest = 0.0;  ///< anatomical angle of the first degree of freedom, rad
};

struct FigureSkin {
    double smooth_body = 0.026;  ///< blend between strokes, m
    double smooth_fine = 0.010;  ///< the same on face, hands and feet, m
    double blur_body = 0.0085;   ///< standard deviation of the blur, m
    double blur_fine = 0.0028;   ///< m
    double gap = 0.005;          ///< slits narrower than about twice this are filled, m
    std::vector<std::string> fine_groups = {};
};

/// Turns of joints: one stance. Angles are those of the joint's own degrees of freedom.
struct FigureStance {
    struct Turn {
        std::string joint;  ///< a mirrored joint rotates on both sides
        std::string motion;
        double angle = 0.0;  ///< rad
    };
    std::string name;
    std::vector<Turn> turns = {};
};

/// How a body of the other sex differs, measured as ratios to the stored one at equal stature.
struct FigureVariant {
    /// Widens the trunk around the midline: at height y (m, of the stored figure) x is multiplied
    /// by `x` and z by `z`; between two rows smoothly.
    struct Row {
        double y = 0.0;
        double x = 1.0;
        double z = 1.0;
    };
    struct GroupVolume {
        std::string group;  ///< as in FigurePart
        double ratio = 1.0;
    };
    struct Fat {
        std::string group;
        double ratio = 1.0;   ///< of the skin's distance
        double offset = 0.0;  ///< added to it, m
    };
    Sex sex = Sex::Female;
    double stature = 1.62;  ///< m
    std::vector<Row> trunk = {};
    double limb_girth = 1.0;  ///< ratio of the radii of limb bones
    std::vector<GroupVolume> muscle_volume = {};
    std::vector<Fat> fat = {};
    std::vector<FigurePart> extra_parts = {};  ///< breasts and fat pads
    std::vector<std::string> sources = {};
};

struct FigureTable {
    std::string name;
    double stature = 0.0;  ///< m, of the stored figure
    std::string root;      ///< bone
    std::string attribution;
    std::vector<FigurePart> parts = {};
    std::vector<FigureJoint> joints = {};  ///< parents first
    std::vector<Landmark> landmarks = {};  ///< left and midline; "_l" is mirrored
    FigureSkin skin = {};
    std::vector<FigureStance> stances = {};
    std::vector<FigureVariant> variants = {};
};

/// Name of the reflection: "_l" at the end becomes "_r".
std::string right_name(std::string_view left);

/// @throws InputError  naming `where` and the part, joint or stance that breaks a promise above:
///                     names used twice, bones that do not exist, joints that are no tree, numbers
///                     that are not finite or out of range
void require_valid(const FigureTable& table, std::string_view where);

}  // namespace sinew
