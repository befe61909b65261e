#pragma once

#include "sinew/body/skeleton.h"
#include "sinew/mesh/triangle_mesh.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sinew {

/// What a fraction of a tetrahedron is made of. The order is part of the file formats.
enum class Tissue { Generic = 0, Muscle = 1, Fat = 2, Bone = 3, Tendon = 4 };
inline constexpr int kTissueCount = 5;
std::string_view name_of(Tissue tissue);  ///< "generic", "muscle", "fat", "bone", "tendon"

/// A tissue as it weighs. Stiffness is given where terms are made of it, not here.
struct TissueMaterial {
    std::string name;
    Tissue tissue = Tissue::Generic;
    double density = 1000.0;  ///< kg/m^3, > 0
};

/// One material per tissue, in the order of Tissue, with densities of living tissue, rounded,
/// within the ranges of [ICRU1992], muscle as in [Ward2005].
std::vector<TissueMaterial> tissue_materials();

/// The same part in somebody else's catalogue: {"fma", "FMA24475"}, {"opensim", "vaslat_r"},
/// {"mass", "L_Vastus_Lateralis"}, {"terminologia", "musculus vastus lateralis"}.
struct Alias {
    std::string scheme;
    std::string name;
};

enum class BoneKind { Bone, Cartilage, Disc };
std::string_view name_of(BoneKind kind);  ///< "bone", "cartilage", "disc"

/// A rigid part.
struct Bone {
    std::string name;
    BoneKind kind = BoneKind::Bone;
    Index segment = 0;       ///< of the skeleton
    TriangleMesh mesh = {};  ///< closed, at rest
    std::vector<Alias> aliases = {};
};

/// A muscle with its tendons, or (is_passive) a tendon, ligament or aponeurosis of its own.
/// Point data "tendon" of the mesh, where present, is 1 on tendon and 0 on the belly.
struct Muscle {
    std::string name;
    std::string group = {};  ///< one of muscle_groups() in names.h
    TriangleMesh mesh = {};  ///< closed, at rest
    Index origin = -1;       ///< bone, -1 where it starts on none
    Index insertion = -1;    ///< bone, -1 where it ends on none
    /// Contractile part of the path from origin to insertion, 0 <= begin <= end <= 1.
    double belly_begin = 0.0;
    double belly_end = 1.0;
    double volume = 0.0;     ///< of the closed mesh, m^3, >= 0
    double fmax = 0.0;       ///< greatest isometric force, N, >= 0; 0 = not known
    double pennation = 0.0;  ///< rad, in [0, pi/2)
    bool is_passive = false;
    std::vector<Alias> aliases = {};
};

/// A named position on the skin.
struct Landmark {
    std::string name;
    Vec3 position = Vec3::Zero();  ///< m
    Index skin_vertex = -1;        ///< the nearest, -1 where not known
};

enum class Sex { Unknown, Female, Male };
std::string_view name_of(Sex sex);  ///< "unknown", "female", "male"

/// Where something came from, so that it can be made again and its sources named.
struct Provenance {
    struct Input {
        std::string name;  ///< file name
        std::string hash;  ///< XXH64 of its content, 16 hexadecimal digits
    };
    std::string program = {};  ///< "sinew 0.1.0"
    std::string command = {};  ///< as typed
    std::uint64_t seed = 0;
    std::vector<Input> inputs = {};
    std::string attribution = {};  ///< sources and licences of the anatomy
    std::vector<std::string> notes = {};
};

/// The shared anatomy that bodies are built from: the built-in figure, or an atlas.
struct Template {
    std::string name;
    Sex sex = Sex::Unknown;
    TriangleMesh skin = {};  ///< closed
    std::vector<Bone> bones = {};
    std::vector<Muscle> muscles = {};
    Skeleton skeleton = {};
    std::vector<Landmark> landmarks = {};
    std::vector<TissueMaterial> materials = {};
    Provenance provenance = {};
};

/// @throws InputError  naming `where` and the part that breaks a promise above: names empty, used
///                     twice or with '/' or control characters; indices that point nowhere; numbers
///                     out of their range
void require_valid(const Template& anatomy, std::string_view where);

}  // namespace sinew
