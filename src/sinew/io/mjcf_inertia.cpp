#include "sinew/io/mjcf_inertia.h"

#include "sinew/base/text.h"
#include "sinew/base/units.h"
#include "sinew/geometry/measure.h"
#include "sinew/io/file_bytes.h"
#include "sinew/io/stl.h"
#include "sinew/linalg/dense.h"

#include <cmath>

namespace sinew::detail {

using Node = pugi::xml_node;

std::string MjcfScales::compiler_option(const char* name) const {
    std::string text;
    for (const Node& node : file_.root().children("compiler")) {
        text = node.attribute(name) ? node.attribute(name).value() : text;
    }
    return text;
}

void MjcfScales::weigh(const Node& node, const std::string& cls, RigidBody& body) {
    weigh_shapes(node, cls, body);
    // What MuJoCo's compiler does to bodies that are too light or that no solid could be.
    const auto bound = [&](const char* name) {
        const std::string text = compiler_option(name);
        return text.empty() ? 0.0 : file_.numbers(file_.root(), text, 1)[0];
    };
    body.mass = std::max(body.mass, bound("boundmass"));
    const double least = bound("boundinertia");
    const bool is_balanced = compiler_option("balanceinertia") == "true";
    if (least > 0.0 || is_balanced) {
        const auto [values, vectors] =
            symmetric_eigen(Mat3(0.5 * (body.inertia + body.inertia.transpose())));
        Vec3 I = values.cwiseMax(least);
        if (is_balanced && I[0] + I[1] < I[2]) {
            I = Vec3::Constant(I.mean());
        }
        if (I != values) {
            body.inertia = vectors * I.asDiagonal() * vectors.transpose();
        }
    }
}

void MjcfScales::weigh_shapes(const Node& node, const std::string& cls, RigidBody& body) {
    const Node inertial = node.child("inertial");
    if (inertial) {
        const Placement T = attributes_.placement_of(inertial, "");
        body.mass = file_.numbers(inertial, file_.need_attribute(inertial, "mass"), 1)[0];
        body.com = T.position;
        Mat3 I = Mat3::Zero();
        if (inertial.attribute("fullinertia")) {
            const std::vector<double> x =
                file_.numbers(inertial, inertial.attribute("fullinertia").value(), 6);
            I << x[0], x[3], x[4], x[3], x[1], x[5], x[4], x[5], x[2];
        } else if (inertial.attribute("diaginertia")) {
            I = attributes_.vec(inertial, "diaginertia").asDiagonal();
        }
        body.inertia = T.rotation * I * T.rotation.transpose();
        return;
    }
    add_geom_masses(node, cls, body);
}

std::filesystem::path MjcfScales::mesh_of(const Node& geom, const std::string& cls,
                                          Vec3& scale) const {
    const std::string name = attributes_.get(geom, "mesh", cls);
    Node asset;
    const std::string meshdir = compiler_option("meshdir");
    for (const Node& assets : file_.root().children("asset")) {
        for (const Node& mesh : assets.children("mesh")) {
            const std::filesystem::path file(mesh.attribute("file").value());
            const std::string own =
                mesh.attribute("name") ? mesh.attribute("name").value() : file.stem().string();
            asset = own == name ? mesh : asset;
        }
    }
    if (!asset || folder_.empty()) {
        return {};
    }
    scale = asset.attribute("scale") ? attributes_.vec(asset, "scale") : Vec3::Ones();
    return folder_ / meshdir / asset.attribute("file").value();
}

// A solid of triangles.
bool MjcfScales::weigh_mesh(const Node& geom, const std::string& cls, Piece& piece) const {
    Vec3 scale;
    const std::filesystem::path file = mesh_of(geom, cls, scale);
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(file, ignored) ||
        lower(file.extension().string()) != ".stl") {
        return false;
    }
    const Placement T = attributes_.placement_of(geom, cls);
    Piece sum;
    for (const MeshPart& part : parse_stl(read_file_bytes(file), file.string())) {
        Points points = part.mesh.points;
        for (Eigen::Index v = 0; v < points.rows(); ++v) {
            const Vec3 p = points.row(v).transpose();
            points.row(v) = (T * Vec3(p.cwiseProduct(scale))).transpose();
        }
        const MassProperties m = mass_properties(points, part.mesh.triangles);
        sum = {m.volume, m.centroid, m.inertia};
    }
    if (!(std::abs(sum.mass) > 0.0)) {
        return false;
    }
    const std::string given = attributes_.get(geom, "mass", cls);
    const std::string density = attributes_.get(geom, "density", cls);
    const double volume = std::abs(sum.mass);
    piece.mass = !given.empty()
                     ? file_.numbers(geom, given, 1)[0]
                     : volume * (density.empty() ? 1000.0 : file_.numbers(geom, density, 1)[0]);
    piece.com = sum.com;
    piece.inertia = sum.inertia * (piece.mass / sum.mass);  // meshes may be inside out
    return true;
}

