#pragma once

#include <filesystem>

namespace sinew::studio {

class Files;
class Jobs;
class Verbs;

/// Adds `build`: the built-in human of other options is made, as by `sinew build`, and is shown.
/// @param cache  of bodies that are made
void add_build_verb(Verbs& verbs, Files& files, Jobs& jobs, const std::filesystem::path& cache);

}  // namespace sinew::studio
