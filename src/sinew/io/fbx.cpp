#include "sinew/io/fbx.h"

#include "sinew/base/error.h"
#include "sinew/io/fbx_points.h"
#include "sinew/io/file_bytes.h"
#include "sinew/io/guarded_child.h"

#include <assimp/Importer.hpp>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace sinew {

namespace {

constexpr char kNoteEnd = '\n';
constexpr double kMostWeight = 1e6;  // of a bone; only shares count

Vec3 vec3(const aiVector3D& v) {
    return {v.x, v.y, v.z};
}

Eigen::Matrix4d matrix(const aiMatrix4x4& m) {
    Eigen::Matrix4d result;
    // clang-format off
    result << m.a1, m.a2, m.a3, m.a4,
              m.b1, m.b2, m.b3, m.b4,
              m.c1, m.c2, m.c3, m.c4,
              m.d1, m.d2, m.d3, m.d4;
    // clang-format on
    return result;
}

/// What the file says of its unit and axes.
struct Conventions {
    double metres = 0.01;          // per unit of the file; FBX's own unit is the centimetre
    Mat3 axes = Mat3::Identity();  // file -> Y up, +Z forward
    std::string note = {};
};

Conventions conventions_of(const aiScene& scene) {
    Conventions c;
    int up = 1, up_sign = 1, front = 2, front_sign = 1, side = 0, side_sign = 1;
    if (scene.mMetaData != nullptr) {
        double unit = 1.0;
        float single = 1.0f;
        if (!scene.mMetaData->Get("UnitScaleFactor", unit) &&
            scene.mMetaData->Get("UnitScaleFactor", single)) {
            unit = single;
        }
        if (unit > 1e-6 && unit < 1e6) {
            c.metres = 0.01 * unit;
        }
        scene.mMetaData->Get("UpAxis", up);
        scene.mMetaData->Get("UpAxisSign", up_sign);
        scene.mMetaData->Get("FrontAxis", front);
        scene.mMetaData->Get("FrontAxisSign", front_sign);
        scene.mMetaData->Get("CoordAxis", side);
        scene.mMetaData->Get("CoordAxisSign", side_sign);
    }
    // Rows: our X, Y, Z in the file's axes. Anything but a rotation is taken as Y up.
    const auto is_axis = [](int axis) { return axis >= 0 && axis < 3; };
    if (is_axis(up) && is_axis(front) && is_axis(side)) {
        Mat3 axes;
        axes << Vec3::Unit(side).transpose() * (side_sign < 0 ? -1 : 1),
            Vec3::Unit(up).transpose() * (up_sign < 0 ? -1 : 1),
            Vec3::Unit(front).transpose() * (front_sign < 0 ? -1 : 1);
        if (std::abs(axes.determinant() - 1.0) < 1e-9) {
            c.axes = axes;
        }
    }
    if (std::abs(c.metres - 1.0) > 1e-12) {
        c.note = fmt::format("{:g} m per unit to metres", c.metres);
    }
    if (!c.axes.isIdentity()) {
        c.note += fmt::format("{}{} up to Y up", c.note.empty() ? "" : ", ", "XYZ"[up]);
    }
    return c;
}

/// Turns assimp's scene into ours. Runs in the guarded process, so it may trust nothing and crash.
class Converter {
public:
    explicit Converter(const aiScene& scene) : scene_(scene), conventions_(conventions_of(scene)) {}

