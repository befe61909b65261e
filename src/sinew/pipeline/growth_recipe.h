#pragma once

#include "sinew/growth/grow.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace sinew {

/// A growth plan in a small JSON file (docs/growth.md):
///
///   { "version": 1, "name": "bodybuilder", "description": "...",
///     "muscles": { "all": 1.2, "biceps": 1.4 }, "fat": { "uniform": 0.6 },
///     "bones": { "legs": 1.05 }, "stature_m": 1.9, "weight_kg": 100, "body_fat": 0.08,
///     "fat_model": "pressure", "fat_distribution": "belly", "iterations": 40, "gravity": false }
struct GrowthRecipe {
    std::string name;
    std::string description = {};
    GrowthPlan plan = {};
};

/// @throws InputError  with the position: not JSON, unknown keys (with the nearest known one),
/// wrong
///                     types, values out of range
GrowthRecipe read_growth_recipe(const std::filesystem::path& path);
/// @param where  name for messages
GrowthRecipe parse_growth_recipe(std::string_view json, const std::string& where);

/// A plan as the text of such a file; maps of its own and iterations are left out.
std::string growth_recipe_text(const GrowthRecipe& recipe);

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
