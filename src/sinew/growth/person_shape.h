#pragma once

#include "sinew/body/person_measures.h"
#include "sinew/growth/frame_maps.h"

#include <Eigen/Core>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sinew {

/// Regions of fat that a person has more or less of (fat_maps.h).
inline constexpr int kPersonFatRegions = 12;
std::span<const std::string> person_fat_regions();

/// What makes a person of a body: a frame, and fat.
struct PersonForm {
    FrameScales frame = {};
    /// Skin moves outwards by so much where the map is 1, m; below 0 what is there gets thinner and
    /// never less than nothing.
    std::vector<double> fat = std::vector<double>(kPersonFatRegions, 0.0);
    double fat_lost = 0.0;  ///< the skin moves inwards by so much, everywhere where fat is, m, >= 0
    /// Fat inside the belly pushes its wall out by so much, m, >= 0.
    double visceral = 0.0;
};

/// Masses of a shape, kg.
struct PersonMasses {
    double all = 0.0;
    double fat = 0.0;
    double muscle = 0.0;  ///< bellies
};

/// A body in another form. Every part of the skeleton has an affine map, blended by harmonic
/// weights of its bones in the tetrahedra; across the limbs flesh may widen more than bones, the
/// further the nearer to the skin. Fat moves the skin along smoothed normals, and what is below
/// follows harmonically, fat a hundred times more readily than other tissue. Skin that faces skin
/// keeps apart: neither side uses more than its half of the air.
class PersonShaper {
public:
    /// Finds weights and factorises, once per body; keeps a copy.
    /// @throws InputError  for a body without tets, or without what measures need
    explicit PersonShaper(const Body& body);
    ~PersonShaper();
    PersonShaper(PersonShaper&&) noexcept;
    PersonShaper& operator=(PersonShaper&&) noexcept;

    const Body& rest() const;

    /// A shape to be measured.
    struct Shape {
        Points points = Points(0, 3);  ///< of all tets, standing on the ground
        double lift = 0.0;             ///< m, that put it there
        MeasuredShape measured = {};
        PersonMasses masses = {};
    };
    Shape shape(const PersonForm& form) const;

    struct Made {
        Body body;
        Eigen::Index mended_tets = 0;
    };
    /// The form as a new rest body. Generic tissue of the belly that visceral fat pushes apart
    /// keeps its volume; what is gained is fat.
    Made body(const PersonForm& form) const;

private:
    struct Data;
    std::unique_ptr<Data> data_;
};

}  // namespace sinew
