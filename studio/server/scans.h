#pragma once

#include <filesystem>

namespace sinew::studio {

class Files;
class Jobs;
class Verbs;
class Workspace;

/// Adds `fit`: a scan of the workspace becomes a person, as by `sinew fit`, and is shown.
/// @param cache  of bodies that are made
void add_fit_verb(Verbs& verbs, Files& files, Jobs& jobs, const Workspace& workspace,
                  const std::filesystem::path& cache);

}  // namespace sinew::studio
