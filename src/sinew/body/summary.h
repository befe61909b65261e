#pragma once

#include "sinew/body/body.h"

#include <array>
#include <string>
#include <vector>

namespace sinew {

/// The numbers a person asks for first. Bookkeeping only: nothing is fitted or estimated.
struct BodySummary {
    struct Part {
        std::string name;
        std::string group;        ///< of a muscle; empty for a segment
        double volume = 0.0;      ///< m^3 (muscles)
        double mass = 0.0;        ///< kg (segments)
        Vec3 com = Vec3::Zero();  ///< m (segments)
    };
    std::string name;
    Sex sex = Sex::Unknown;
    std::size_t points = 0;
    std::size_t tets = 0;
    std::size_t skin_vertices = 0;
    std::size_t skin_triangles = 0;
    double stature = 0.0;    ///< height of the skin, m
    double volume = 0.0;     ///< of all tetrahedra, m^3
    double mass = 0.0;       ///< kg: fraction * volume * density, summed
    double body_fat = 0.0;   ///< mass of fat / mass, in [0, 1]
    double skin_area = 0.0;  ///< m^2
    std::array<double, kTissueCount> tissue_volume = {};  ///< m^3, by Tissue
    Vec3 low = Vec3::Zero();  ///< bounds of the skin (or of the tets), m
    Vec3 high = Vec3::Zero();
    std::vector<std::string> bones = {};
    std::vector<Part> muscles = {};
    std::vector<Part> segments = {};
};

BodySummary summarise(const Body& body);

/// Per muscle: the sum over tets of fraction * volume, belly and tendon together, m^3.
std::vector<double> muscle_volumes_in_tets(const Body& body);

}  // namespace sinew
