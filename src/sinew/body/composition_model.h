#pragma once

#include "sinew/body/anatomy.h"

namespace sinew {

/// Fat and muscle mass as linear functions of the shape [Komaritzan, eqs. 4.5-4.6]:
///   FM = s^3 (a_FM . f + b_FM),  MM = s^3 (a_MM . f + b_MM),  f = [P^T (X / s - mu); V / s^3]
/// with s the stature, V the volume of the skin and P the first principal components of the
/// training skins at rest, at unit stature. Shapes are read at places of the template's skin, so
/// that one model serves every resolution of a template.
/// Departs: the thesis regresses masses on shapes of full size. Masses go with the cube of size, so
/// that one needs people of all statures for each build; here people of one build and other size
/// have the same fractions. The volume is added because fat makes it, and it is not linear in X.
struct CompositionModel {
    Sex sex = Sex::Unknown;
    std::string source = {};         ///< whom it was trained with
    int people = 0;                  ///< how many
    Points places = Points(0, 3);    ///< on the template's skin, where shapes are read, m
    Eigen::VectorXd mean = {};       ///< mu, 3 per place, of the stature
    Eigen::MatrixXd basis = {};      ///< P, one column per component, orthonormal
    Eigen::VectorXd centre = {};     ///< mean of each feature f
    Eigen::VectorXd deviation = {};  ///< of each feature f, > 0
    Eigen::VectorXd fat = {};        ///< a_FM, then b_FM; kg/m^3
    Eigen::VectorXd muscle = {};     ///< a_MM, then b_MM; kg/m^3
};

}  // namespace sinew
