#pragma once

#include "sinew/base/fields.h"
#include "sinew/motion/body_segments.h"
#include "sinew/motion/body_warp.h"

#include <concepts>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace sinew {

/// A limb bone's parameters [Ryu2021, 3.2 and Table 2].
struct LimbShape {
    double proximal = 1.0;            ///< scale of the head near the trunk
    double distal = 1.0;              ///< scale of the far head
    double elongation = 1.0;          ///< of the bone between its joints
    double torsion = 0.0;             ///< deg, see the help
    std::optional<double> mass = {};  ///< factor; absent: as the volume grows
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, LimbShape>
void visit_fields(Options& o, Visitor&& v) {
    v(o.proximal,
      Field{
          .name = "proximal", .help = "scale of the head near the trunk", .min = 0.25, .max = 4.0});
    v(o.distal, Field{.name = "distal", .help = "scale of the far head", .min = 0.25, .max = 4.0});
    v(o.elongation,
      Field{
          .name = "elongation", .help = "of the bone between its joints", .min = 0.3, .max = 4.0});
    v(o.torsion, Field{.name = "torsion",
                       .help = "of the far end, clockwise seen along a right bone from the trunk; "
                               "mirrored on the left",
                       .unit = "deg",
                       .min = -90.0,
                       .max = 90.0});
    v(o.mass, Field{.name = "mass",
                    .help = "factor of the mass; without it, the volume's",
                    .max = 100.0,
                    .above = 0.0});
}

/// All bones between hips and neck as one [Ryu2021, 3.2].
struct TrunkShape {
    double elongation = 1.0;          ///< from the hips to the neck
    double expansion = 1.0;           ///< across
    double bend = 0.0;                ///< deg, forward, over the joints from pelvis to neck
    std::optional<double> mass = {};  ///< factor
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, TrunkShape>
void visit_fields(Options& o, Visitor&& v) {
    v(o.elongation,
      Field{.name = "elongation", .help = "from the hips to the neck", .min = 0.3, .max = 4.0});
    v(o.expansion, Field{.name = "expansion", .help = "across", .min = 0.3, .max = 4.0});
    v(o.bend, Field{.name = "bend",
                    .help = "forward, shared by the joints between pelvis and neck",
                    .unit = "deg",
                    .min = -90.0,
                    .max = 90.0});
    v(o.mass, Field{.name = "mass",
                    .help = "factor of the mass; without it, the volume's",
                    .max = 100.0,
                    .above = 0.0});
}

/// Hands, feet, head.
struct PartShape {
    double scale = 1.0;
    std::optional<double> mass = {};  ///< factor
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, PartShape>
void visit_fields(Options& o, Visitor&& v) {
    v(o.scale, Field{.name = "scale", .help = "in all directions", .min = 0.25, .max = 4.0});
    v(o.mass, Field{.name = "mass",
                    .help = "factor of the mass; without it, the volume's",
                    .max = 100.0,
                    .above = 0.0});
}

/// Limbs of one side that differ from the other's.
struct SideShapes {
    std::optional<LimbShape> femur = {};
    std::optional<LimbShape> tibia = {};
    std::optional<LimbShape> humerus = {};
    std::optional<LimbShape> ulna = {};
    std::optional<PartShape> hand = {};
    std::optional<PartShape> foot = {};
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, SideShapes>
void visit_fields(Options& o, Visitor&& v) {
    v(o.femur, Field{.name = "femur", .help = "of this side, in place of the common one"});
    v(o.tibia, Field{.name = "tibia", .help = "the same"});
    v(o.humerus, Field{.name = "humerus", .help = "the same"});
    v(o.ulna, Field{.name = "ulna", .help = "the same; the radius goes with it"});
    v(o.hand, Field{.name = "hand", .help = "the same"});
    v(o.foot, Field{.name = "foot", .help = "the same"});
}

/// A body's proportions relative to a reference, as a file of characters holds them.
struct BodyProportions {
    std::string name = {};
    TrunkShape trunk = {};
    LimbShape neck = {};
    PartShape head = {};
    LimbShape femur = {};
    LimbShape tibia = {};
    LimbShape humerus = {};
    LimbShape ulna = {};
    PartShape hand = {};
    PartShape foot = {};
    SideShapes left = {};
    SideShapes right = {};
    double strength = 1.0;  ///< the user's own factor of all forces, beside Hodgins and Pollard's
    /// Bodies by segment, where their names say nothing.
    std::vector<std::pair<std::string, std::vector<std::string>>> segments = {};
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, BodyProportions>
void visit_fields(Options& o, Visitor&& v) {
    v(o.name, Field{.name = "name", .help = "of the character"});
    v(o.trunk, Field{.name = "trunk", .help = "pelvis to neck, with the shoulder girdle"});
    v(o.neck, Field{.name = "neck", .help = "as a limb bone"});
    v(o.head, Field{.name = "head", .help = "with all that hangs on it"});
    v(o.femur, Field{.name = "femur", .help = "of both sides"});
    v(o.tibia, Field{.name = "tibia", .help = "of both sides"});
    v(o.humerus, Field{.name = "humerus", .help = "of both sides"});
    v(o.ulna, Field{.name = "ulna", .help = "of both sides; the radius goes with it"});
    v(o.hand, Field{.name = "hand", .help = "of both sides"});
    v(o.foot, Field{.name = "foot", .help = "of both sides"});
    v(o.left, Field{.name = "left", .help = "limbs of the left side that differ"});
    v(o.right, Field{.name = "right", .help = "limbs of the right side that differ"});
    v(o.strength, Field{.name = "strength",
                        .help = "factor of all muscles' forces beyond what mass and length give",
                        .max = 100.0,
                        .above = 0.0});
    v(o.segments, Field{.name = "segments",
                        .help = "bodies of the model by segment (trunk, neck, head, femur, tibia, "
                                "foot, humerus, ulna, hand, none), where names do not tell"});
}

/// What proportions make of each body.
struct ProportionedBodies {
    std::vector<BodySegment> segments = {};
    std::vector<BodyWarp> warps = {};
    std::vector<double> mass_ratios = {};    ///< m'/m
    std::vector<double> length_ratios = {};  ///< elongation or scale
};

/// Proportions of segments that the model lacks become 1, so that a whole character serves for an
/// arm or for legs. @return  the segments that were asked for in vain
std::vector<std::string> drop_missing_segments(const MusculoskeletalModel& model,
                                               BodyProportions& proportions);

/// @throws InputError  for proportions of segments that the model lacks
ProportionedBodies proportioned_bodies(const MusculoskeletalModel& model,
                                       const BodyProportions& proportions);

/// The model with other proportions, its muscles scaled naively: points move with the bones they
/// are fixed to, fibres and tendons with the paths at rest. Masses and inertias follow the factors;
/// passive parameters of joints follow [Hodgins1997]: with mass ratio m and length ratio l of the
/// bodies beyond, stiffness m l, damping m l^(3/2), armature m l^2, which for uniform l are the
/// paper's powers of l.
/// @throws InputError  as proportioned_bodies
MusculoskeletalModel proportioned_model(const MusculoskeletalModel& model,
                                        const BodyProportions& proportions);

/// Forces and time constants of muscles [Hodgins1997]: force follows mass, times go with the root
/// of the length. The mass ratio of a muscle is the mean of those of the bodies it ends on, its
/// length ratio that of `longest` to `longest_before`.
void scale_strength(MusculoskeletalModel& model, const ProportionedBodies& bodies, double strength,
                    std::span<const double> longest_before, std::span<const double> longest);

}  // namespace sinew
