#include "sinew/base/error.h"
#include "sinew/io/file_bytes.h"
#include "sinew/io/gltf.h"
#include "sinew/io/gltf_document.h"
#include "sinew/io/gltf_looks.h"
#include "sinew/io/strict_json.h"
#include "sinew/io/uv_seams.h"
#include "sinew/mesh/validity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace sinew {

namespace {

using detail::GltfDocument;
using detail::GltfNumbers;
using detail::looks_of;
using nlohmann::json;

constexpr double kSmallestWeightSum = 1e-6;

Points points_from(const GltfNumbers& numbers) {
    return Eigen::Map<const Points>(numbers.values.data(),
                                    static_cast<Eigen::Index>(numbers.count()), 3);
}

class Reader {
public:
    explicit Reader(const GltfDocument& document) : doc_(document) {}

    GltfScene read() {
        read_nodes();
        scene_.looks = looks_of(doc_, scene_.notes);
        for (const auto& node : order_) {
            read_mesh_of(node);
        }
        read_skins();
        read_animations();
        finish_weights();
        return std::move(scene_);
    }

private:
    void read_nodes();
    GltfNode node_from(const json& node, const std::string& place) const;
    void read_mesh_of(std::size_t node);
    void read_primitive(const json& primitive, const json& mesh, std::size_t node,
                        std::size_t number, const std::string& place);
    Triangles triangles_from(const json& primitive, std::size_t mode, std::size_t points,
                             const std::string& place);
    void read_material(const json& primitive, GltfPart& part, const std::string& place) const;
    void read_morphs(const json& primitive, const json& mesh, const json& node, GltfPart& part,
                     const std::string& place) const;
    void read_binding(const json& attributes, const json& node, GltfPart& part,
                      const std::string& place);
    void join_seams(const json& node, GltfPart& part) const;
    void read_skins();
    void read_animations();
    void read_track(const json& animation, const json& channel, GltfAnimation& result,
                    const std::string& place) const;
    void finish_weights();
    GltfNumbers attribute(const json& attributes, const char* name, std::size_t count,
                          const std::string& place) const;
    void count_elements(std::size_t more, const std::string& place);

