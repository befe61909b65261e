#include "sinew/body/names.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace sinew {

namespace {

// Of ASCII, whatever the locale.
bool is_letter_or_digit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}
char small_letter(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// A word in the forms that parts are compared by.
struct Wanted {
    std::string slug;
    std::string plain;
    SidedName sided;    // of the plain form
    std::string first;  // word of it, which every part that is meant has in its name

    explicit Wanted(std::string_view word)
        : slug(sinew::slug(word)),
          plain(plain_name(word)),
          sided(split_side(plain)),
          first(sided.stem.substr(0, sided.stem.find('_'))) {}
};

/// How well a word names a part; lower is better.
enum class Match { Exact, Plain, Pair, None };

template <class Part>
Match match(const Part& part, const Wanted& wanted) {
    if (wanted.slug.empty()) {
        return Match::None;
    }
    // Plain forms take long to make, and there are hundreds of parts: only where they can be equal.
    Match best = Match::None;
    const auto compare = [&](const std::string& name, bool is_own) {
        const std::string written = slug(name);
        if (written == wanted.slug) {
            best = Match::Exact;
        } else if (best > Match::Plain && written.find(wanted.first) != std::string::npos) {
            const std::string plain = plain_name(name);
            // A name without a side means both.
            const bool is_pair = is_own && split_side(plain).stem == wanted.plain;
            best = std::min(best, plain == wanted.plain ? Match::Plain
                                  : is_pair             ? Match::Pair
                                                        : Match::None);
        }
    };
    compare(part.name, true);
    for (const Alias& alias : part.aliases) {
        compare(alias.name, false);
    }
    return best;
}

/// The parts that match best; none where none does.
template <class Part>
std::vector<Index> best_matches(std::span<const Part> parts, const Wanted& wanted) {
    Match best = Match::None;
    std::vector<Index> found;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const Match how = match(parts[i], wanted);
        if (how < best) {
            found.clear();
            best = how;
        }
        if (how == best && how != Match::None) {
            found.push_back(static_cast<Index>(i));
        }
    }
    return found;
}

std::vector<Index> muscles_of_group(std::span<const Muscle> muscles, const Wanted& wanted) {
    std::vector<Index> found;
    for (std::size_t i = 0; i < muscles.size(); ++i) {
        const std::string group = slug(muscles[i].group);
        const Side side = split_side(slug(muscles[i].name)).side;
        if (!group.empty() &&
            (group == wanted.plain || (wanted.sided.side != Side::Middle &&
                                       group == wanted.sided.stem && side == wanted.sided.side))) {
            found.push_back(static_cast<Index>(i));
        }
    }
    return found;
}

template <class Part>
void add_names(const Part& part, std::vector<std::string>& names) {
    names.push_back(part.name);
    names.push_back(split_side(part.name).stem);
    for (const Alias& alias : part.aliases) {
        names.push_back(alias.name);
    }
}

// A name that is near, or else names of which the word is the beginning (heads of one muscle).
std::string suggestion(std::string_view word, const std::vector<std::string>& names) {
    const std::string near = did_you_mean(word, names);
    const bool has_side = word.ends_with("_l") || word.ends_with("_r");
    const std::string side(has_side ? word.substr(word.size() - 2) : "");
    const std::string begin = fmt::format("{}_", word.substr(0, word.size() - side.size()));
    std::vector<std::string> longer;
    for (const std::string& name : names) {
        const bool is_sided = name.ends_with("_l") || name.ends_with("_r");
        if (name.starts_with(begin) && name.size() > begin.size() + 1 && is_sided == has_side &&
            name.ends_with(side)) {
            longer.push_back(fmt::format("'{}'", name));
        }
    }
    if (!near.empty() || longer.empty()) {
        return near;
    }
    longer.resize(std::min<std::size_t>(longer.size(), 5));
    return fmt::format(", did you mean {}?", join(longer, " or "));
}

