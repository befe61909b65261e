#include "sinew/geometry/measure.h"
#include "sinew/geometry/surface_tree.h"
#include "sinew/io/mesh_files.h"

#include <Eigen/Geometry>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>

#include "bench/figure_atlas.h"

namespace sinew::bench {

namespace {

namespace fs = std::filesystem;

/// Bones of the atlas by name, read when first asked for.
class BoneShapes {
public:
    explicit BoneShapes(fs::path folder) : folder_(std::move(folder)) {}

    const TriangleMesh* find(const std::string& name) {
        const auto known = meshes_.find(name);
        if (known != meshes_.end()) {
            return &known->second;
        }
        // Of what the figure merges, the part that carries the joint.
        const std::string file = (name == "skull"     ? "occipital"
                                  : name == "sternum" ? "sternum_manubrium"
                                                      : name) +
                                 ".ply";
        for (const char* kind : {"bones", "cartilage"}) {
            if (fs::exists(folder_ / kind / file)) {
                return &(meshes_[name] = read_surface(folder_ / kind / file).front().mesh);
            }
        }
        return nullptr;
    }
    const TriangleMesh& at(const std::string& name) {
        return *find(name);
    }

private:
    fs::path folder_;
    std::map<std::string, TriangleMesh> meshes_;
};

/// Points evenly on a surface: each triangle is divided by its share of the area.
std::vector<Vec3> even_points(const TriangleMesh& mesh) {
    constexpr double kPoints = 20000.0;
    const Eigen::VectorXd areas = triangle_areas(mesh);
    const double total = areas.sum();
    std::vector<Vec3> points;
    for (Eigen::Index t = 0; t < mesh.triangles.rows(); ++t) {
        const Vec3 a = point(mesh.points, mesh.triangles(t, 0));
        const Vec3 ab = point(mesh.points, mesh.triangles(t, 1)) - a;
        const Vec3 ac = point(mesh.points, mesh.triangles(t, 2)) - a;
        const int n = std::max(1, static_cast<int>(std::sqrt(areas[t] / total * kPoints)));
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n - i; ++j) {
                points.push_back(a + (i + 1.0 / 3.0) / n * ab + (j + 1.0 / 3.0) / n * ac);
            }
        }
    }
    return points;
}

struct Sphere {
    Vec3 centre = Vec3::Zero();
    double radius = 0.0;
};

/// Least squares of |p|^2 = 2 p . c + (r^2 - |c|^2).
Sphere fit_sphere(const std::vector<Vec3>& points) {
    Vec3 middle = Vec3::Zero();
    for (const Vec3& p : points) {
        middle += p / static_cast<double>(points.size());
    }
    Eigen::Matrix4d A = Eigen::Matrix4d::Zero();
    Eigen::Vector4d b = Eigen::Vector4d::Zero();
    for (const Vec3& p : points) {
        const Vec3 x = p - middle;
        const Eigen::Vector4d row(2.0 * x.x(), 2.0 * x.y(), 2.0 * x.z(), 1.0);
        A += row * row.transpose();
        b += x.squaredNorm() * row;
    }
    const Eigen::Vector4d solution = A.inverse() * b;
    const Vec3 c = solution.head<3>();
    return {middle + c, std::sqrt(std::max(solution[3] + c.squaredNorm(), 0.0))};
}

/// The round end of a bone around a place on it: what does not lie on the sphere is left out.
Vec3 head_centre(const TriangleMesh& bone, const Vec3& near, double reach) {
    std::vector<Vec3> within;
    for (const Vec3& p : even_points(bone)) {
        if ((p - near).norm() < reach) {
            within.push_back(p);
        }
    }
    Sphere sphere = fit_sphere(within);
    constexpr int kRounds = 10;
    constexpr double kOff = 0.08;  // of the radius
    for (int round = 0; round < kRounds; ++round) {
        std::vector<Vec3> on;
        for (const Vec3& p : within) {
            if (std::abs((p - sphere.centre).norm() - sphere.radius) < kOff * sphere.radius) {
                on.push_back(p);
            }
        }
        if (on.size() < 50) {
            break;
        }
        sphere = fit_sphere(on);
    }
    return sphere.centre;
}

/// The vertex furthest along a direction, among those that are wanted.
Vec3 furthest(const TriangleMesh& mesh, const Vec3& direction,
              const std::function<bool(const Vec3&)>& is_wanted = {}) {
    double most = -1e9;
    Vec3 found = Vec3::Zero();
    for (Eigen::Index i = 0; i < mesh.points.rows(); ++i) {
        const Vec3 p = point(mesh.points, i);
        if (p.dot(direction) > most && (!is_wanted || is_wanted(p))) {
            most = p.dot(direction);
            found = p;
        }
    }
    return found;
}

