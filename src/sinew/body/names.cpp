#include "sinew/body/names.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace sinew {

namespace {

bool is_letter_or_digit(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

/// Whether `word` (a slug) names this part by its name or an alias.
template <class Part>
bool is_named(const Part& part, const std::string& word) {
    if (slug(part.name) == word) {
        return true;
    }
    return std::any_of(part.aliases.begin(), part.aliases.end(),
                       [&](const Alias& alias) { return slug(alias.name) == word; });
}

template <class Part>
void add_names(const Part& part, std::vector<std::string>& names) {
    names.push_back(part.name);
    names.push_back(split_side(part.name).stem);
    for (const Alias& alias : part.aliases) {
        names.push_back(alias.name);
    }
}

[[noreturn]] void refuse_unknown(std::string_view word, std::string_view kind,
                                 std::string_view where, std::vector<std::string> names) {
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    throw InputError({.where = std::string(where),
                      .found = fmt::format("unknown {} '{}'{}", kind, word.substr(0, 80),
                                           did_you_mean(word.substr(0, 80), names)),
                      .needs = fmt::format("the name of a {}", kind),
                      .remedy = "list the names with 'sinew info'"});
}

}  // namespace

std::span<const std::string> muscle_groups() {
    static const std::array<std::string, 18> kGroups = {
        "chest",   "back",   "shoulders",  "biceps",     "triceps",   "forearms",
        "abdomen", "glutes", "quadriceps", "hamstrings", "adductors", "calves",
        "neck",    "face",   "hands",      "feet",       "hips",      "spine"};
    return kGroups;
}

std::string group_from_atlas(std::string_view atlas_group) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kFiner = {{
        {"trapezius", "back"},
        {"deltoid", "shoulders"},
        {"rotator_cuff", "shoulders"},
        {"forearm_extensors", "forearms"},
        {"forearm_flexors", "forearms"},
        {"gluteals", "glutes"},
        {"shins", "calves"},
        {"hip_flexors", "hips"},
        {"hand", "hands"},
        {"foot", "feet"},
        {"other", "hips"},  // the pelvic floor
    }};
    const std::string word = slug(atlas_group);
    for (const std::string& group : muscle_groups()) {
        if (word == group) {
            return group;
        }
    }
    for (const auto& [finer, group] : kFiner) {
        if (word == finer) {
            return std::string(group);
        }
    }
    return "";
}

SidedName split_side(std::string_view name) {
    if (name.size() > 2 && name[name.size() - 2] == '_') {
        const std::string stem(name.substr(0, name.size() - 2));
        if (name.back() == 'l') {
            return {stem, Side::Left};
        }
        if (name.back() == 'r') {
            return {stem, Side::Right};
        }
    }
    return {std::string(name), Side::Middle};
}

std::string with_side(std::string_view stem, Side side) {
    return std::string(stem) + (side == Side::Left ? "_l" : side == Side::Right ? "_r" : "");
}

std::string mirrored_name(std::string_view name) {
    const SidedName sided = split_side(name);
    if (sided.side != Side::Middle) {
        return with_side(sided.stem, sided.side == Side::Left ? Side::Right : Side::Left);
    }
    if (name.starts_with("L_") || name.starts_with("R_")) {
        return (name[0] == 'L' ? "R" : "L") + std::string(name.substr(1));
    }
    return std::string(name);
}

std::string slug(std::string_view text) {
    std::string result;
    for (const char c : text) {
        if (is_letter_or_digit(c)) {
            result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        } else if (!result.empty() && result.back() != '_') {
            result += '_';
        }
    }
    if (!result.empty() && result.back() == '_') {
        result.pop_back();
    }
    return result;
}

std::vector<Index> find_muscles(std::span<const Muscle> muscles, std::string_view word,
                                std::string_view where) {
    const std::string wanted = slug(word);
    const SidedName sided = split_side(wanted);
    // Exact names and aliases win over stems, stems over groups.
    std::vector<Index> exact, pairs, grouped;
    for (std::size_t i = 0; i < muscles.size(); ++i) {
        const auto index = static_cast<Index>(i);
        const Muscle& muscle = muscles[i];
        const SidedName own = split_side(slug(muscle.name));
        if (is_named(muscle, wanted)) {
            exact.push_back(index);
        }
        if (own.stem == wanted) {
            pairs.push_back(index);
        }
        if (slug(muscle.group) == wanted ||
            (sided.side != Side::Middle && slug(muscle.group) == sided.stem &&
             own.side == sided.side)) {
            grouped.push_back(index);
        }
    }
    for (const std::vector<Index>& found : {exact, pairs, grouped}) {
        if (!found.empty() && !wanted.empty()) {
            return found;
        }
    }
    std::vector<std::string> names(muscle_groups().begin(), muscle_groups().end());
    for (const Muscle& muscle : muscles) {
        add_names(muscle, names);
    }
    refuse_unknown(word, "muscle or group", where, std::move(names));
}

Index find_bone(std::span<const Bone> bones, std::string_view word, std::string_view where) {
    const std::string wanted = slug(word);
    for (std::size_t i = 0; i < bones.size(); ++i) {
        if (is_named(bones[i], wanted)) {
            return static_cast<Index>(i);
        }
    }
    std::vector<std::string> names;
    for (const Bone& bone : bones) {
        add_names(bone, names);
    }
    refuse_unknown(word, "bone", where, std::move(names));
}

}  // namespace sinew