[[noreturn]] void refuse_unknown(std::string_view word, std::string_view kind,
                                 std::string_view where, std::vector<std::string> names) {
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    throw InputError({.where = std::string(where),
                      .found = fmt::format("unknown {} '{}'{}", kind, word.substr(0, 80),
                                           suggestion(word.substr(0, 80), names)),
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
    result.reserve(text.size());
    for (const char c : text) {
        if (is_letter_or_digit(c)) {
            result += small_letter(c);
        } else if (!result.empty() && result.back() != '_') {
            result += '_';
        }
    }
    if (!result.empty() && result.back() == '_') {
        result.pop_back();
    }
    return result;
}

std::string canonical_name(std::string_view text, Side side) {
    static constexpr std::array<std::pair<std::string_view, Side>, 10> kSides = {{
        {"l", Side::Left},
        {"left", Side::Left},
        {"sinister", Side::Left},
        {"sinistra", Side::Left},
        {"sinistrum", Side::Left},
        {"r", Side::Right},
        {"right", Side::Right},
        {"dexter", Side::Right},
        {"dextra", Side::Right},
        {"dextrum", Side::Right},
    }};
    std::vector<std::string> words = split(slug(text), '_');
    const std::size_t count = words.size();
    // The last word decides, then the first, then whole words in between.
    std::vector<std::size_t> order = {count - 1, 0};
    for (std::size_t i = 1; i + 1 < count; ++i) {
        order.push_back(i);
    }
    for (const std::size_t i : order) {
        const bool is_inner = i != 0 && i + 1 != count;
        for (const auto& [word, meant] : kSides) {
            if (count > 1 && words[i] == word && !(is_inner && word.size() == 1)) {
                words.erase(words.begin() + static_cast<std::ptrdiff_t>(i));
                return with_side(join(words, "_"), meant);
            }
        }
    }
    return with_side(join(words, "_"), side);
}

std::string plain_name(std::string_view text) {
    static constexpr std::array<std::string_view, 9> kEmpty = {
        "muscle", "muscles", "musculus", "musculi", "m", "bone", "os", "of", "the"};
    const std::vector<std::string> words = split(canonical_name(text), '_');
    std::vector<std::string> kept;
    for (const std::string& word : words) {
        if (std::find(kEmpty.begin(), kEmpty.end(), word) == kEmpty.end()) {
            kept.push_back(word);
        }
    }
    return join(kept.empty() ? words : kept, "_");
}

std::vector<Index> find_muscles(std::span<const Muscle> muscles, std::string_view word,
                                std::string_view where) {
    const Wanted wanted(word);
    std::vector<Index> found = best_matches(muscles, wanted);
    if (found.empty()) {
        found = muscles_of_group(muscles, wanted);
    }
    if (!found.empty()) {
        return found;
    }
    std::vector<std::string> names(muscle_groups().begin(), muscle_groups().end());
    if (word.ends_with("_l") || word.ends_with("_r")) {  // groups of one side are names as well
        for (const std::string& group : muscle_groups()) {
            names.push_back(group + std::string(word.substr(word.size() - 2)));
        }
    }
    for (const Muscle& muscle : muscles) {
        add_names(muscle, names);
    }
    refuse_unknown(word, "muscle or group", where, std::move(names));
}

Index find_bone(std::span<const Bone> bones, std::string_view word, std::string_view where) {
    const Wanted wanted(word);
    Index found = -1;
    for (std::size_t i = 0; i < bones.size() && found < 0; ++i) {
        found = match(bones[i], wanted) == Match::Exact ? static_cast<Index>(i) : -1;
    }
    for (std::size_t i = 0; i < bones.size() && found < 0; ++i) {
        found = match(bones[i], wanted) == Match::Plain ? static_cast<Index>(i) : -1;
    }
    if (found >= 0) {
        return found;
    }
    std::vector<std::string> names;
    for (const Bone& bone : bones) {
        add_names(bone, names);
    }
    refuse_unknown(word, "bone", where, std::move(names));
}

FoundParts find_parts(std::span<const Bone> bones, std::span<const Muscle> muscles,
                      std::string_view word, std::string_view where) {
    const Wanted wanted(word);
    FoundParts found{.muscles = best_matches(muscles, wanted),
                     .bones = best_matches(bones, wanted)};
    if (found.muscles.empty() && found.bones.empty()) {
        found.muscles = muscles_of_group(muscles, wanted);
    }
    if (!found.muscles.empty() || !found.bones.empty()) {
        return found;
    }
    std::vector<std::string> names(muscle_groups().begin(), muscle_groups().end());
    for (const Muscle& muscle : muscles) {
        add_names(muscle, names);
    }
    for (const Bone& bone : bones) {
        add_names(bone, names);
    }
    refuse_unknown(word, "muscle, group or bone", where, std::move(names));
}

}  // namespace sinew
