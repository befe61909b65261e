#pragma once

#include "sinew/base/progress.h"
#include "sinew/body/character_skeleton.h"
#include "sinew/io/character_scene.h"
#include "sinew/io/read_options.h"
#include "sinew/mesh/triangle_mesh.h"
#include "sinew/pipeline/skin_run.h"
#include "sinew/skinning/projective_skinning.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sinew {

/// A skin with a skeleton, ready to be moved. Points of the file that coincide (seams of textures)
/// move as one. Meshes that a rigged file hangs on joints are no flesh: they move with their joint.
struct Character {
    std::string name;
    TriangleMesh mesh = {};               ///< as in the file, its parts joined
    TriangleMesh skin = {};               ///< of the flesh, with coinciding points joined
    std::vector<Index> skin_vertex = {};  ///< of each point of the mesh; -1: rigid
    CharacterSkeleton skeleton = {};
    PointBinding binding = {};       ///< of a rigged file, by points of the mesh; else empty
    GltfScene looks = {};            ///< its parts with their materials; none: one plain part
    std::string mesh_file = {};      ///< for messages; empty: none
    std::string skeleton_file = {};  ///< for messages; empty: none
};

/// @param skeleton  empty: the joints of the mesh's own file (.glb, .gltf, .fbx)
/// @param options           of the mesh
/// @param skeleton_options  none: those of the mesh
/// @throws InputError  also when skeleton and mesh lie apart and another unit or axis would bring
///                     them together, which is named
Character read_character(const std::filesystem::path& mesh, const std::filesystem::path& skeleton,
                         const ReadOptions& options = {},
                         const std::optional<ReadOptions>& skeleton_options = std::nullopt);

/// A simulation of a character with this skin: its own, closed, or a coarser one. Vertices of a
/// rigged file hang on bones of the joints that hold them there.
/// @throws InputError  that names the character's files
ProjectiveSkinning skinning_of(const Character& character, const TriangleMesh& skin,
                               const ProjectiveSkinningOptions& options);

enum class SkinMethod { Projective, Linear, DualQuaternions };

struct SkinRunOptions {
    /// The others are there to compare with; they use the weights of a rigged file.
    SkinMethod method = SkinMethod::Projective;
    ProjectiveSkinningOptions skinning = {};
    int simulate_vertices =
        0;               ///< simulate a coarser skin of about so many, >= 0; 0: the skin itself
    int frames = 0;      ///< >= 0; 0: as many as the motion has at `rate`
    double rate = 30.0;  ///< frames per second, > 0
    int settle = 30;     ///< frames in the first pose before the motion starts, >= 0
    std::filesystem::path cache = {};  ///< folder where upsampling weights are kept; empty: none
};

/// Takes the frames as they are made, in place of `SkinRun::frames`.
using SkinFrameSink = std::function<void(Points frame)>;

/// Times of the frames that a run will have, s from the start of the motion.
std::vector<double> skin_frame_times(const CharacterMotion& motion, const SkinRunOptions& options);

/// Moves a character.
/// @throws InputError; Cancelled
SkinRun run_skinning(const Character& character, const CharacterMotion& motion,
                     const SkinRunOptions& options = {}, const Progress& progress = {},
                     const SkinFrameSink& sink = {});

/// Parts that are written together: a character's skin, a layer of a body.
struct WrittenLayer {
    std::string name;  ///< folder of its sequence, where there are several layers
    std::vector<MeshPart> parts = {};
    GltfScene looks = {};  ///< the same parts with their materials, for .glb; else empty
};

/// Writes the frames of a run while it runs, so that those of long motions need no memory. Files
/// appear whole by commit(), frames in folders one by one.
class SkinRunWriter {
public:
    /// @throws InputError
    SkinRunWriter(const std::filesystem::path& path, const Character& character,
                  std::vector<double> times, const std::string& sequence = "obj");
    /// @throws InputError  also for a point cache of more than one layer
    SkinRunWriter(const std::filesystem::path& path, std::vector<WrittenLayer> layers,
                  std::vector<double> times, const std::string& sequence = "obj");
    ~SkinRunWriter();
    /// Points of all parts of all layers, one after the other.
    void add(Points frame);
    void commit();
    /// What stands complete on the disk by now, in words: frames in a folder; else "".
    std::string kept() const;

private:
    struct Data;
    std::unique_ptr<Data> data_;
};

/// Writes the frames: .glb (vertex animation), .usda (time samples), .pc2, .mdd (point caches); or
/// a folder, which gets the rest shape and frames as .obj or .ply files (`sequence`: their ending).
/// @throws InputError
void write_skin_run(const std::filesystem::path& path, const Character& character,
                    const SkinRun& run, const std::string& sequence = "obj");
/// To be asked before long work. @throws InputError
void require_skin_output(const std::filesystem::path& path);

}  // namespace sinew
