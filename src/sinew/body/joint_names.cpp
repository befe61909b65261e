#include "sinew/body/joint_names.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

namespace sinew {

namespace {

constexpr std::string_view kSide = "{side}";
constexpr std::array<std::string_view, 4> kMiddleParts = {"pelvis", "trunk", "neck", "head"};
constexpr std::array<std::string_view, 11> kSidedParts = {"clavicle", "shoulder", "elbow", "wrist",
                                                          "finger",   "thumb",    "hip",   "knee",
                                                          "ankle",    "heel",     "toe"};

// Parts of which every joint counts, not the first name that is there.
bool is_row(std::string_view part) {
    return part == "trunk" || part == "neck" || part == "toe";
}

bool is_sided(std::string_view part) {
    return std::find(kSidedParts.begin(), kSidedParts.end(), part) != kSidedParts.end();
}

std::string on_side(const std::string& name, const std::string& side) {
    const std::size_t place = name.find(kSide);
    return place == std::string::npos
               ? name
               : name.substr(0, place) + side + name.substr(place + kSide.size());
}

// Bare names of a skeleton: with the prefixes that programs add, and without.
struct BareNames {
    std::map<std::string, Index> number = {};

    BareNames(std::span<const std::string> names, const JointNames& table) {
        for (const bool is_cut : {false, true}) {
            for (std::size_t j = 0; j < names.size(); ++j) {
                std::string name = bare_joint_name(names[j]);
                for (const std::string& prefix : table.prefixes) {
                    const std::string bare = bare_joint_name(prefix);
                    if (is_cut && name.size() > bare.size() && name.starts_with(bare)) {
                        name = name.substr(bare.size());
                        break;
                    }
                }
                number.emplace(name, static_cast<Index>(j));
            }
        }
    }
    Index find(const std::string& name) const {
        const auto found = number.find(bare_joint_name(name));
        return found == number.end() ? -1 : found->second;
    }
};

PersonJoints joints_by(const JointConvention& convention, const BareNames& names) {
    PersonJoints person{.convention = convention.name};
    const auto add = [&](const std::string& part, const std::string& key, const std::string& side) {
        std::vector<Index> found;
        for (const std::string& name : convention.parts.at(part)) {
            const Index joint = names.find(on_side(name, side));
            if (joint >= 0 && (is_row(part) || found.empty()) &&
                std::find(found.begin(), found.end(), joint) == found.end()) {
                found.push_back(joint);
            }
        }
        if (!found.empty()) {
            person.joints[key] = std::move(found);
        }
    };
    for (const auto& [part, all] : convention.parts) {
        if (is_sided(part)) {
            add(part, part + "_l", convention.left);
            add(part, part + "_r", convention.right);
        } else {
            add(part, part, "");
        }
    }
    return person;
}

}  // namespace

std::span<const std::string_view> middle_parts() {
    return kMiddleParts;
}
std::span<const std::string_view> sided_parts() {
    return kSidedParts;
}

std::string bare_joint_name(std::string_view name) {
    const std::size_t colon = name.find_last_of(":|");
    std::string plain;
    for (const char c : colon == std::string_view::npos ? name : name.substr(colon + 1)) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
            plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        }
    }
    return plain;
}

void require_valid(const JointNames& names, std::string_view where) {
    const auto refuse = [&](const std::string& place, std::string found, std::string needs) {
        throw InputError({.where = std::string(where) + place,
                          .found = std::move(found),
                          .needs = std::move(needs),
                          .remedy = "correct the table; docs/motion.md describes it"});
    };
    if (names.conventions.empty()) {
        refuse("", "no conventions", "at least one");
    }
    std::vector<std::string> known;
    for (const std::string_view part : kMiddleParts) {
        known.emplace_back(part);
    }
    known.insert(known.end(), kSidedParts.begin(), kSidedParts.end());
    for (const JointConvention& convention : names.conventions) {
        const std::string place = fmt::format(", convention '{}'", convention.name);
        if (convention.name.empty() || convention.parts.empty()) {
            refuse(place, "no name, or no parts", "a name and parts");
        }
        std::set<std::string> used;
        for (const auto& [part, words] : convention.parts) {
            if (std::find(known.begin(), known.end(), part) == known.end()) {
                refuse(place, fmt::format("part '{}'{}", part, did_you_mean(part, known)),
                       "one of " + join(known, ", "));
            }
            for (const std::string& word : words) {
                const bool has_side = word.find(kSide) != std::string::npos;
                if (bare_joint_name(word).empty() || has_side != is_sided(part)) {
                    refuse(place + ", part '" + part + "'", "'" + word + "'",
                           is_sided(part) ? "a name with {side} in it" : "a name without {side}");
                }
                if (!used.insert(bare_joint_name(word)).second) {
                    refuse(place + ", part '" + part + "'", "'" + word + "' a second time",
                           "every name once");
                }
            }
        }
        if (convention.left == convention.right) {
            refuse(place, "the same word for left and right", "two different words");
        }
    }
}

Index PersonJoints::first(const std::string& part) const {
    const auto found = joints.find(part);
    return found == joints.end() ? -1 : found->second.front();
}
Index PersonJoints::last(const std::string& part) const {
    const auto found = joints.find(part);
    return found == joints.end() ? -1 : found->second.back();
}

PersonJoints find_person_joints(std::span<const std::string> names, const JointNames& table) {
    const BareNames bare(names, table);
    PersonJoints best;
    for (const JointConvention& convention : table.conventions) {
        PersonJoints person = joints_by(convention, bare);
        if (person.joints.size() > best.joints.size()) {
            best = std::move(person);
        }
    }
    return best;
}

}  // namespace sinew
