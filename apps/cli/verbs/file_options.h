#pragma once

#include "sinew/base/error.h"
#include "sinew/io/read_options.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "cli/verb.h"

namespace sinew::cli {

/// --unit and --up, as every verb that reads a mesh offers them.
struct FileOptions {
    std::string unit = "m";
    std::string up = "y";

    void add_to(std::vector<Option>& options) {
        options.push_back({.name = "--unit",
                           .help = "unit of files that do not say theirs",
                           .target = &unit,
                           .choices = {"m", "cm", "mm"}});
        options.push_back({.name = "--up",
                           .help = "axis that points up in files that do not say",
                           .target = &up,
                           .choices = {"y", "z"}});
    }

    ReadOptions read_options() const {
        return {.unit = unit_from_name(unit), .up = up_axis_from_name(up)};
    }

    /// Files that say their own unit: another one is refused, not passed over.
    void require_no_unit(const std::string& file) const {
        if (unit != "m") {
            throw InputError({.where = "--unit",
                              .found = fmt::format("'{}', which says its own unit", file),
                              .needs = "a mesh whose file does not say it",
                              .remedy = "leave --unit out"});
        }
    }
    void require_no_up(const std::string& file) const {
        if (!up.empty() && up != "y") {
            throw InputError({.where = "--up",
                              .found = fmt::format("'{}', which says its own axes", file),
                              .needs = "a mesh whose file does not say them",
                              .remedy = "leave --up out"});
        }
    }
};

}  // namespace sinew::cli