    const GltfDocument& doc_;
    GltfScene scene_;
    std::vector<std::size_t> order_;      // file's node of scene node i; parents first
    std::vector<Index> scene_node_;       // scene's node of file node i
    std::vector<Eigen::Affine3d> world_;  // of scene nodes
    std::map<std::size_t, std::vector<Index>> parts_of_node_;  // by file node
    std::size_t elements_ = 0;
};

void Reader::count_elements(std::size_t more, const std::string& place) {
    elements_ += more;
    if (elements_ > detail::kMaxGltfElements) {
        doc_.refuse(place, fmt::format("more than {} points and triangles", elements_ - more),
                    fmt::format("at most {}", detail::kMaxGltfElements));
    }
}

GltfNode Reader::node_from(const json& node, const std::string& place) const {
    GltfNode result;
    result.name = doc_.text(node, "name");
    if (const auto m = doc_.vector(node, "matrix", 16, place); !m.empty()) {
        // Column-major; taken apart into shift, turn and stretch (a shear is lost, as the format
        // forbids it).
        const Eigen::Map<const Eigen::Matrix4d> T(m.data());
        Mat3 A = T.topLeftCorner<3, 3>();
        result.translation = T.topRightCorner<3, 1>();
        result.scale = A.colwise().norm().transpose();
        if (A.determinant() < 0) {
            result.scale.x() = -result.scale.x();
        }
        for (int k = 0; k < 3; ++k) {
            A.col(k) = std::abs(result.scale[k]) > 0 ? Vec3(A.col(k) / result.scale[k])
                                                     : Vec3(Vec3::Unit(k));
        }
        result.rotation = Eigen::Quaterniond(A);
        if (!(result.rotation.norm() > 0) || !std::isfinite(result.rotation.norm())) {
            result.rotation.setIdentity();
        }
        result.rotation.normalize();
        return result;
    }
    if (const auto t = doc_.vector(node, "translation", 3, place); !t.empty()) {
        result.translation = Vec3(t[0], t[1], t[2]);
    }
    if (const auto s = doc_.vector(node, "scale", 3, place); !s.empty()) {
        result.scale = Vec3(s[0], s[1], s[2]);
    }
    if (const auto r = doc_.vector(node, "rotation", 4, place); !r.empty()) {
        const Eigen::Quaterniond q(r[3], r[0], r[1], r[2]);
        if (!(q.norm() > 1e-12) || !std::isfinite(q.norm())) {
            doc_.refuse(place, "a rotation without direction", "a unit quaternion");
        }
        result.rotation = q.normalized();
    }
    return result;
}

// The nodes are listed so that parents come first. A node with two parents, or a ring, is refused.
void Reader::read_nodes() {
    const std::size_t count = doc_.list("nodes").size();
    std::vector<std::int64_t> parent(count, -1);
    std::vector<std::vector<std::size_t>> children(count);
    for (std::size_t i = 0; i < count; ++i) {
        const json& node = doc_.item("nodes", i);
        const std::string place = fmt::format("nodes[{}]", i);
        const auto list = node.find("children");
        if (list == node.end()) {
            continue;
        }
        if (!list->is_array()) {
            doc_.refuse(place, "children that are not a list", "a list of nodes");
        }
        for (const json& child : *list) {
            const bool is_index = child.is_number_unsigned() && child.get<std::uint64_t>() < count;
            if (!is_index || parent[child.get<std::size_t>()] >= 0) {
                doc_.refuse(place, fmt::format("child {}", detail::shown(child)),
                            "a node that has no other parent");
            }
            parent[child.get<std::size_t>()] = static_cast<std::int64_t>(i);
            children[i].push_back(child.get<std::size_t>());
        }
    }
    scene_node_.assign(count, -1);
    for (std::size_t i = 0; i < count; ++i) {
        if (parent[i] < 0) {
            order_.push_back(i);
        }
    }
    for (std::size_t i = 0; i < order_.size(); ++i) {
        order_.insert(order_.end(), children[order_[i]].begin(), children[order_[i]].end());
    }
    if (order_.size() != count) {
        doc_.refuse("nodes", "a ring of parents", "a tree");
    }
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t file_node = order_[i];
        scene_node_[file_node] = static_cast<Index>(i);
        GltfNode node =
            node_from(doc_.item("nodes", file_node), fmt::format("nodes[{}]", file_node));
        node.parent = parent[file_node] < 0 ? -1 : scene_node_[at(parent[file_node])];
        scene_.nodes.push_back(std::move(node));
    }
    world_ = world_transforms(scene_);
    for (std::size_t i = 0; i < count; ++i) {
        if (!world_[i].matrix().allFinite()) {
            doc_.refuse(fmt::format("nodes[{}]", order_[i]), "a transform beyond all bounds",
                        "finite numbers");
        }
    }
}

void Reader::read_mesh_of(std::size_t node_index) {
    const json& node = doc_.item("nodes", node_index);
    if (!node.contains("mesh")) {
        return;
    }
    const std::size_t mesh_index =
        doc_.whole(node, "mesh", doc_.list("meshes").size(), fmt::format("nodes[{}]", node_index));
    const json& mesh = doc_.item("meshes", mesh_index);
    const auto primitives = mesh.find("primitives");
    if (primitives == mesh.end() || !primitives->is_array()) {
        doc_.refuse(fmt::format("meshes[{}]", mesh_index), "no primitives", "a list of primitives");
    }
    for (std::size_t k = 0; k < primitives->size(); ++k) {
        const std::string place = fmt::format("meshes[{}].primitives[{}]", mesh_index, k);
        if (!(*primitives)[k].is_object()) {
            doc_.refuse(place, "something else", "an object");
        }
        read_primitive((*primitives)[k], mesh, node_index, k, place);
    }
}

GltfNumbers Reader::attribute(const json& attributes, const char* name, std::size_t count,
                              const std::string& place) const {
    const std::string where = fmt::format("{}, {}", place, name);
    GltfNumbers numbers =
        doc_.numbers(doc_.whole(attributes, name, doc_.list("accessors").size(), where));
    if (numbers.count() != count) {
        doc_.refuse(where, fmt::format("{} entries", numbers.count()),
                    fmt::format("{}, one per point", count));
    }
    return numbers;
}

