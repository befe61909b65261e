#pragma once

#include "sinew/body/person_measures.h"
#include "sinew/growth/frame_maps.h"
#include "sinew/growth/harmonic_fields.h"
#include "sinew/growth/person_shape.h"
#include "sinew/mesh/connectivity.h"

#include <array>
#include <vector>

namespace sinew {

/// What a PersonShaper finds out about its body once: which part every point belongs to, where fat
/// may come and go, how the inside follows the skin.
struct PersonAnatomy {
    /// The weight of a part at a vertex.
    struct PartWeight {
        std::size_t part = 0;
        double weight = 0.0;
    };

    Body rest;
    std::vector<BodyPart> parts;
    std::vector<std::size_t> part_of_segment;
    std::vector<std::vector<PartWeight>> weights;  ///< per vertex
    Points anchors = Points(0, 3);                 ///< per vertex: where on bones it belongs to
    std::vector<double> left, right;               ///< how much a vertex belongs to a leg
    std::array<std::vector<double>, 2> arm;        ///< and to an arm, left and right
    std::array<std::size_t, 2> shoulder = {}, elbow = {};  ///< joints
    MeasuredShape measured;
    std::vector<Index> landmark_vertex = {};  ///< in the order of the body's landmarks
    Eigen::MatrixXd maps;                     ///< skin vertices x regions
    Eigen::VectorXd belly;                    ///< of visceral fat, per skin vertex
    Eigen::MatrixXd normals;                  ///< of skin vertices, smoothed
    std::vector<double> room, thickness;      ///< per skin vertex, m
    Points columns = Points(0, 3);            ///< of fat, outwards, unit vectors per skin vertex
    Eigen::VectorXd to_lose;                  ///< their lengths, m
    Lists around;                             ///< of skin vertices
    HarmonicField fat_field;                  ///< how the inside follows fat under the skin
    Points visceral_skin, visceral_unit;      ///< by 1 m of visceral fat: skin, all points
    // Per tetrahedron and unit of volume.
    Eigen::VectorXd density, fat_density, muscle_density, generic_share;
    double generic_to_fat = 0.0;  ///< kg/m^3 lost where generic tissue gives way to fat
    double fat_weight = 900.0;    ///< kg/m^3

    explicit PersonAnatomy(const Body& body);

private:
    void find_weights();
    void find_tissues();
    void find_skin();
};

/// The mean of every row and its neighbours', so many times.
void average(const Lists& around, Eigen::MatrixXd& values, int rounds);

}  // namespace sinew