// Mass and moments of the shapes that MuJoCo would weigh.
void MjcfScales::add_geom_masses(const Node& node, const std::string& cls, RigidBody& body) {
    std::vector<Piece> pieces;
    for (const Node& geom : node.children("geom")) {
        const std::string type = attributes_.get(geom, "type", cls).empty()
                                     ? "sphere"
                                     : attributes_.get(geom, "type", cls);
        const std::string text = attributes_.get(geom, "size", cls);
        const std::vector<double> size =
            text.empty() ? std::vector<double>{} : file_.numbers(geom, text);
        if (type == "mesh") {
            Piece piece;
            if (weigh_mesh(geom, cls, piece)) {
                pieces.push_back(piece);
            } else {
                ++unweighed_;
            }
            continue;
        }
        if (size.empty()) {
            ++unweighed_;
            continue;
        }
        Placement T = attributes_.placement_of(geom, cls);
        double half = size.size() > 1 ? size[1] : 0.0;
        if (const std::string ends = attributes_.get(geom, "fromto", cls); !ends.empty()) {
            const std::vector<double> x = file_.numbers(geom, ends, 6);
            const Vec3 a(x[0], x[1], x[2]);
            const Vec3 b(x[3], x[4], x[5]);
            half = 0.5 * (b - a).norm();
            T.position = 0.5 * (a + b);
            T.rotation = turn_between(Vec3::UnitZ(), attributes_.unit(geom, b - a));
        }
        const double r = size[0];
        double volume = 0.0;
        Vec3 moments = Vec3::Zero();  // per unit of mass
        if (type == "box" && size.size() == 3) {
            const Vec3 s(size[0] * size[0], size[1] * size[1], size[2] * size[2]);
            volume = 8.0 * size[0] * size[1] * size[2];
            moments = Vec3(s.y() + s.z(), s.x() + s.z(), s.x() + s.y()) / 3.0;
        } else if (type == "ellipsoid" && size.size() == 3) {
            const Vec3 s(size[0] * size[0], size[1] * size[1], size[2] * size[2]);
            volume = 4.0 / 3.0 * kPi * size[0] * size[1] * size[2];
            moments = Vec3(s.y() + s.z(), s.x() + s.z(), s.x() + s.y()) / 5.0;
        } else if (type == "sphere") {
            volume = 4.0 / 3.0 * kPi * r * r * r;
            moments = Vec3::Constant(0.4 * r * r);
        } else if (type == "cylinder" || type == "capsule") {
            const double tube = 2.0 * half * kPi * r * r;
            const double caps = type == "capsule" ? 4.0 / 3.0 * kPi * r * r * r : 0.0;
            volume = tube + caps;
            const double k = volume > 0.0 ? tube / volume : 0.0;
            const double h = half;
            const double across =
                k * (r * r / 4.0 + h * h / 3.0) + (1.0 - k) * (0.4 * r * r + h * h + 0.75 * h * r);
            moments = Vec3(across, across, k * 0.5 * r * r + (1.0 - k) * 0.4 * r * r);
        } else {
            continue;
        }
        const std::string given = attributes_.get(geom, "mass", cls);
        const std::string density = attributes_.get(geom, "density", cls);
        const double mass =
            !given.empty()
                ? file_.numbers(geom, given, 1)[0]
                : volume * (density.empty() ? 1000.0 : file_.numbers(geom, density, 1)[0]);
        pieces.push_back({mass, T.position,
                          mass * (T.rotation * moments.asDiagonal() * T.rotation.transpose())});
    }
    for (const Piece& p : pieces) {
        body.mass += p.mass;
        body.com += p.mass * p.com;
    }
    if (!(body.mass > 0.0)) {
        body.mass = 0.0;
        body.com = Vec3::Zero();
        return;
    }
    body.com /= body.mass;
    for (const Piece& p : pieces) {
        const Vec3 d = p.com - body.com;
        body.inertia +=
            p.inertia + p.mass * (d.squaredNorm() * Mat3::Identity() - d * d.transpose());
    }
}

}  // namespace sinew::detail