void Reader::read_primitive(const json& primitive, const json& mesh, std::size_t node_index,
                            std::size_t number, const std::string& place) {
    const json& node = doc_.item("nodes", node_index);
    const std::size_t mode = doc_.whole(primitive, "mode", 4, 7, place);
    if (mode >= 1 && mode <= 3) {
        scene_.notes.push_back(fmt::format("{}: lines were left out", place));
        return;
    }
    const auto attributes = primitive.find("attributes");
    if (attributes == primitive.end() || !attributes->is_object()) {
        doc_.refuse(place, "no attributes", "POSITION at least");
    }
    GltfPart part;
    part.part.name = doc_.text(node, "name");
    if (part.part.name.empty()) {
        part.part.name = doc_.text(mesh, "name");
    }
    if (part.part.name.empty()) {
        part.part.name = fmt::format("part_{}", scene_.parts.size() + 1);
    }
    if (number > 0) {
        part.part.name += fmt::format("_{}", number + 1);
    }
    part.node = scene_node_[node_index];
    if (const auto extras = node.find("extras"); extras != node.end() && extras->is_object()) {
        part.part.kind = doc_.text(*extras, "kind");
        // Parts that the writer set apart from the node that carries them name it.
        const auto carrier = extras->find("carrier");
        if (carrier != extras->end() && carrier->is_number_unsigned() &&
            carrier->get<std::uint64_t>() < scene_node_.size()) {
            part.node = scene_node_[carrier->get<std::size_t>()];
        }
    }

    const GltfNumbers positions =
        doc_.numbers(doc_.whole(*attributes, "POSITION", doc_.list("accessors").size(), place));
    if (positions.components != 3) {
        doc_.refuse(place, "positions that are not VEC3", "VEC3");
    }
    const std::size_t count = positions.count();
    count_elements(count, place);
    TriangleMesh& shape = part.part.mesh;
    shape.points = points_from(positions);
    shape.triangles = triangles_from(primitive, mode, count, place);
    if (attributes->contains("NORMAL")) {
        const GltfNumbers normals = attribute(*attributes, "NORMAL", count, place);
        if (normals.components == 3) {
            part.normals = points_from(normals);
        }
    }
    if (attributes->contains("COLOR_0")) {
        GltfNumbers colours = attribute(*attributes, "COLOR_0", count, place);
        if (colours.components != 3 && colours.components != 4) {
            doc_.refuse(place, "colours of another size", "VEC3 or VEC4");
        }
        for (double& value : colours.values) {
            value = std::clamp(value, 0.0, 1.0);
        }
        shape.point_data.push_back({.name = std::string(kColourAttribute),
                                    .components = static_cast<int>(colours.components),
                                    .values = std::move(colours.values)});
    }
    for (const auto& [key, name] : {std::pair("TEXCOORD_0", "uv"), {"TEXCOORD_1", "uv_1"}}) {
        if (!attributes->contains(key)) {
            continue;
        }
        GltfNumbers uv = attribute(*attributes, key, count, place);
        if (uv.components != 2) {
            doc_.refuse(place, "texture coordinates of another size", "VEC2");
        }
        shape.point_data.push_back({.name = name, .components = 2, .values = std::move(uv.values)});
    }
    read_material(primitive, part, place);
    read_morphs(primitive, mesh, node, part, place);
    read_binding(*attributes, node, part, place);
    join_seams(node, part);

    // Place the part in the world, unless joints will.
    if (part.skin < 0) {
        const Eigen::Affine3d& T = world_[at(scene_node_[node_index])];
        const Mat3 A = T.linear();
        shape.points =
            ((shape.points * A.transpose()).rowwise() + T.translation().transpose()).eval();
        for (GltfMorph& morph : part.morphs) {
            morph.displacement = (morph.displacement * A.transpose()).eval();
        }
        // Normals turn with the cofactor matrix det(A) A^-T; a mirror image turns triangles over.
        Mat3 cofactor;
        cofactor << A.col(1).cross(A.col(2)), A.col(2).cross(A.col(0)), A.col(0).cross(A.col(1));
        part.normals = (part.normals * cofactor.transpose()).eval();
        if (A.determinant() < 0) {
            for (Eigen::Index i = 0; i < shape.triangles.rows(); ++i) {
                std::swap(shape.triangles(i, 1), shape.triangles(i, 2));
            }
            part.normals = -part.normals;
        }
    }
    for (Eigen::Index i = 0; i < part.normals.rows(); ++i) {
        const double length = part.normals.row(i).norm();
        part.normals.row(i) = length > 0 && std::isfinite(length)
                                  ? Eigen::RowVector3d(part.normals.row(i) / length)
                                  : Eigen::RowVector3d(0, 1, 0);
    }
    require_valid(shape, fmt::format("{}, {}", doc_.where(), place));
    parts_of_node_[node_index].push_back(static_cast<Index>(scene_.parts.size()));
    scene_.parts.push_back(std::move(part));
}

