#pragma once

#include "sinew/body/anatomy.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sinew {

/// The twelve groups of body building, then the rest: chest back shoulders biceps triceps forearms
/// abdomen glutes quadriceps hamstrings adductors calves; neck face hands feet hips spine.
std::span<const std::string> muscle_groups();
inline constexpr std::size_t kMainGroupCount = 12;

/// The group that an atlas's finer group belongs to ("deltoid" -> "shoulders", "shins" ->
/// "calves"); the name itself for one of muscle_groups(), "" for an unknown one.
std::string group_from_atlas(std::string_view atlas_group);

enum class Side { Middle, Left, Right };

/// "femur_r" -> {"femur", Right}. "vertebra_l" would be a side; "vertebra_l3" is not.
struct SidedName {
    std::string stem;
    Side side = Side::Middle;
};
SidedName split_side(std::string_view name);
std::string with_side(std::string_view stem, Side side);
/// The same part of the other half of the body: "_l" <-> "_r", "L_" <-> "R_"; else unchanged.
std::string mirrored_name(std::string_view name);

/// Lower case, runs of anything but letters and digits become one underscore: "Vastus Lateralis.L"
/// -> "vastus_lateralis_l".
std::string slug(std::string_view text);

/// The slug with the side last, however the source writes it: "Left Femur", "L_Femur", "Femur.L",
/// "femur (left)", "femur sinistrum" -> "femur_l". Where the text names no side, `side` is taken.
std::string canonical_name(std::string_view text, Side side = Side::Middle);
/// The canonical name without words that every part of a kind could have (muscle, musculus, m.,
/// bone, os, of, the): "Musculus vastus lateralis (left)" -> "vastus_lateralis_l". For comparing.
std::string plain_name(std::string_view text);

/// Muscles meant by a word: a muscle's name, an alias in any catalogue (OpenSim, MASS, FMA, ...), a
/// Latin or English name with or without "musculus", "muscle", "left", the stem of a pair (both
/// sides), a group, or a group with a side. Case and separators do not matter. In ascending order.
/// @throws InputError  with the nearest known name when nothing matches
std::vector<Index> find_muscles(std::span<const Muscle> muscles, std::string_view word,
                                std::string_view where);
/// The one bone meant by a name or alias. @throws InputError  as above
Index find_bone(std::span<const Bone> bones, std::string_view word, std::string_view where);

/// Parts meant by a word, muscles as above or bones (both of a pair); each in ascending order.
struct FoundParts {
    std::vector<Index> muscles = {};
    std::vector<Index> bones = {};
};
/// @throws InputError  with the nearest known name of either kind when nothing matches
FoundParts find_parts(std::span<const Bone> bones, std::span<const Muscle> muscles,
                      std::string_view word, std::string_view where);

}  // namespace sinew
