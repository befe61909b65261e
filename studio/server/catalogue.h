#pragma once

#include "sinew/growth/grow.h"
#include "sinew/pipeline/body_display.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "studio/server/commands.h"

namespace sinew::studio {

/// "biceps_brachii_long_head_l" -> "Biceps brachii long head, left".
std::string label_of(std::string_view name);

/// What a page must know about a body to build its controls (docs/studio-protocol.md).
Json catalogue_of(const Body& body, const BodyDisplay& display);
/// The same without a body.
Json empty_catalogue();

/// First part of the catalogue's list that a layer's parts have.
std::size_t first_part(const BodyDisplay& display, DisplayLayer layer);

/// Where the long bones end and, as "NAME:start", begin.
Json bone_ends_of(const Body& body);

/// Stature, mass, fat, girths and volumes.
Json measures_of(const Body& body);

struct RecipeEntry {
    std::string name;
    std::string description;
    std::filesystem::path file;
};
/// Recipes that come with Sinew, by name.
std::vector<RecipeEntry> built_in_recipes();

}  // namespace sinew::studio
