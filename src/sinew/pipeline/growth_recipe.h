#pragma once

#include "sinew/growth/grow.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sinew {

/// A growth plan in a small JSON file (docs/growth.md):
///
///   { "version": 1, "name": "bodybuilder", "description": "...",
///     "muscles": { "all": 1.2, "biceps": 1.4 }, "fat": { "uniform": 0.6 },
///     "bones": { "legs": 1.05, "femur": 1.1 }, "stature_m": 1.9, "weight_kg": 100, "body_fat":
///     0.08, "fat_model": "pressure", "fat_distribution": "belly", "iterations": 40, "gravity":
///     false }
struct GrowthRecipe {
    std::string name;
    std::string description = {};
    GrowthPlan plan = {};
    /// Regions of one's own: name and a mesh whose vertex colours are the map (fat_map_from_mesh).
    std::vector<std::pair<std::string, std::string>> fat_maps = {};
    std::string fat_from = {};  ///< a body whose fat is copied first
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, GrowthRecipe>
void visit_fields(Options& o, Visitor&& v) {
    v(o.name, Field{.name = "name", .help = "of the recipe", .is_required = true});
    v(o.description, Field{.name = "description", .help = "for people"});
    visit_fields(o.plan, v);
    v(o.fat_maps, Field{.name = "fat_maps",
                        .help = "a region of your own: the vertex colours of a PLY",
                        .is_path = true,
                        .flag = "fat-map",
                        .metavar = "NAME=FILE"});
    v(o.fat_from, Field{.name = "fat_from",
                        .help = "first copy the fat of another body",
                        .is_path = true,
                        .metavar = "BODY.sinew"});
}

/// @throws InputError  with the place: not JSON, unknown keys (with the nearest known one), wrong
///                     types, values out of range
GrowthRecipe read_growth_recipe(const std::filesystem::path& path);
/// @param where  name for messages
GrowthRecipe parse_growth_recipe(std::string_view json, const std::string& where);

/// A plan as the text of such a file: what differs from the defaults, without maps of its own.
std::string growth_recipe_text(const GrowthRecipe& recipe);

/// The recipe's plan with the maps and bodies that it names. @throws InputError
GrowthPlan complete_plan(const GrowthRecipe& recipe, const Body& body);

/// A body from a .sinew file. @throws InputError  when it has no tetrahedra
Body read_body_with_tets(const std::filesystem::path& path);

/// Map of a body's skin that holds its displacement under gravity, m, where that was asked for; the
/// body itself stays free of gravity.
inline constexpr std::string_view kSagMap = "gravity_sag";

/// The masses of a grown body's segments anew, and its map of sag where gravity was asked for.
void finish_person(GrowthResult& grown);

/// grow() and finish_person().
GrowthResult grow_person(const Body& body, const GrowthPlan& plan, const Progress& progress = {},
                         const IterationCallback& callback = {});

/// What `sinew grow --json` says.
struct GrowthSummary {
    struct Muscle {
        std::string name;
        double alpha = 1.0;
        double volume_before = 0.0;  ///< ml
        double volume_after = 0.0;
        double belly_before = 0.0;
        double belly_after = 0.0;
    };
    struct Measure {
        std::string name;
        double reached = 0.0;   ///< m
        double expected = 0.0;  ///< m
        double spread = 0.0;    ///< m
    };
    std::string output;
    std::optional<std::string> jump = {};
    int iterations = 0;
    bool is_converged = false;
    double seconds = 0.0;
    bool is_reached = true;
    double muscle_error = 0.0;
    double worst_muscle_error = 0.0;
    double loose = 0.0;  ///< l
    double volume_error = 0.0;
    Eigen::Index inverted_tets = 0;
    int refactorisations = 0;
    double mass = 0.0;
    double body_fat = 0.0;
    double stature = 0.0;
    std::vector<Muscle> muscles = {};
    std::vector<FatReport::Region> fat = {};
    std::vector<Measure> measures = {};
    std::vector<std::string> warnings = {};
};
GrowthSummary summary_of(const GrowthResult& grown);

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, GrowthSummary::Muscle>
void visit_fields(Options& o, Visitor&& v) {
    v(o.name, Field{.name = "name", .help = "of the muscle"});
    v(o.alpha, Field{.name = "alpha", .help = "factor across the fibres"});
    v(o.volume_before, Field{.name = "volume_ml_before", .help = "with tendons", .unit = "ml"});
    v(o.volume_after, Field{.name = "volume_ml_after", .help = "with tendons", .unit = "ml"});
    v(o.belly_before, Field{.name = "belly_ml_before", .help = "without tendons", .unit = "ml"});
    v(o.belly_after, Field{.name = "belly_ml_after", .help = "without tendons", .unit = "ml"});
}

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, GrowthSummary::Measure>
void visit_fields(Options& o, Visitor&& v) {
    v(o.name, Field{.name = "name", .help = "of the measure, as the survey has it"});
    v(o.reached, Field{.name = "reached_m", .help = "of the new body", .unit = "m"});
    v(o.expected, Field{.name = "expected_m",
                        .help = "asked for, or the mean of people with these targets",
                        .unit = "m"});
    v(o.spread, Field{.name = "spread_m",
                      .help = "standard deviation among them; 0 where it was asked for",
                      .unit = "m"});
}

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, FatReport::Region>
void visit_fields(Options& o, Visitor&& v) {
    v(o.name, Field{.name = "region", .help = "of fat"});
    v(o.wanted, Field{.name = "wanted", .help = "factor asked for"});
    v(o.reached, Field{.name = "reached", .help = "factor measured"});
    v(o.gamma, Field{.name = "gamma", .help = "of the pressure, 0 where fat was scaled"});
}

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, GrowthSummary>
void visit_fields(Options& o, Visitor&& v) {
    v(o.output, Field{.name = "output", .help = "the file written"});
    v(o.jump, Field{.name = "jump", .help = "the animation written"});
    v(o.iterations, Field{.name = "iterations", .help = "of muscle growth"});
    v(o.is_converged, Field{.name = "converged", .help = "muscles came to rest"});
    v(o.seconds, Field{.name = "seconds", .help = "time taken", .unit = "s"});
    v(o.is_reached, Field{.name = "reached", .help = "muscles are within the limits"});
    v(o.muscle_error, Field{.name = "muscle_error", .help = "of all bellies, relative"});
    v(o.worst_muscle_error,
      Field{.name = "worst_muscle_error", .help = "of the belly furthest from its volume"});
    v(o.volume_error, Field{.name = "volume_error", .help = "of all muscles, relative"});
    v(o.loose, Field{.name = "loose_l",
                     .help = "volume that generic tissue and fat gave to bellies or took from "
                             "them, beyond what their tetrahedra grew by",
                     .unit = "l"});
    v(o.inverted_tets, Field{.name = "inverted_tets", .help = "tetrahedra inside out"});
    v(o.refactorisations, Field{.name = "refactorisations", .help = "of the global system"});
    v(o.mass, Field{.name = "mass_kg", .help = "of the body", .unit = "kg"});
    v(o.body_fat, Field{.name = "body_fat", .help = "fraction of the mass"});
    v(o.stature, Field{.name = "stature_m", .help = "height", .unit = "m"});
    v(o.muscles, Field{.name = "muscles", .help = "those that changed"});
    v(o.fat, Field{.name = "fat", .help = "regions that changed"});
    v(o.measures, Field{.name = "measures", .help = "of a person, on the new body"});
    v(o.warnings, Field{.name = "warnings", .help = "what did not go as asked"});
}

/// Writes a grown body in the format of the file's ending. A .glb holds every part at rest with a
/// morph "grown" (weight 1), and "gravity" where the skin hangs, so that a viewer can go back and
/// forth; files of surfaces alone show the body as it hangs where gravity was asked for.
/// @returns  what was written, for a person
std::string write_grown(const std::filesystem::path& path, const Body& rest,
                        const GrowthResult& grown);

/// Writes the skin through a jump as a .glb animation.
void write_jump(const std::filesystem::path& path, const Body& body,
                const std::vector<Points>& frames, double frames_per_second);

}  // namespace sinew
