#pragma once

#include "sinew/body/composition_model.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace sinew {

/// Regressors of fat and muscle mass as JSON (docs/fit-layers.md):
///
///   { "format": "sinew-composition", "version": 3, "sex": "male", "source": "...", "people": 200,
///     "tapes": [{"feature": 0, "places": [x, y, z, ...]}, ...], "mean": [...], "spread": [...],
///     "components": [[...], ...], "deviation": [...], "fat": [...], "muscle": [...] }
///
/// Numbers have nine digits; the same model gives the same bytes.
std::string composition_text(const CompositionModel& model);
void write_composition(const std::filesystem::path& path, const CompositionModel& model);

/// @throws InputError  naming what is wrong: keys, sizes that disagree, numbers that are not finite
CompositionModel parse_composition(std::string_view json, const std::string& where);
CompositionModel read_composition(const std::filesystem::path& path);

/// The model of data_folder() for a sex; nothing where there is none.
std::optional<CompositionModel> known_composition(Sex sex);

}  // namespace sinew
