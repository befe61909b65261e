#pragma once

#include "sinew/base/units.h"
#include "sinew/mesh/arrays.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace sinew {

/// A function of one number, as joints and moving points use them; its value is multiplied by
/// `scale`.
struct ScalarFunction {
    enum class Kind {
        Constant,         ///< coefficients = {value}
        Linear,           ///< coefficients = {slope, value at 0}
        Polynomial,       ///< coefficients, highest power first
        PiecewiseLinear,  ///< through the knots, straight beyond them
        SimmSpline,       ///< cubic through the knots, ends as in Forsythe, Malcolm and Moler 1977
        NaturalSpline,    ///< cubic through the knots, no curvature at the ends
        Sine,             ///< coefficients = {a, w, p, o}: a sin(w x + p) + o
    };
    Kind kind = Kind::Constant;
    std::vector<double> coefficients = {0.0};
    std::vector<double> x = {};  ///< knots, strictly rising
    std::vector<double> y = {};  ///< as many
    double scale = 1.0;
};

/// Where a frame lies in another: p_outer = rotation * p_inner + position.
struct Placement {
    Mat3 rotation = Mat3::Identity();
    Vec3 position = Vec3::Zero();

    Vec3 operator*(const Vec3& p) const {
        return rotation * p + position;
    }
    Placement operator*(const Placement& inner) const {
        return {rotation * inner.rotation, rotation * inner.position + position};
    }
    Placement inverse() const {
        return {rotation.transpose(), -(rotation.transpose() * position)};
    }
};

/// Rotations by x, then y, then z about the turned axes: R = Rx Ry Rz.
Mat3 rotation_from_xyz(const Vec3& angles);
/// The inverse; the middle angle lies in [-pi/2, pi/2].
Vec3 xyz_from_rotation(const Mat3& rotation);

enum class WrapKind { Sphere, Cylinder, Ellipsoid, Torus };
std::string_view name_of(WrapKind kind);

/// A surface that muscles slide over. Cylinders and tori lie along the local z axis.
struct WrapObject {
    std::string name;
    Index body = -1;  ///< -1 = ground
    WrapKind kind = WrapKind::Sphere;
    Placement placement = {};  ///< in the body
    /// Sphere: {r, -, -}; cylinder: {r, length, -}; ellipsoid: three radii; torus: {radius of the
    /// tube, radius of its centre circle, -}. m, > 0
    Vec3 size = Vec3::Ones();
    int side_axis = 0;  ///< 0, 1, 2; only half of the surface counts, unless side_sign is 0
    int side_sign = 0;  ///< -1, 0 or +1
    /// Spheres and cylinders: MuJoCo's rule in place of the halves above. The path goes round on
    /// the side of `side_point` (in the surface's frame, m), also where a straight line would pass
    /// on the other; a point within the radius makes the path touch the surface from within.
    bool has_side_point = false;
    Vec3 side_point = Vec3::Zero();
    bool is_active = true;
};

/// A point of a muscle's path: p = sum_j weight_j T_j position_j [Ryu2021, eq. 2].
struct PathPoint {
    struct Anchor {
        Index body = -1;  ///< -1 = ground
        Vec3 position = Vec3::Zero();
        double weight = 1.0;  ///< all weights of a point sum to 1
    };
    std::string name;
    std::vector<Anchor> anchors = {};
    /// It counts only while this coordinate lies in [low, high]; -1: always.
    Index condition = -1;
    double low = 0.0;
    double high = 0.0;
    /// Where a coordinate is given, that component of the first anchor's position follows it.
    struct Component {
        Index coordinate = -1;
        ScalarFunction function = {};
    };
    std::array<Component, 3> moving = {};
    /// > 0: a branch begins here, behind a pulley (MuJoCo). No piece leads here from the point
    /// before, and pieces from here to the next branch count 1 / divisor of their lengths.
    double divisor = 0.0;

    bool is_moving() const {
        return moving[0].coordinate >= 0 || moving[1].coordinate >= 0 || moving[2].coordinate >= 0;
    }
};

struct PathWrap {
    Index object = 0;  ///< of the model's wrap objects
    Index first = 0;   ///< point from which on the path may touch it
    Index last = -1;   ///< and up to which; -1: the last
};

}  // namespace sinew
