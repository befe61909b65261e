#pragma once

#include "sinew/base/units.h"
#include "sinew/body/model_forces.h"
#include "sinew/body/model_parts.h"
#include "sinew/mesh/arrays.h"

#include <array>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace sinew {

/// A rigid body of a model. Its own frame carries everything fixed to it.
struct RigidBody {
    std::string name;
    double mass = 0.0;             ///< kg, >= 0
    Vec3 com = Vec3::Zero();       ///< centre of mass, m
    Mat3 inertia = Mat3::Zero();   ///< about the centre of mass, kg m^2
    Vec3 box = Vec3::Zero();       ///< edges of the box that stands for its shape, m; 0 = none
    Placement box_placement = {};  ///< of that box in the body
    bool touches_ground = false;   ///< its box makes contact
};

/// One of the six motions that make up a joint.
struct JointAxis {
    Vec3 axis = Vec3::UnitX();     ///< unit, in the joint's parent frame
    Index coordinate = -1;         ///< of the model; -1: the function is constant
    ScalarFunction function = {};  /// rad or m
};

enum class JointKind { Weld, Hinge, Slider, Universal, Planar, Ball, Free, Custom, Ellipsoid };
std::string_view name_of(JointKind kind);  ///< "weld", "hinge", ...

/// T_parent_child = parent_frame * X(q) * child_frame^-1, where X shifts by
/// sum_i axes[3 + i].axis * f_i + diag(radii) R e_z and turns by R = R(axes[0]) R(axes[1])
/// R(axes[2]).
struct ModelJoint {
    std::string name;
    JointKind kind = JointKind::Weld;
    Index parent = -1;  ///< body, -1 = ground
    Index child = 0;    ///< body
    Placement parent_frame = {};
    Placement child_frame = {};
    std::array<JointAxis, 6> axes = {};  ///< three rotations, three translations
    /// Of an ellipsoid fixed to the parent's frame that the child rides on, its z axis outward, m;
    /// 0 for all other joints. As Simbody has it, z is the sphere's normal, not the ellipsoid's.
    Vec3 radii = Vec3::Zero();
    std::string recorded_as = {};  ///< its name in recorded motions (BVH); may be empty
};

/// A generalised coordinate, rad or m.
struct Coordinate {
    std::string name;
    Index joint = 0;
    bool is_rotation = true;
    double rest = 0.0;  ///< default value
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();
    bool is_locked = false;
    bool is_clamped = false;  ///< the range is a stop, not only a hint
    /// Inertia, damping and stiffness about the rest value of the joint itself, for simulators that
    /// step with muscles pulling on light bones (MuJoCo); kg m^2, N m s and N m/rad, or kg, N s/m
    /// and N/m. Our own dynamics leave them out.
    double armature = 0.0;
    double damping = 0.0;
    double stiffness = 0.0;
};

/// One coordinate that follows another: q[dependent] = function(q[independent]).
struct CoordinateCoupler {
    std::string name;
    Index dependent = 0;
    Index independent = 0;
    ScalarFunction function = {};
};

enum class MuscleLaw { Thelen2003, Millard2012 };
std::string_view name_of(MuscleLaw law);  ///< "Thelen2003", "Millard2012"

/// What shapes the curves of a Millard2012 unit [Millard2013, appendix]; defaults are OpenSim's.
struct MillardShape {
    double shortest = 0.4441;          ///< active: optimal fibre lengths where it begins to pull
    double shoulder = 0.73;            ///< where the steep limb meets the shallow one
    double longest = 1.8123;           ///< where it ends
    double shallow_slope = 0.8616;     ///< of the limb above the shoulder
    double least = 0.1;                ///< beyond both ends, in fmax
    double passive_begin = 0.0;        ///< passive: strain where it begins to pull
    double passive_end = 0.7;          ///< strain at fmax
    double passive_foot = 0.2;         ///< slope at low force
    double passive_slope = 2.0 / 0.7;  ///< slope at fmax
    double passive_roundness = 0.75;   ///< in [0, 1]
    double shortening_end = 0.0;       ///< velocity: slope at the greatest shortening velocity
    double shortening_near = 0.25;     ///< slope just before
    double isometric_slope = 5.0;      ///< slope at rest
    double lengthening_end = 0.0;      ///< slope at the greatest lengthening velocity
    double lengthening_near = 0.15;    ///< slope just before
    double lengthening_force = 1.4;    ///< force there, in fmax
    double shortening_roundness = 0.6;
    double lengthening_roundness = 0.9;
    friend bool operator==(const MillardShape&, const MillardShape&) = default;
};