Triangles Reader::triangles_from(const json& primitive, std::size_t mode, std::size_t points,
                                 const std::string& place) {
    std::vector<std::uint32_t> corner;
    if (primitive.contains("indices")) {
        corner =
            doc_.indices(doc_.whole(primitive, "indices", doc_.list("accessors").size(), place));
        for (const std::uint32_t c : corner) {
            if (c >= points) {
                doc_.refuse(place, fmt::format("index {} of {} points", c, points),
                            "an index below that count");
            }
        }
    } else if (mode != 0) {
        corner.resize(points);
        for (std::size_t i = 0; i < points; ++i) {
            corner[i] = static_cast<std::uint32_t>(i);
        }
    }
    if (mode == 0 || corner.size() < 3) {
        return Triangles(0, 3);
    }
    if (mode == 4 && corner.size() % 3 != 0) {
        doc_.refuse(place, fmt::format("{} indices", corner.size()), "a multiple of 3");
    }
    const std::size_t count = mode == 4 ? corner.size() / 3 : corner.size() - 2;
    count_elements(count, place);
    Triangles triangles(static_cast<Eigen::Index>(count), 3);
    for (std::size_t i = 0; i < count; ++i) {
        std::size_t a = 3 * i, b = 3 * i + 1, c = 3 * i + 2;
        if (mode == 5) {  // strip: every second triangle runs the other way
            a = i, b = i + 1 + i % 2, c = i + 2 - i % 2;
        } else if (mode == 6) {  // fan: the first corner is the hub
            a = i + 1, b = i + 2, c = 0;
        }
        triangles.row(static_cast<Eigen::Index>(i)) << static_cast<Index>(corner[a]),
            static_cast<Index>(corner[b]), static_cast<Index>(corner[c]);
    }
    return triangles;
}

void Reader::read_material(const json& primitive, GltfPart& part, const std::string& place) const {
    if (!primitive.contains("material")) {
        return;
    }
    const std::size_t number =
        doc_.whole(primitive, "material", doc_.list("materials").size(), place);
    const json& material = doc_.item("materials", number);
    part.material = scene_.looks.json.empty() ? -1 : static_cast<Index>(number);
    const auto sides = material.find("doubleSided");
    part.is_double_sided = sides != material.end() && sides->is_boolean() && sides->get<bool>();
    const auto pbr = material.find("pbrMetallicRoughness");
    if (pbr == material.end() || !pbr->is_object()) {
        part.part.colour = {1, 1, 1, 1};
        return;
    }
    part.metallic = std::clamp(doc_.number(*pbr, "metallicFactor", 1.0, place), 0.0, 1.0);
    part.roughness = std::clamp(doc_.number(*pbr, "roughnessFactor", 1.0, place), 0.0, 1.0);
    auto colour = doc_.vector(*pbr, "baseColorFactor", 4, place);
    if (colour.empty()) {
        colour = {1, 1, 1, 1};
    }
    for (std::size_t k = 0; k < 4; ++k) {
        part.part.colour[k] = static_cast<float>(std::clamp(colour[k], 0.0, 1.0));
    }
}

