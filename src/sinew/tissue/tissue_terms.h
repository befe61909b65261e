#pragma once

#include "sinew/base/fields.h"
#include "sinew/body/body.h"
#include "sinew/energy/pins.h"
#include "sinew/energy/projective_tets.h"

#include <concepts>
#include <memory>
#include <vector>

namespace sinew {

/// How stiff each tissue is: the one place where anatomy gets stiffness. The numbers are the
/// weights of [Saito2015, section 3.1]; `unit` gives them a dimension.
///
/// Departs: the paper names no unit. With 100 Pa muscle has a shear modulus of 10 kPa and fat one
/// of 3 kPa, which lets fat sag as fat does; shapes grown without gravity do not depend on it.
/// Bone, on which the paper is silent because springs hold it, is as stiff as tendon.
struct TissueStiffness {
    double muscle = 100.0;   ///< w_rot, >= 0
    double generic = 100.0;  ///< w_rot, >= 0
    double tendon = 1000.0;  ///< w_rot, >= 0
    double fat = 30.0;       ///< w_rot, >= 0
    double bone = 1000.0;    ///< w_rot, >= 0
    double volume = 1000.0;  ///< w_vol of every tissue, >= 0
    double springs = 100.0;  ///< w_bone of each attachment, per metre, >= 0
    double unit = 100.0;     ///< Pa, > 0
};

template <class Options, class Visitor>
requires std::same_as<std::remove_const_t<Options>, TissueStiffness>
void visit_fields(Options& o, Visitor&& v) {
    v(o.muscle, Field{.name = "muscle", .help = "shape of muscle", .min = 0});
    v(o.generic, Field{.name = "generic", .help = "shape of generic tissue", .min = 0});
    v(o.tendon, Field{.name = "tendon", .help = "shape of tendon", .min = 0});
    v(o.fat, Field{.name = "fat", .help = "shape of fat", .min = 0});
    v(o.bone, Field{.name = "bone", .help = "shape of bone", .min = 0});
    v(o.volume, Field{.name = "volume", .help = "volume of every tissue", .min = 0});
    v(o.springs, Field{.name = "springs", .help = "springs on bones", .min = 0});
    v(o.unit, Field{.name = "unit", .help = "of these weights", .unit = "Pa", .above = 0});
}

/// Weights of ProjectiveTets, Pa, one per tetrahedron: those of its tissues, averaged by volume.
struct TetWeights {
    std::vector<double> rotation;
    std::vector<double> volume;
};
TetWeights blended_weights(const Body& body, const TissueStiffness& stiffness = {});

/// Shape and volume of all tetrahedra [Saito2015, eq. 6].
/// @throws InputError  for a body without tets or shares, or stiffness out of range
std::shared_ptr<ProjectiveTets> make_tet_term(const Body& body,
                                              const TissueStiffness& stiffness = {});
/// Springs from the flesh to the bones [Saito2015, eq. 5], at rest where the flesh is.
std::shared_ptr<Pins> make_attachment_term(const Body& body, const TissueStiffness& stiffness = {});

/// Mean density of each tetrahedron, kg/m^3.
std::vector<double> densities_of_tets(const Body& body);

/// Volume fraction of one tissue in each tetrahedron, [0, 1].
std::vector<double> tissue_share_of_tets(const Body& body, Tissue tissue);

}  // namespace sinew