/// A musculotendon unit. Names of parameters follow [Thelen2003] and [Millard2013].
struct MuscleUnit {
    std::string name;
    MuscleLaw law = MuscleLaw::Thelen2003;
    std::vector<PathPoint> points = {};  ///< origin to insertion, at least 2
    std::vector<PathWrap> wraps = {};
    double fmax = 0.0;               ///< greatest isometric force, N, > 0
    double fibre = 0.0;              ///< optimal fibre length, m, > 0
    double tendon = 0.0;             ///< slack length, m, >= 0
    double pennation = 0.0;          ///< at optimal fibre length, rad, in [0, pi/2)
    double velocity = 10.0;          ///< greatest shortening velocity, optimal fibre lengths per s
    double rise_time = 0.01;         ///< of activation, s
    double fall_time = 0.04;         ///< of deactivation, s
    double tendon_strain = 0.04;     ///< of the tendon at fmax
    double passive_strain = 0.6;     ///< of the fibre at which it bears fmax passively
    double active_shape = 0.45;      ///< width of the active curve
    double passive_shape = 5.0;      ///< exponent of the passive curve
    double curvature = 0.25;         ///< of the force-velocity curve (Af)
    double lengthening_force = 1.4;  ///< force at greatest lengthening velocity, in fmax (Flen)
    double damping = 0.0;            ///< of the fibre, in fmax per greatest velocity
    double least_activation = 0.0;   ///< in [0, 1)
    double start_activation = 0.05;  ///< where simulations begin
    double start_fibre = 0.0;        ///< m, the same; 0: unknown
    MillardShape shape = {};         ///< of Millard2012 units
    bool ignores_tendon_elasticity = false;
    bool is_deprecated = false;     ///< of an OpenSim class that version 3 replaced
    bool has_known_lengths = true;  ///< false where the file gives no fibre and tendon lengths
};

struct ModelMarker {
    std::string name;
    Index body = -1;
    Vec3 position = Vec3::Zero();
};

/// Articulated rigid bodies with muscles: plain data, as files hold it. SI units.
struct MusculoskeletalModel {
    std::string name;
    Vec3 gravity = Vec3(0.0, -kGravity, 0.0);
    std::vector<RigidBody> bodies = {};
    std::vector<ModelJoint> joints = {};  ///< one per body, a parent's before its children's
    std::vector<Coordinate> coordinates = {};
    std::vector<CoordinateCoupler> couplers = {};
    std::vector<WrapObject> wraps = {};
    std::vector<MuscleUnit> muscles = {};
    std::vector<ModelMarker> markers = {};
    std::vector<Ligament> ligaments = {};
    std::vector<CoordinateLimit> limits = {};
    std::vector<CoordinateSpring> springs = {};
    std::vector<Bushing> bushings = {};
    std::vector<BodyShape> shapes = {};
    std::vector<KeptPart> kept = {};
    std::string credits = {};             ///< who made it
    std::string publications = {};        ///< where it is described
    std::vector<std::string> notes = {};  ///< what the file held that was left out
    int osim_version = 0;                 ///< of an OpenSim file, 30000 or 40000; 0: another format
};

/// Default values of all coordinates.
std::vector<double> rest_coordinates(const MusculoskeletalModel& model);

/// The index, or -1.
Index find_body(const MusculoskeletalModel& model, std::string_view name);
Index find_coordinate(const MusculoskeletalModel& model, std::string_view name);

/// The six axes of a joint of a kind other than Custom, driven by coordinates first, first + 1,
/// ...: hinge: turn about z; slider: shift along x; universal: x, y; planar: turn about z, shifts
/// x, y; ball: x, y, z; free: turns x, y, z, then shifts x, y, z.
std::array<JointAxis, 6> standard_axes(JointKind kind, Index first);
/// Coordinates of such a joint.
int coordinate_count(JointKind kind);

/// Orders joints and bodies so that parents come first.
/// @throws InputError  for a body without a joint or with two, or a loop of bodies
void sort_tree(MusculoskeletalModel& model, std::string_view where);

/// @throws InputError  naming `where` and what breaks a promise above: indices that point nowhere,
///                     negative masses, fewer than two path points, weights that do not sum to 1,
///                     sizes <= 0, names used twice
void require_valid(const MusculoskeletalModel& model, std::string_view where);

/// A table of numbers over time, as motions and results are stored.
struct MotionTable {
    std::string name = {};
    bool in_degrees = false;    ///< whether angles are degrees; lengths and forces are SI anyway
    bool is_unit_known = true;  ///< false: the file does not say; body/motion_units.h decides
    std::vector<std::string> columns;     ///< without the time
    std::vector<double> times = {};       ///< s, rising
    std::vector<double> values = {};      ///< times.size() rows of columns.size()
    std::vector<std::string> notes = {};  ///< how it was read, for people

    double at(std::size_t row, std::size_t column) const {
        return values[row * columns.size() + column];
    }
    double& at(std::size_t row, std::size_t column) {
        return values[row * columns.size() + column];
    }
};
/// The column of that name, or -1.
Index find_column(const MotionTable& table, std::string_view name);

}  // namespace sinew