void Reader::read_morphs(const json& primitive, const json& mesh, const json& node, GltfPart& part,
                         const std::string& place) const {
    const auto targets = primitive.find("targets");
    if (targets == primitive.end()) {
        return;
    }
    if (!targets->is_array()) {
        doc_.refuse(place, "targets that are not a list", "a list");
    }
    const auto count = static_cast<std::size_t>(part.part.mesh.points.rows());
    if (targets->size() * count > detail::kMaxGltfElements) {
        doc_.refuse(place, fmt::format("{} targets of {} points", targets->size(), count),
                    fmt::format("at most {} in all", detail::kMaxGltfElements));
    }
    auto weights = doc_.vector(node, "weights", targets->size(), place);
    if (weights.empty()) {
        weights = doc_.vector(mesh, "weights", targets->size(), place);
    }
    const auto extras = mesh.find("extras");
    for (std::size_t k = 0; k < targets->size(); ++k) {
        const json& target = (*targets)[k];
        GltfMorph morph;
        morph.name = fmt::format("morph_{}", k + 1);
        if (extras != mesh.end() && extras->is_object() && extras->contains("targetNames")) {
            const json& names = (*extras)["targetNames"];
            if (names.is_array() && k < names.size() && names[k].is_string()) {
                morph.name = names[k].get<std::string>().substr(0, 255);
            }
        }
        morph.weight = weights.empty() ? 0.0 : weights[k];
        morph.displacement = Points::Zero(static_cast<Eigen::Index>(count), 3);
        if (target.is_object() && target.contains("POSITION")) {
            const GltfNumbers moves = attribute(target, "POSITION", count, place);
            if (moves.components != 3) {
                doc_.refuse(place, "displacements that are not VEC3", "VEC3");
            }
            morph.displacement = points_from(moves);
        }
        part.morphs.push_back(std::move(morph));
    }
}

// What our writer made two of: points on seams of the texture, named in `extras`. The last points
// are earlier ones again; texture coordinates become those of corners.
void Reader::join_seams(const json& node, GltfPart& part) const {
    const auto extras = node.find("extras");
    if (extras == node.end() || !extras->is_object() || !extras->contains("seams")) {
        return;
    }
    TriangleMesh& mesh = part.part.mesh;
    const json& again = (*extras)["seams"];
    const Attribute* uv = find_attribute(mesh.point_data, kCornerUv);
    const auto count = static_cast<std::size_t>(mesh.points.rows());
    if (uv == nullptr || !again.is_array() || again.size() >= count) {
        return;
    }
    const std::size_t own = count - again.size();
    std::vector<Index> first;
    for (const json& point : again) {
        // Points that another program has moved apart stay two.
        const bool is_known = point.is_number_unsigned() && point.get<std::uint64_t>() < own;
        if (!is_known || mesh.points.row(static_cast<Eigen::Index>(own + first.size())) !=
                             mesh.points.row(point.get<Index>())) {
            return;
        }
        first.push_back(point.get<Index>());
    }
    Attribute corners{.name = std::string(kCornerUv), .components = 6, .values = {}};
    for (Eigen::Index i = 0; i < mesh.triangles.size(); ++i) {
        Index& v = mesh.triangles.data()[i];
        corners.values.push_back(uv->values[2 * at(v)]);
        corners.values.push_back(1.0 - uv->values[2 * at(v) + 1]);
        v = at(v) < own ? v : first[at(v) - own];
    }
    const auto rows = static_cast<Eigen::Index>(own);
    std::erase_if(mesh.point_data, [](const Attribute& a) { return a.name == kCornerUv; });
    for (Attribute& a : mesh.point_data) {
        a.values.resize(own * static_cast<std::size_t>(a.components));
    }
    mesh.triangle_data.push_back(std::move(corners));
    mesh.points.conservativeResize(rows, 3);
    part.normals.conservativeResize(std::min(rows, part.normals.rows()), 3);
    for (GltfMorph& morph : part.morphs) {
        morph.displacement.conservativeResize(rows, 3);
    }
    part.joints.conservativeResize(std::min(rows, part.joints.rows()), 4);
    part.weights.conservativeResize(std::min(rows, part.weights.rows()), 4);
}