    /// @param geometries  points of the file's meshes, to be restored; may be empty
    GltfScene convert(const std::vector<Points>& geometries) {
        // One node above all turns and scales the file's frame into ours.
        GltfNode top{.name = "fbx"};
        top.rotation = Eigen::Quaterniond(conventions_.axes);
        top.scale = Vec3::Constant(conventions_.metres);
        result_.nodes.push_back(top);
        if (scene_.mRootNode != nullptr) {
            add_node(*scene_.mRootNode, 0);
        }
        world_ = world_transforms(result_);
        for (const auto& [node, index] : order_) {
            for (unsigned k = 0; k < node->mNumMeshes; ++k) {
                add_part(*scene_.mMeshes[node->mMeshes[k]], *node, index, k);
            }
        }
        if (!geometries.empty()) {
            restore_points(result_, split_, geometries);
        }
        for (unsigned i = 0; i < scene_.mNumAnimations; ++i) {
            add_animation(*scene_.mAnimations[i]);
        }
        return std::move(result_);
    }
    const std::string& note() const {
        return conventions_.note;
    }

private:
    void add_node(const aiNode& node, Index parent);
    void add_part(const aiMesh& mesh, const aiNode& node, Index index, unsigned number);
    void add_colours(const aiMesh& mesh, GltfPart& part) const;
    void add_binding(const aiMesh& mesh, GltfPart& part);
    void add_animation(const aiAnimation& animation);

