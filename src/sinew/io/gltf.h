#pragma once

#include "sinew/body/body.h"
#include "sinew/body/motion_clip.h"
#include "sinew/io/frame_writer.h"
#include "sinew/mesh/triangle_mesh.h"

#include <Eigen/Geometry>

#include <array>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sinew {

// glTF 2.0 [Khronos2021], as .glb (one binary file) or .gltf (JSON with its data inside or beside
// it). The format is in metres, Y up, facing +Z, as Sinew is: nothing is converted.

/// A node of the scene's tree: a joint of a skeleton, or a group. T = T(t) R(r) S(s).
struct GltfNode {
    std::string name;
    Index parent = -1;                ///< an earlier node, or -1
    Vec3 translation = Vec3::Zero();  ///< m
    Eigen::Quaterniond rotation = Eigen::Quaterniond::Identity();
    Vec3 scale = Vec3::Ones();
};

/// Displacements of all points of a part, m, times a weight.
struct GltfMorph {
    std::string name;
    Points displacement = Points(0, 3);
    double weight = 0.0;  ///< at rest
};

/// Which nodes move a part, and what takes its points into each node's frame at binding.
struct GltfSkin {
    std::string name;
    std::vector<Index> joints = {};                  ///< nodes
    std::vector<Eigen::Matrix4d> inverse_bind = {};  ///< T_joint_model, one per joint
};

/// Four joints (of the part's skin) per point.
using Joints4 = Eigen::Matrix<Index, Eigen::Dynamic, 4, Eigen::RowMajor>;

/// A drawable piece. Points stand where a viewer shows them at rest, except that those of a part
/// with a skin are in the frame of its inverse bind matrices (see posed_points).
struct GltfPart {
    MeshPart part = {};
    Points normals = Points(0, 3);  ///< unit, one per point, or none (the writer computes them)
    double metallic = 0.0;          ///< [0, 1]
    double roughness = 0.7;         ///< [0, 1]
    bool is_double_sided = false;
    Index material = -1;  ///< of the scene's looks, in place of colour and the above; -1: none
    std::vector<GltfMorph> morphs = {};
    Index node = -1;  ///< of the file, that carries it; -1: none
    Index skin = -1;
    Joints4 joints = Joints4(0, 4);     ///< with a skin: one row per point
    Weights4 weights = Weights4(0, 4);  ///< with a skin: rows sum to 1
};

enum class GltfPath { Translation, Rotation, Scale, MorphWeights };
enum class GltfInterpolation { Step, Linear, CubicSpline };

/// One animated property. Values: 3 per key (translation, scale), 4 (rotation, x y z w) or one per
/// morph; three times as many for a cubic spline (tangent in, value, tangent out).
struct GltfTrack {
    GltfPath path = GltfPath::Translation;
    Index node = -1;  ///< of translations, rotations and scales
    Index part = -1;  ///< of morph weights
    GltfInterpolation interpolation = GltfInterpolation::Linear;
    std::vector<double> times = {};  ///< s, ascending, >= 0
    std::vector<double> values = {};
};

struct GltfAnimation {
    std::string name;
    std::vector<GltfTrack> tracks = {};
};

/// Materials of a file with textures and images, as the file has them.
struct GltfLooks {
    std::string json = {};  ///< an object: materials, textures, samplers, images; empty: none
    std::vector<std::string> images = {};  ///< what each of them holds, PNG or JPEG
};

struct GltfScene {
    std::vector<GltfNode> nodes = {};
    std::vector<GltfPart> parts = {};
    std::vector<GltfSkin> skins = {};
    std::vector<GltfAnimation> animations = {};
    GltfLooks looks = {};
    std::vector<std::string> notes = {};  ///< what the reader left out, for a person
};

/// Reads .glb or .gltf (told apart by content). Triangles, strips, fans and points; named parts,
/// base colours, vertex colours ("colour"), texture coordinates ("uv", "uv_1"), materials with
/// their images, normals, morphs, skins and animations. Cameras and lights are left out; lines and
/// images that cannot be read too, with a note. Buffers and images may be inside, base64, or files
/// in the same folder or below it.
/// @throws InputError
GltfScene read_gltf(const std::filesystem::path& path);
/// The same from memory. Buffers in other files are looked for below `folder`; refused if empty.
GltfScene parse_gltf(std::string_view bytes, const std::string& where,
                     const std::filesystem::path& folder = {});

/// The parts as they look at rest: skins applied. What mesh tools want.
/// @throws InputError  naming `where` and the part whose joints or morphs throw it out of bounds
std::vector<MeshPart> rest_parts(const GltfScene& scene, std::string_view where);

/// Points of a part under the nodes' transforms: sum_j w_j T_world_j B_j p (linear blend skinning).
/// Without a skin: the points themselves. Morphs at their rest weights.
Points posed_points(const GltfScene& scene, const GltfPart& part);
/// The same under transforms of the nodes other than the scene's own; a part without a skin moves
/// with the node that carries it.
Points posed_points(const GltfScene& scene, const GltfPart& part,
                    const std::vector<Eigen::Affine3d>& world);
/// T_world_node of every node.
std::vector<Eigen::Affine3d> world_transforms(const GltfScene& scene);

/// Writes a .glb file: each part is a node of its own with its name, and its kind in `extras`.
/// Materials are named after kinds; parts of one kind are in a group (`part_groups`).
/// Coordinates are stored in single precision. @throws InputError for parts that break a promise
/// above or a file that cannot be written
void write_glb(const std::filesystem::path& path, const GltfScene& scene);
void write_glb(const std::filesystem::path& path, std::span<const MeshPart> parts);
/// The file's content, for streams and tests.
std::string glb_bytes(const GltfScene& scene);

/// Makes a part play a sequence of shapes: each frame becomes a morph, a track fades from one to
/// the next. Parts of a scene play together, in one animation.
/// @param times  s, ascending; one per frame; frames have as many points as the part
void add_vertex_animation(GltfScene& scene, Index part, std::span<const double> times,
                          std::vector<Points> frames);

/// Writes a .glb file of parts that play shapes, frame by frame, each a node of its own; of one
/// part, the file of the above, byte for byte. Until it is whole, it takes twice its size on the
/// disk.
class GlbFrameWriter final : public FrameWriter {
public:
    /// @throws InputError  also when the file would be larger than the format allows
    GlbFrameWriter(const std::filesystem::path& path, std::span<const MeshPart> parts,
                   std::vector<double> times);
    /// Parts with materials; joints, skins and animations of the scene are left out.
    GlbFrameWriter(const std::filesystem::path& path, GltfScene scene, std::vector<double> times);
    GlbFrameWriter(const std::filesystem::path& path, const MeshPart& part,
                   std::vector<double> times)
        : GlbFrameWriter(path, std::span(&part, 1), std::move(times)) {}
    ~GlbFrameWriter() override;
    void add(const Points& frame) override;
    void commit() override;

private:
    struct Data;
    std::unique_ptr<Data> data_;
};

/// Adds the joints of a motion as nodes, and its frames as an animation. Returns the first node.
Index add_motion(GltfScene& scene, const MotionClip& clip);

/// Parts of a scene without anything that moves; muscles coloured by belly and tendon.
GltfScene scene_of(std::span<const MeshPart> parts);

}  // namespace sinew