void Reader::read_binding(const json& attributes, const json& node, GltfPart& part,
                          const std::string& place) {
    if (!node.contains("skin") || !attributes.contains("JOINTS_0") ||
        !attributes.contains("WEIGHTS_0")) {
        return;
    }
    const auto count = static_cast<std::size_t>(part.part.mesh.points.rows());
    part.skin = static_cast<Index>(doc_.whole(node, "skin", doc_.list("skins").size(), place));
    const GltfNumbers joints = attribute(attributes, "JOINTS_0", count, place);
    const GltfNumbers weights = attribute(attributes, "WEIGHTS_0", count, place);
    if (joints.components != 4 || weights.components != 4) {
        doc_.refuse(place, "joints or weights that are not VEC4", "VEC4");
    }
    const auto rows = static_cast<Eigen::Index>(count);
    part.weights = Eigen::Map<const Weights4>(weights.values.data(), rows, 4);
    part.joints.resize(rows, 4);
    for (Eigen::Index i = 0; i < rows; ++i) {
        for (int k = 0; k < 4; ++k) {
            const double joint = joints.values[at(4 * i + k)];
            part.joints(i, k) = joint >= 0 && joint < 65536 ? static_cast<Index>(joint) : -1;
        }
    }
    if (attributes.contains("JOINTS_1")) {
        scene_.notes.push_back(
            fmt::format("{}: only the first four joints of each point were read", place));
    }
}

void Reader::read_skins() {
    for (std::size_t i = 0; i < doc_.list("skins").size(); ++i) {
        const json& entry = doc_.item("skins", i);
        const std::string place = fmt::format("skins[{}]", i);
        const auto joints = entry.find("joints");
        if (joints == entry.end() || !joints->is_array() || joints->empty()) {
            doc_.refuse(place, "no joints", "a list of nodes");
        }
        GltfSkin skin;
        skin.name = doc_.text(entry, "name");
        for (const json& joint : *joints) {
            if (!joint.is_number_unsigned() || joint.get<std::uint64_t>() >= scene_node_.size()) {
                doc_.refuse(place, fmt::format("joint {}", detail::shown(joint)), "a node");
            }
            skin.joints.push_back(scene_node_[joint.get<std::size_t>()]);
        }
        skin.inverse_bind.assign(skin.joints.size(), Eigen::Matrix4d::Identity());
        if (entry.contains("inverseBindMatrices")) {
            const GltfNumbers numbers =
                attribute(entry, "inverseBindMatrices", skin.joints.size(), place);
            if (numbers.components != 16) {
                doc_.refuse(place, "matrices of another size", "MAT4");
            }
            for (std::size_t k = 0; k < skin.joints.size(); ++k) {
                skin.inverse_bind[k] =
                    Eigen::Map<const Eigen::Matrix4d>(numbers.values.data() + 16 * k);
            }
        }
        scene_.skins.push_back(std::move(skin));
    }
}

// Joints must exist in the skin; weights are scaled to the sum 1.
void Reader::finish_weights() {
    for (GltfPart& part : scene_.parts) {
        if (part.skin < 0) {
            continue;
        }
        const auto joints = static_cast<Index>(scene_.skins[at(part.skin)].joints.size());
        for (Eigen::Index i = 0; i < part.weights.rows(); ++i) {
            double sum = 0.0;
            for (int k = 0; k < 4; ++k) {
                double& w = part.weights(i, k);
                if (!(w > 0)) {
                    w = 0;
                    part.joints(i, k) = 0;
                }
                if (part.joints(i, k) < 0 || part.joints(i, k) >= joints) {
                    doc_.refuse(fmt::format("part '{}', point {}", part.part.name, i),
                                fmt::format("joint {}", part.joints(i, k)),
                                fmt::format("a joint below {}", joints));
                }
                sum += w;
            }
            if (sum < kSmallestWeightSum) {
                part.weights.row(i) << 1, 0, 0, 0;
            } else {
                part.weights.row(i) /= sum;
            }
        }
    }
}

