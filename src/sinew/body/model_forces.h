#pragma once

#include "sinew/body/model_parts.h"
#include "sinew/mesh/triangle_mesh.h"

#include <memory>
#include <string>
#include <vector>

namespace sinew {

/// A band that pulls when it is longer than its slack length, and never pushes.
struct Ligament {
    enum class Law {
        Curve,   ///< force * curve(length / slack): OpenSim's Ligament
        Toe,     ///< quadratic up to the strain `toe`, then linear [Blankevoort1991]
        Spring,  ///< stiffness * stretch * (1 + damping * speed): OpenSim's PathSpring
    };
    std::string name;
    std::vector<PathPoint> points = {};  ///< at least 2
    std::vector<PathWrap> wraps = {};
    Law law = Law::Curve;
    double slack = 0.0;         ///< m, > 0
    double force = 0.0;         ///< Curve: N; Toe: N per strain; Spring: N/m. >= 0
    ScalarFunction curve = {};  ///< of Curve
    double toe = 0.06;          ///< strain where Toe becomes linear, > 0
    double damping = 0.0;       ///< Toe: N s per strain; Spring: s/m. >= 0
};

/// A stop at either end of a coordinate's range that stiffens over a transition: beyond `high` the
/// force is -k (q - high), k rising smoothly from 0 to `high_stiffness` [OpenSim's
/// CoordinateLimitForce]. rad and N m/rad, or m and N/m.
struct CoordinateLimit {
    std::string name;
    Index coordinate = 0;
    double low = 0.0;
    double high = 0.0;
    double low_stiffness = 0.0;
    double high_stiffness = 0.0;
    double transition = 0.0;  ///< >= 0
    double damping = 0.0;     ///< once the stop is fully stiff, N m s/rad or N s/m
};

/// -stiffness (q - rest) - viscosity q'.
struct CoordinateSpring {
    std::string name;
    Index coordinate = 0;
    double rest = 0.0;
    double stiffness = 0.0;  ///< N m/rad or N/m
    double viscosity = 0.0;  ///< N m s/rad or N s/m
};

/// Springs and dampers between a frame of one body and a frame of another, for the three angles
/// about x, y, z of the second in the first and for the shift of its origin.
struct Bushing {
    std::string name;
    Index first = -1;  ///< body, -1 = ground
    Index second = -1;
    Placement first_frame = {};
    Placement second_frame = {};
    Vec3 turning_stiffness = Vec3::Zero();  ///< N m/rad
    Vec3 shift_stiffness = Vec3::Zero();    ///< N/m
    Vec3 turning_damping = Vec3::Zero();    ///< N m s/rad
    Vec3 shift_damping = Vec3::Zero();      ///< N s/m
};

/// A mesh fixed to a body, to look at.
struct BodyShape {
    std::string name;
    Index body = -1;        ///< -1 = ground
    std::string file = {};  ///< as the model's file names it; empty: made by us
    Placement placement = {};
    Vec3 scale = Vec3::Ones();
    std::array<float, 4> colour = {0.85f, 0.80f, 0.70f, 1.0f};
    /// Its points before scale and placement, m; null where the file was not looked for or found.
    std::shared_ptr<const TriangleMesh> mesh = {};
};

/// A part of an OpenSim file that no computation here uses, carried along as it stands there.
struct KeptPart {
    std::string set;   ///< of OpenSim's format 4, such as "ProbeSet"
    std::string text;  ///< XML
};

}  // namespace sinew
