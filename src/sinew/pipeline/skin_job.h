#pragma once

#include "sinew/body/retarget.h"
#include "sinew/pipeline/skin_character.h"
#include "sinew/pipeline/skin_run.h"

#include <concepts>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace sinew {

enum class FrameFormat { Obj, Ply };
/// What feet do that stand in a recording.
enum class FeetRule { Keep, Free };

/// The job of `sinew skin`: a character or a body, a motion, and what is written of it.
struct SkinJob {
    std::string mesh = {};      ///< a skin, or a body (.sinew)
    std::string skeleton = {};  ///< of a skin; empty: the joints of its own file
    std::string motion = {};    ///< a file; of a body also the name of a built-in motion
    std::string output = {};
    SkinMethod method = SkinMethod::Projective;
    bool rig = false;  ///< no simulation: skeleton, weights and motion
    std::string compare = {};
    std::vector<std::string> layers = {"skin"};  ///< of a body
    std::string activations = {};                ///< of a body, over time
    bool gravity = false;                        ///< of a body
    FrameFormat sequence = FrameFormat::Obj;
    int simulate_vertices = 0;
    int frames = 0;
    double rate = 30.0;  ///< Hz
    int settle = 30;
    Unit unit = Unit::Metre;
    UpAxis up = UpAxis::Y;
    std::optional<Unit> skeleton_unit = {};
    std::optional<UpAxis> skeleton_up = {};
    std::string joint_names = {};
    FeetRule feet = FeetRule::Keep;
    RestPoses rest = RestPoses::Aligned;
    std::string animation = {};
    ProjectiveSkinningOptions skinning = {};

    bool is_body() const {
        return std::filesystem::path(mesh).extension() == ".sinew";
    }
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, SkinJob>
void visit_fields(Options& o, Visitor&& v) {
    v(o.mesh, Field{.name = "mesh",
                    .help = "the skin, in any format that `sinew info` reads, or a body (.sinew), "
                            "which moves by its own bones, muscle and fat",
                    .is_path = true,
                    .metavar = "MESH"});
    v(o.skeleton, Field{.name = "skeleton",
                        .help = "joints with parents and positions: .json, .bvh, .glb, .gltf, .fbx "
                                "or .skel; without it those of the skin's own file",
                        .is_path = true,
                        .metavar = "FILE"});
    v(o.motion, Field{.name = "motion",
                      .help = "key frames in .json, a .bvh or .anim file, or the animation of a "
                              ".glb, .gltf or .fbx file; without it that of the skin's own file; "
                              "of a body also wave, walk, or its coordinates (.mot, .sto)",
                      .metavar = "FILE"});
    v(o.output, Field{.name = "output",
                      .help = ".glb, .usda, .pc2, .mdd, or a folder for a sequence of files",
                      .is_path = true,
                      .metavar = "OUT"});
    v(o.method, Field{.name = "method",
                      .help = "projective: simulated flesh; to compare with, linear blend and dual "
                              "quaternion skinning with automatic weights",
                      .choices = {"projective", "lbs", "dqs"}});
    v(o.rig, Field{.name = "rig",
                   .help = "no simulation: skeleton, weights and motion as a rigged .glb for "
                           "Blender and engines, with the weights of linear blend skinning; a "
                           "motion may be absent"});
    v(o.compare, Field{.name = "compare",
                       .help = "a picture too: frames of all three methods side by side, with "
                               "volume and penetration of each",
                       .is_path = true,
                       .metavar = "FILE.png"});
    v(o.layers, Field{.name = "layers",
                      .help = "of a body, with commas in between: skin, muscles, bones, envelope, "
                              "tissues, tet_skin (the skin of its tetrahedra)",
                      .metavar = "NAMES"});
    v(o.activations, Field{.name = "activations",
                           .help = "of a body: how active muscles are over time, a .sto or .mot "
                                   "table with names of muscles or groups as columns and values "
                                   "from 0 to 1",
                           .is_path = true,
                           .metavar = "FILE"});
    v(o.gravity, Field{.name = "gravity", .help = "of a body: flesh hangs"});
    v(o.sequence,
      Field{
          .name = "sequence", .help = "format of a sequence of files", .choices = {"obj", "ply"}});
    v(o.simulate_vertices, Field{.name = "simulate_vertices",
                                 .help = "simulate a coarser skin of about so many vertices and "
                                         "show the whole one, kept out of itself with --collisions "
                                         "global; 0: simulate the skin",
                                 .min = 0,
                                 .metavar = "N"});
    v(o.frames, Field{.name = "frames", .help = "number of frames; 0: the whole motion", .min = 0});
    v(o.rate,
      Field{.name = "rate", .help = "frames per second", .unit = "Hz", .max = 1e6, .above = 0});
    v(o.settle,
      Field{
          .name = "settle", .help = "frames in the first pose before the motion starts", .min = 0});
    v(o.unit, Field{.name = "unit",
                    .help = "unit of files that do not say theirs",
                    .choices = {"m", "cm", "mm"}});
    v(o.up, Field{.name = "up",
                  .help = "axis that points up in files that do not say",
                  .choices = {"y", "z"}});
    v(o.skeleton_unit, Field{.name = "skeleton_unit",
                             .help = "of skeleton and motion files that do not say theirs; without "
                                     "it that of the skin",
                             .choices = {"m", "cm", "mm"}});
    v(o.skeleton_up, Field{.name = "skeleton_up",
                           .help = "axis that points up in skeleton and motion files; without it "
                                   "that of the skin",
                           .choices = {"y", "z"}});
    v(o.joint_names, Field{.name = "joint_names",
                           .help = "a table of your own of joint names, before those that are "
                                   "known (docs/motion.md)",
                           .is_path = true,
                           .metavar = "FILE"});
    v(o.feet, Field{.name = "feet",
                    .help = "keep: feet that stand in a recording stand still on the ground; free: "
                            "they go where their legs take them",
                    .choices = {"keep", "free"}});
    v(o.rest, Field{.name = "rest",
                    .help = "recordings that stand differently at rest than the character (arms "
                            "sideways, arms hanging): align leads its limbs to where they have "
                            "them; same: their zero pose is its rest",
                    .choices = {"align", "same"}});
    v(o.animation, Field{.name = "animation",
                         .help = "which one of a .glb, .gltf or .fbx file, by its name; without it "
                                 "the first that moves joints",
                         .metavar = "NAME"});
    visit_fields(o.skinning, v);
}

/// A job file. The motion too is relative to its folder, unless it is a built-in one.
/// @throws InputError
SkinJob read_skin_job(const std::filesystem::path& path);

/// What a run has besides its job.
struct SkinJobRun {
    std::filesystem::path cache = {};  ///< of weights of fine skins; empty: none
    /// Told what stands complete on the disk so far, in words.
    std::function<void(const std::string& kept)> kept = {};
};

/// Moves the character or the body, and writes what the job asks for.
/// @throws InputError  before anything is written; Cancelled
SkinSummary run_skin_job(const SkinJob& job, const SkinJobRun& run = {},
                         const Progress& progress = {});

}  // namespace sinew