void Reader::read_animations() {
    for (std::size_t i = 0; i < doc_.list("animations").size(); ++i) {
        const json& entry = doc_.item("animations", i);
        const std::string place = fmt::format("animations[{}]", i);
        const auto channels = entry.find("channels");
        if (channels == entry.end() || !channels->is_array()) {
            doc_.refuse(place, "no channels", "a list of channels");
        }
        GltfAnimation animation;
        animation.name = doc_.text(entry, "name");
        for (std::size_t k = 0; k < channels->size(); ++k) {
            const std::string channel_place = fmt::format("{}.channels[{}]", place, k);
            if (!(*channels)[k].is_object()) {
                doc_.refuse(channel_place, "something else", "an object");
            }
            read_track(entry, (*channels)[k], animation, channel_place);
        }
        scene_.animations.push_back(std::move(animation));
    }
}

void Reader::read_track(const json& animation, const json& channel, GltfAnimation& result,
                        const std::string& place) const {
    const auto target = channel.find("target");
    const auto samplers = animation.find("samplers");
    if (target == channel.end() || !target->is_object() || samplers == animation.end() ||
        !samplers->is_array()) {
        doc_.refuse(place, "no target or no samplers", "both");
    }
    if (!target->contains("node")) {
        return;  // allowed, and moves nothing
    }
    const std::size_t node = doc_.whole(*target, "node", scene_node_.size(), place);
    const std::string path = doc_.text(*target, "path");
    const json& sampler = (*samplers)[doc_.whole(channel, "sampler", samplers->size(), place)];
    if (!sampler.is_object()) {
        doc_.refuse(place, "a sampler that is no object", "an object");
    }
    GltfTrack track;
    track.node = scene_node_[node];
    std::size_t width = 3;
    const auto parts = parts_of_node_.find(node);
    if (path == "rotation") {
        track.path = GltfPath::Rotation;
        width = 4;
    } else if (path == "scale") {
        track.path = GltfPath::Scale;
    } else if (path == "weights") {
        if (parts == parts_of_node_.end()) {
            return;
        }
        track.path = GltfPath::MorphWeights;
        track.node = -1;
        track.part = parts->second.front();
        width = scene_.parts[at(track.part)].morphs.size();
    } else if (path != "translation") {
        return;  // of an extension
    }
    const std::string kind = doc_.text(sampler, "interpolation");
    track.interpolation = kind == "STEP"          ? GltfInterpolation::Step
                          : kind == "CUBICSPLINE" ? GltfInterpolation::CubicSpline
                                                  : GltfInterpolation::Linear;
    const std::size_t accessors = doc_.list("accessors").size();
    track.times = doc_.numbers(doc_.whole(sampler, "input", accessors, place)).values;
    track.values = doc_.numbers(doc_.whole(sampler, "output", accessors, place)).values;
    const std::size_t per_key =
        width * (track.interpolation == GltfInterpolation::CubicSpline ? 3 : 1);
    if (track.values.size() != per_key * track.times.size() || track.times.empty()) {
        doc_.refuse(place,
                    fmt::format("{} times and {} values", track.times.size(), track.values.size()),
                    fmt::format("{} values per time", per_key));
    }
    if (track.times.front() < 0 ||
        std::adjacent_find(track.times.begin(), track.times.end(), std::greater_equal<>()) !=
            track.times.end()) {
        doc_.refuse(place, "times that do not ascend from 0", "ascending times");
    }
    result.tracks.push_back(std::move(track));
}

}  // namespace

GltfScene parse_gltf(std::string_view bytes, const std::string& where,
                     const std::filesystem::path& folder) {
    try {
        const GltfDocument document(bytes, where, folder);
        return Reader(document).read();
    } catch (const json::exception& e) {
        throw InputError(
            {.where = where,
             .found = fmt::format("JSON that cannot be understood ({})", json_complaint(e)),
             .needs = "a glTF 2.0 document",
             .remedy = "export the file again as glTF 2.0 (.glb)"});
    }
}

GltfScene read_gltf(const std::filesystem::path& path) {
    const std::string bytes = read_file_bytes(path);
    std::filesystem::path folder = path.parent_path();
    return parse_gltf(bytes, path.string(), folder.empty() ? "." : folder);
}

}  // namespace sinew
