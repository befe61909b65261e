#pragma once

#include "sinew/body/body.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sinew {

/// Names of the built-in maps: where fat is gained. "belly" (also "android"), "hips" (also
/// "gynoid"), "chest", "back", "arms", "legs", "face", "uniform", and finer ones: "buttocks",
/// "calves", "chin", "flanks", "forearms", "thighs", "upper_arms".
std::span<const std::string> fat_map_names();

/// f in [0, 1] per skin vertex [Saito2015, section 3.3], computed from the skeleton and the nearest
/// bones: smooth, the same on both sides where the body is. A name that is none of the above is
/// looked for among the body's own maps (one component, clamped to [0, 1]).
/// @throws InputError  with the nearest known name; for a body without bones or skin
std::vector<double> fat_map(const Body& body, std::string_view name);

/// A map painted elsewhere: the brightness of the vertex colours of a mesh (its red channel where
/// green and blue are 0), or its one attribute of one component. Taken vertex by vertex where the
/// mesh has as many as the skin, else from the nearest point of the mesh.
/// @throws InputError  when it has no colours and no such attribute
std::vector<double> fat_map_from_mesh(const Body& body, const TriangleMesh& painted,
                                      std::string_view where);

/// A map made by hand without its edges and jumps, which would grow lumps: smoothed over about
/// `length` (m, >= 0) of skin, its largest value kept.
/// @param values  one per skin vertex
std::vector<double> smoothed_map(const Body& body, std::vector<double> values, double length);

/// The other body's fat, for this one: fat under each of its skin vertices over that of the place
/// of `target` that corresponds, so that scaling the target's fat by it copies the distribution
/// [Komaritzan, section 4.3.4, fat transfer]. Places correspond after a smooth warp that takes the
/// joints that both have onto each other (their boxes where there are fewer than four).
/// @returns  ratio per skin vertex of the target, in [0.2, 20]
std::vector<double> fat_transfer_ratios(const Body& source, const Body& target);

}  // namespace sinew
