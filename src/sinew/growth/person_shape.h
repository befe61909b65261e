#pragma once

#include "sinew/body/person_measures.h"
#include "sinew/growth/frame_maps.h"

#include <Eigen/Core>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sinew {

struct PersonAnatomy;

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
    /// Shear modulus of fat that hangs, Pa; 0: nothing hangs. See hanging_fat.
    double fat_modulus = 0.0;
};

/// How far the surface of a layer of fat hangs below where it was without gravity, m. On a wall a
/// layer of thickness h is sheared by its own weight, u = rho g h^2 / (2 mu); above or below a
/// level support it is stretched or pressed, a third of that (E = 3 mu). In between by the squares
/// of the normal's components.
/// @param thickness  h, m
/// @param up         of the unit normal
/// @param modulus    mu, Pa, > 0
double hanging_fat(double thickness, double up, double modulus);

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
        Eigen::VectorXd before_visceral = {};  ///< volumes of tets without visceral fat, m^3
    };
    Shape shape(const PersonForm& form) const;

    /// The shape's `measured` alone. The skin says it all, so that nothing has to be solved.
    MeasuredShape surface(const PersonForm& form) const;

    /// Masses of forms that are near one, to first order: derivatives of volumes by positions are
    /// carried back through walls and fields once (the adjoint), and no neighbour needs fields of
    /// its own. Muscle stays as it is. The shaper outlives it.
    class MassesNear {
    public:
        ~MassesNear();
        MassesNear(MassesNear&&) noexcept;
        PersonMasses here() const;
        PersonMasses operator()(const PersonForm& form) const;

    private:
        friend class PersonShaper;
        struct Data;
        explicit MassesNear(std::unique_ptr<Data> data);
        std::unique_ptr<Data> data_;
    };
    MassesNear masses_near(const PersonForm& form) const;

    struct Made {
        Body body;
        Eigen::Index mended_tets = 0;
        Eigen::Index parted_skin = 0;  ///< vertices that were held back where skin meets skin
        Eigen::VectorXd held = {};     ///< how much crossings hold skin vertices back, in [0, 1]
    };
    /// The form as a new rest body. Generic tissue of the belly that visceral fat pushes apart
    /// keeps its volume; what is gained is fat. Where skin would go through skin (groin, armpits,
    /// folds), flesh and fat come only as far as there is room, fading over the skin around.
    /// @param held  of a form that was tried before: at least so much is held back again, so that
    ///              forms that are near each other become bodies that are
    Made body(const PersonForm& form, Eigen::VectorXd held = {}) const;

private:
    std::unique_ptr<PersonAnatomy> anatomy_;
};

}  // namespace sinew
