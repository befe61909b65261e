#pragma once

#include "sinew/body/anatomy.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace sinew {

// Somebody's anatomical atlas as it was found: meshes as they are, and what the manifest says about
// them. io/atlas_files.h reads it, build/atlas_template.h makes a Template of it. Metres, Y up, +Z
// forward, +X the body's left.

enum class AtlasKind { Bone, Cartilage, Disc, Muscle, Tendon, Skin };
std::string_view name_of(AtlasKind kind);  ///< "bone", "cartilage", ..., "skin"

struct AtlasPart {
    std::string name;  ///< slug, side last: "femur_l"
    AtlasKind kind = AtlasKind::Bone;
    std::string group = {};       ///< as the atlas groups it, may be empty
    std::string file = {};        ///< relative to the manifest, for messages
    TriangleMesh mesh = {};       ///< may be open, soiled, intersect itself; m
    std::string unreadable = {};  ///< why there is no mesh; empty where there is one
    std::vector<Alias> aliases = {};
    std::string origin = {};      ///< bone by name or alias, or empty
    std::string insertion = {};   ///< bone by name or alias, or empty
    bool is_origin_sure = false;  ///< given for certain, not as a guess
    bool is_insertion_sure = false;
    std::optional<std::array<double, 2>> belly = {};  ///< contractile part of the path, 0 to 1
    double volume = 0.0;                              ///< as the manifest says, m^3; 0 = not said
    double fmax = 0.0;                                ///< N; 0 = not known
    double pennation = 0.0;                           ///< rad
};

/// A joint between two bones that are known by name; all vectors at rest.
struct BoneJoint {
    std::string parent;        ///< bone
    std::string child;         ///< bone
    std::string segment = {};  ///< name of the segment below it; empty: the child's
    Joint joint = {};          ///< its own parent and child are not set
};

struct Atlas {
    std::string name;
    Sex sex = Sex::Unknown;
    std::string attribution = {};
    std::string root = {};  ///< bone that the tree of joints begins with; empty: not said
    std::vector<AtlasPart> parts = {};
    std::vector<BoneJoint> joints = {};  ///< empty: to be estimated from the bones
    std::vector<Landmark> landmarks = {};
    std::vector<Provenance::Input> inputs = {};  ///< manifest
    std::vector<std::string> notes = {};         ///< conversions, doubts
};

/// What became of one part.
struct AtlasPartReport {
    std::string name;
    AtlasKind kind = AtlasKind::Bone;
    bool is_used = false;
    std::string reason = {};                ///< why not, where it is not used
    std::vector<std::string> actions = {};  ///< what was done to it: "2 holes filled"
    std::vector<std::string> doubts = {};   ///< what is still less than right
};

/// What became of an atlas.
struct AtlasReport {
    std::vector<AtlasPartReport> parts = {};  ///< in the manifest's order
    std::vector<std::string> notes = {};
    double seconds = 0.0;

    std::size_t count(AtlasKind kind) const;       ///< in the atlas
    std::size_t count_used(AtlasKind kind) const;  ///< of those
};

}  // namespace sinew
