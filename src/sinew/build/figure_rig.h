#pragma once

#include "sinew/body/figure_table.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace sinew {

/// Where a point of the figure goes, and how directions there rotate.
struct FigureMove {
    Vec3 position = Vec3::Zero();
    Mat3 turn = Mat3::Identity();
};

/// A map of the figure. `follows[k]` in [0, 1] is the weight with which the point belongs to what
/// hangs on the k-th joint: 1 for bones beyond it, 0 for bones before it, between for flesh that
/// spans it.
using FigureMap = std::function<FigureMove(const Vec3& position, std::span<const double> follows)>;

/// Moves every station, node, joint and landmark of the table. Bones follow the joints they hang
/// on as a whole. A stroke or sheet from one bone to another follows a joint between them in a
/// smooth step along its path, where it passes the joint, so its ends stay on their bones. Fat pads
/// follow by their distance to two bones; landmarks follow the nearest bone. Radii stay.
/// @param joints  names of joints of the table
void move_figure(FigureTable& table, std::span<const std::string> joints, const FigureMap& map);

/// Turns the joints of a stance (both sides alike) and makes the result the rest pose: centres and
/// axes move along, limits and rest angles are shifted, so that the same anatomical positions stay
/// allowed.
void apply_stance(FigureTable& table, const FigureStance& stance);

/// Multiplies all lengths about the origin; volumes follow with the third power.
void scale_figure(FigureTable& table, double factor);

}  // namespace sinew