    const aiScene& scene_;
    Conventions conventions_;
    GltfScene result_;
    std::vector<SplitPart> split_;  // of the parts
    std::vector<std::pair<const aiNode*, Index>> order_;
    std::map<std::string, Index> node_of_name_;
    std::vector<Eigen::Affine3d> world_;
};

void Converter::add_node(const aiNode& node, Index parent) {
    aiVector3D scale, shift;
    aiQuaternion turn;
    node.mTransformation.Decompose(scale, turn, shift);
    GltfNode own{.name = node.mName.C_Str(), .parent = parent, .translation = vec3(shift)};
    own.rotation = Eigen::Quaterniond(turn.w, turn.x, turn.y, turn.z);
    if (!(own.rotation.norm() > 1e-9)) {
        own.rotation.setIdentity();
    }
    own.rotation.normalize();
    own.scale = vec3(scale);
    const auto index = static_cast<Index>(result_.nodes.size());
    result_.nodes.push_back(own);
    order_.emplace_back(&node, index);
    node_of_name_.emplace(node.mName.C_Str(), index);
    for (unsigned i = 0; i < node.mNumChildren; ++i) {
        add_node(*node.mChildren[i], index);
    }
}

void Converter::add_part(const aiMesh& mesh, const aiNode& node, Index index, unsigned number) {
    if (mesh.mNumVertices == 0) {
        return;
    }
    GltfPart part;
    part.node = index;
    part.part.name = node.mName.length > 0 ? node.mName.C_Str() : mesh.mName.C_Str();
    if (number > 0) {
        part.part.name += fmt::format("_{}", number + 1);
    }
    TriangleMesh& shape = part.part.mesh;
    shape.points.resize(mesh.mNumVertices, 3);
    for (unsigned i = 0; i < mesh.mNumVertices; ++i) {
        shape.points.row(i) = vec3(mesh.mVertices[i]).transpose();
    }
    std::vector<Index> corners;
    for (unsigned i = 0; i < mesh.mNumFaces; ++i) {
        const aiFace& face = mesh.mFaces[i];
        if (face.mNumIndices == 3) {
            for (unsigned k = 0; k < 3; ++k) {
                corners.push_back(static_cast<Index>(face.mIndices[k]));
            }
        }
    }
    shape.triangles = Eigen::Map<const Triangles>(corners.data(),
                                                  static_cast<Eigen::Index>(corners.size() / 3), 3);
    for (unsigned m = 0; m < mesh.mNumAnimMeshes; ++m) {
        const aiAnimMesh& target = *mesh.mAnimMeshes[m];
        if (target.mVertices == nullptr || target.mNumVertices != mesh.mNumVertices) {
            continue;
        }
        GltfMorph morph{.name = target.mName.C_Str()};
        morph.displacement.resize(mesh.mNumVertices, 3);
        for (unsigned i = 0; i < mesh.mNumVertices; ++i) {
            morph.displacement.row(i) = vec3(target.mVertices[i] - mesh.mVertices[i]).transpose();
        }
        part.morphs.push_back(std::move(morph));
    }
    add_colours(mesh, part);
    add_binding(mesh, part);
    SplitPart split{.points = shape.points};
    if (part.skin < 0) {
        const Eigen::Affine3d& T = world_[at(index)];
        split.T_scene_file = T;
        const Mat3 A = T.linear();
        shape.points =
            ((shape.points * A.transpose()).rowwise() + T.translation().transpose()).eval();
        for (GltfMorph& morph : part.morphs) {
            morph.displacement = (morph.displacement * A.transpose()).eval();
        }
        if (A.determinant() < 0) {
            shape.triangles.col(1).swap(shape.triangles.col(2));
        }
    }
    result_.parts.push_back(std::move(part));
    split_.push_back(std::move(split));
}

void Converter::add_colours(const aiMesh& mesh, GltfPart& part) const {
    aiColor4D colour;
    if (mesh.mMaterialIndex < scene_.mNumMaterials &&
        scene_.mMaterials[mesh.mMaterialIndex]->Get(AI_MATKEY_COLOR_DIFFUSE, colour) ==
            AI_SUCCESS) {
        const auto unit = [](float x) { return std::isfinite(x) ? std::clamp(x, 0.f, 1.f) : 1.f; };
        part.part.colour = {unit(colour.r), unit(colour.g), unit(colour.b), 1.0f};
    }
    if (mesh.HasVertexColors(0)) {
        Attribute values{.name = std::string(kColourAttribute), .components = 4, .values = {}};
        for (unsigned i = 0; i < mesh.mNumVertices; ++i) {
            const aiColor4D& c = mesh.mColors[0][i];
            values.values.insert(values.values.end(), {c.r, c.g, c.b, c.a});
        }
        part.part.mesh.point_data.push_back(std::move(values));
    }
}

void Converter::add_binding(const aiMesh& mesh, GltfPart& part) {
    GltfSkin skin{.name = part.part.name};
    const auto points = static_cast<Eigen::Index>(mesh.mNumVertices);
    Joints4 joints = Joints4::Zero(points, 4);
    Weights4 weights = Weights4::Zero(points, 4);
    for (unsigned b = 0; b < mesh.mNumBones; ++b) {
        const aiBone& bone = *mesh.mBones[b];
        const auto node = node_of_name_.find(bone.mName.C_Str());
        if (node == node_of_name_.end()) {
            continue;
        }
        const auto joint = static_cast<Index>(skin.joints.size());
        skin.joints.push_back(node->second);
        skin.inverse_bind.push_back(matrix(bone.mOffsetMatrix));
        for (unsigned w = 0; w < bone.mNumWeights; ++w) {
            const auto i = static_cast<Eigen::Index>(bone.mWeights[w].mVertexId);
            const double weight = std::clamp(double{bone.mWeights[w].mWeight}, 0.0, kMostWeight);
            // The four greatest count: replace the smallest.
            Eigen::Index least = 0;
            if (i < points && std::isfinite(weight) && weights.row(i).minCoeff(&least) < weight) {
                weights(i, least) = weight;
                joints(i, least) = joint;
            }
        }
    }
    if (skin.joints.empty()) {
        return;
    }
    for (Eigen::Index i = 0; i < points; ++i) {
        const double sum = weights.row(i).sum();
        if (sum > 1e-9) {
            weights.row(i) /= sum;
        } else {
            weights.row(i) << 1, 0, 0, 0;
        }
    }
    part.skin = static_cast<Index>(result_.skins.size());
    part.joints = std::move(joints);
    part.weights = std::move(weights);
    result_.skins.push_back(std::move(skin));
}

void Converter::add_animation(const aiAnimation& animation) {
    const double rate = animation.mTicksPerSecond > 0 ? animation.mTicksPerSecond : 25.0;
    GltfAnimation own{.name = animation.mName.C_Str()};
    const auto add_track = [&](GltfPath path, Index node, const auto* keys, unsigned count,
                               auto&& append) {
        GltfTrack track{.path = path, .node = node};
        for (unsigned k = 0; k < count; ++k) {
            const double time = keys[k].mTime / rate;
            if (time >= 0 && (track.times.empty() || time > track.times.back() + 1e-6)) {
                track.times.push_back(time);
                append(track.values, keys[k].mValue);
            }
        }
        if (!track.times.empty()) {
            own.tracks.push_back(std::move(track));
        }
    };
    const auto append_vector = [](std::vector<double>& out, const aiVector3D& v) {
        out.insert(out.end(), {v.x, v.y, v.z});
    };
    for (unsigned c = 0; c < animation.mNumChannels; ++c) {
        const aiNodeAnim& channel = *animation.mChannels[c];
        const auto node = node_of_name_.find(channel.mNodeName.C_Str());
        if (node == node_of_name_.end()) {
            continue;
        }
        add_track(GltfPath::Translation, node->second, channel.mPositionKeys,
                  channel.mNumPositionKeys, append_vector);
        add_track(GltfPath::Rotation, node->second, channel.mRotationKeys, channel.mNumRotationKeys,
                  [](std::vector<double>& out, const aiQuaternion& q) {
                      out.insert(out.end(), {q.x, q.y, q.z, q.w});
                  });
        add_track(GltfPath::Scale, node->second, channel.mScalingKeys, channel.mNumScalingKeys,
                  append_vector);
    }
    // Takes are cut out of longer times; they begin with their first key.
    double start = std::numeric_limits<double>::infinity();
    for (const GltfTrack& track : own.tracks) {
        start = std::min(start, track.times.front());
    }
    for (GltfTrack& track : own.tracks) {
        for (double& time : track.times) {
            time -= start;
        }
    }
    if (!own.tracks.empty()) {
        result_.animations.push_back(std::move(own));
    }
}

/// The scene as a note and a .glb file, which the waiting process reads with all its checks.
std::string convert_with_assimp(const std::string& bytes, const std::string& where,
                                FbxPoints points) {
    Assimp::Importer importer;
    importer.SetPropertyBool(AI_CONFIG_IMPORT_FBX_PRESERVE_PIVOTS, false);
    const aiScene* scene = importer.ReadFileFromMemory(
        bytes.data(), bytes.size(), aiProcess_Triangulate | aiProcess_JoinIdenticalVertices, "fbx");
    if (scene == nullptr) {
        throw InputError(
            {.where = where,
             .found = fmt::format("content that is no readable FBX ({})",
                                  std::string(importer.GetErrorString()).substr(0, 200)),
             .needs = "an FBX file of version 7.1 or later",
             .remedy = "export it again, or as glTF (.glb)"});
    }
    Converter converter(*scene);
    const GltfScene converted = converter.convert(
        points == FbxPoints::OfFile ? fbx_geometry_points(bytes) : std::vector<Points>());
    try {
        return converter.note() + kNoteEnd + glb_bytes(converted);
    } catch (const InputError& error) {
        ErrorParts parts = error.within(where).parts();
        parts.remedy = "export it again, or as glTF (.glb)";
        throw InputError(std::move(parts));
    }
}

}  // namespace

GltfScene read_fbx(const std::filesystem::path& path, FbxPoints points) {
    const std::string where = path.string();
    const std::string bytes = read_file_bytes(path);
    const std::string answer =
        run_in_guarded_child([&] { return convert_with_assimp(bytes, where, points); }, where);
    const std::size_t end = answer.find(kNoteEnd);
    if (end == std::string::npos) {
        throw InputError({.where = where,
                          .found = "an answer without content",
                          .needs = "a readable FBX file",
                          .remedy = "export it again, or as glTF (.glb)"});
    }
    GltfScene scene = parse_gltf(std::string_view(answer).substr(end + 1), where);
    if (end > 0) {
        scene.notes.push_back(answer.substr(0, end));
    }
    return scene;
}

}  // namespace sinew