Vec3 middle_within(const TriangleMesh& mesh, const std::function<bool(const Vec3&)>& is_wanted) {
    Vec3 sum = Vec3::Zero();
    double count = 0.0;
    for (const Vec3& p : even_points(mesh)) {
        if (is_wanted(p)) {
            sum += p;
            count += 1.0;
        }
    }
    return sum / count;
}

Vec3 volume_centroid(const TriangleMesh& mesh) {
    Vec3 sum = Vec3::Zero();
    double volume = 0.0;
    for (Eigen::Index t = 0; t < mesh.triangles.rows(); ++t) {
        const Vec3 a = point(mesh.points, mesh.triangles(t, 0));
        const Vec3 b = point(mesh.points, mesh.triangles(t, 1));
        const Vec3 c = point(mesh.points, mesh.triangles(t, 2));
        const double v = a.dot(b.cross(c)) / 6.0;
        volume += v;
        sum += v / 4.0 * (a + b + c);
    }
    return sum / volume;
}

/// Middle of the places of one bone that are about as near to the other as any.
Vec3 near_places(const TriangleMesh& bone, const TriangleMesh& other, double slack) {
    const SurfaceTree tree(other);
    const std::vector<Vec3> points = even_points(bone);
    std::vector<double> distance;
    for (const Vec3& p : points) {
        distance.push_back(tree.closest_point(p).distance);
    }
    const double least = *std::min_element(distance.begin(), distance.end());
    Vec3 sum = Vec3::Zero();
    double count = 0.0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (distance[i] < least + slack) {
            sum += points[i];
            count += 1.0;
        }
    }
    return sum / count;
}

Vec3 contact_middle(const TriangleMesh& a, const TriangleMesh& b, double slack = 0.0015) {
    return 0.5 * (near_places(a, b, slack) + near_places(b, a, slack));
}

struct Estimate {
    Vec3 centre = Vec3::Zero();
    std::string method;
};

const Vec3 kUp = Vec3::UnitY(), kLeft = Vec3::UnitX(), kFront = Vec3::UnitZ();

Vec3 knee_centre(const TriangleMesh& femur) {
    const double low = femur.points.col(1).minCoeff();
    const auto is_distal = [&](const Vec3& p) { return p.y() < low + 0.05; };
    const double middle =
        0.5 * (furthest(femur, kLeft, is_distal) + furthest(femur, Vec3(-kLeft), is_distal)).x();
    const auto condyle = [&](double side) {
        const auto is_there = [&](const Vec3& p) {
            return p.y() < low + 0.045 && side * (p.x() - middle) > 0.005;
        };
        return head_centre(femur, furthest(femur, Vec3(-kFront), is_there), 0.02);
    };
    return 0.5 * (condyle(1.0) + condyle(-1.0));
}

/// The axis runs through the middle of the capitulum, parallel to the line of the epicondyles; the
/// centre is the place of it nearest to the middle of these.
Vec3 elbow_centre(const TriangleMesh& humerus) {
    const double low = humerus.points.col(1).minCoeff();
    const auto is_distal = [&](const Vec3& p) { return p.y() < low + 0.04; };
    const Vec3 lateral = furthest(humerus, kLeft, is_distal);
    const Vec3 medial = furthest(humerus, Vec3(-kLeft), is_distal);
    const Vec3 middle = 0.5 * (lateral + medial);
    const auto is_capitulum = [&](const Vec3& p) {
        return p.y() < low + 0.03 && p.x() > middle.x() + 0.004;
    };
    const Vec3 capitulum = head_centre(humerus, furthest(humerus, kFront, is_capitulum), 0.01);
    const Vec3 axis = (lateral - medial).normalized();
    return capitulum + axis.dot(middle - capitulum) * axis;
}

Vec3 end_face(const TriangleMesh& bone, const Vec3& direction) {
    const double end = furthest(bone, direction).dot(direction);
    return middle_within(bone, [&](const Vec3& p) { return p.dot(direction) > end - 0.002; });
}

Vec3 mandible_axis(const TriangleMesh& mandible) {
    const auto is_condyle = [](const Vec3& p) { return p.x() > 0.03 && p.z() < 0.03; };
    Vec3 centre = head_centre(mandible, furthest(mandible, kUp, is_condyle), 0.007);
    centre.x() = 0.0;
    return centre;
}

/// Large joints, each with a definition of its own.
std::optional<Estimate> estimate_large(const std::string& name, BoneShapes& bones) {
    const auto top = [](const TriangleMesh& m) { return m.points.col(1).maxCoeff(); };
    const auto proximal_head = [&](const TriangleMesh& bone, double length, double reach) {
        const double high = top(bone);
        return head_centre(
            bone,
            furthest(bone, Vec3(-kLeft), [&](const Vec3& p) { return p.y() > high - length; }),
            reach);
    };
    if (name == "hip_l") {
        return Estimate{proximal_head(bones.at("femur_l"), 0.08, 0.030), "femoral head"};
    }
    if (name == "shoulder_l") {
        return Estimate{proximal_head(bones.at("humerus_l"), 0.06, 0.028), "humeral head"};
    }
    if (name == "knee_l" || name == "patellofemoral_l") {
        return Estimate{knee_centre(bones.at("femur_l")), "posterior condyles"};
    }
    if (name == "elbow_l") {
        return Estimate{elbow_centre(bones.at("humerus_l")), "capitulum, epicondyles"};
    }
    if (name == "ankle_l") {
        return Estimate{0.5 * (furthest(bones.at("tibia_l"), Vec3(-kUp)) +
                               furthest(bones.at("fibula_l"), Vec3(-kUp))),
                        "tips of the malleoli"};
    }
    if (name == "forearm_l") {
        const TriangleMesh& radius = bones.at("radius_l");
        const Vec3 tip = furthest(radius, kUp);
        return Estimate{
            middle_within(radius, [&](const Vec3& p) { return (p - tip).norm() < 0.014; }),
            "radial head"};
    }
    if (name == "wrist_l") {
        const TriangleMesh& capitate = bones.at("capitate_l");
        return Estimate{head_centre(capitate, furthest(capitate, kUp), 0.008), "capitate head"};
    }
    if (name == "talonavicular_l") {
        const TriangleMesh& talus = bones.at("talus_l");
        return Estimate{head_centre(talus, furthest(talus, kFront), 0.014), "talar head"};
    }
    if (name == "sternoclavicular_l" || name == "acromioclavicular_l") {
        const double side = name == "acromioclavicular_l" ? 1.0 : -1.0;
        return Estimate{end_face(bones.at("clavicle_l"), side * kLeft), "end of the clavicle"};
    }
    if (name == "temporomandibular") {
        return Estimate{mandible_axis(bones.at("mandible")), "mandibular condyles"};
    }
    if (name == "neck_atlanto_axial") {
        const TriangleMesh& axis = bones.at("vertebra_c2");
        const Vec3 tip = furthest(axis, kUp);
        return Estimate{
            middle_within(axis, [&](const Vec3& p) { return (p - tip).norm() < 0.012; }), "dens"};
    }
    return std::nullopt;
}

std::optional<Estimate> estimate_centre(const FigureJoint& joint, BoneShapes& bones) {
    const TriangleMesh* parent = bones.find(joint.parent);
    const TriangleMesh* child = bones.find(joint.child);
    if (parent == nullptr || child == nullptr) {
        return std::nullopt;
    }
    if (std::optional<Estimate> found = estimate_large(joint.name, bones)) {
        return found;
    }
    const std::string vertebra = "vertebra_";
    if (joint.child.starts_with(vertebra)) {
        const std::string below =
            joint.parent == "sacrum" ? "s1" : joint.parent.substr(vertebra.size());
        if (const TriangleMesh* disc =
                bones.find("disc_" + joint.child.substr(vertebra.size()) + "_" + below)) {
            return Estimate{volume_centroid(*disc), "disc"};
        }
    }
    if (joint.child.starts_with("rib_")) {
        const Vec3 tip = furthest(*child, Vec3(-kLeft), [](const Vec3& p) { return p.z() < 0.0; });
        return Estimate{
            middle_within(*child, [&](const Vec3& p) { return (p - tip).norm() < 0.008; }),
            "rib head"};
    }
    // Knuckles turn about the head of the bone before them.
    if (joint.child.find("phalanx") != std::string::npos) {
        return Estimate{head_centre(*parent, near_places(*parent, *child, 0.0015), 0.006), "head"};
    }
    constexpr double kCondyles = 0.003;  // of the occiput: both, not the nearer one
    return Estimate{
        contact_middle(*parent, *child, joint.parent == "vertebra_c1" ? kCondyles : 0.0015),
        "contact"};
}

}  // namespace

std::vector<JointAgainstAtlas> compare_joints(const FigureTable& table, const fs::path& atlas) {
    BoneShapes bones(atlas);
    std::vector<JointAgainstAtlas> joints;
    for (const FigureJoint& joint : table.joints) {
        if (joint.type == JointType::Fixed) {
            continue;
        }
        std::optional<Estimate> found = estimate_centre(joint, bones);
        if (!found) {
            continue;
        }
        if (!joint.mirror) {
            found->centre.x() = joint.centre.x();  // the figure's midline is straight
        }
        Vec3 off = found->centre - joint.centre;
        if (joint.type == JointType::Hinge) {
            off -= off.dot(joint.axes[0]) * joint.axes[0];
        }
        joints.push_back({.name = joint.name,
                          .method = found->method,
                          .centre = found->centre,
                          .distance = off.norm()});
    }
    return joints;
}

}  // namespace sinew::bench
