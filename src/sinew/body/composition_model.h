#pragma once

#include "sinew/body/anatomy.h"

#include <vector>

namespace sinew {

/// A tape round a part of the template: points of its skin in order, closed.
struct CompositionTape {
    int feature = 0;               ///< tapes of one feature are averaged: left and right
    Points places = Points(0, 3);  ///< on the template's skin at rest, at least 3, m
};

/// Fat and muscle mass as linear functions of the shape [Komaritzan, eqs. 4.5-4.6]:
///   FM = s^3 (a_FM . f + b_FM),  MM = s^3 (a_MM . f + b_MM),  f = P^T ((A / s^2 - mu) / sigma)
/// with s the stature at rest, A the areas inside tapes round trunk and limbs, mu and sigma their
/// mean and deviation among the people it was trained with, and P the first principal components.
/// Tapes are places of the template's skin, so that one model serves every resolution.
///
/// Departs: the thesis takes components of the skin's positions. Those hold posture and features of
/// the people that a cohort is made of: scans of other makers' people lay 3 to 6 deviations off.
/// Areas hold what fat and muscle change, whoever made the skin. At unit stature people of one
/// build and other size have the same fractions; the thesis needs all sizes of each build.
struct CompositionModel {
    Sex sex = Sex::Unknown;
    std::string source = {};  ///< whom it was trained with
    int people = 0;           ///< how many
    std::vector<CompositionTape> tapes = {};
    Eigen::VectorXd mean = {};       ///< mu, of the stature squared
    Eigen::VectorXd spread = {};     ///< sigma, > 0, likewise
    Eigen::MatrixXd basis = {};      ///< P, one column per component, orthonormal
    Eigen::VectorXd deviation = {};  ///< of each component f, > 0
    Eigen::VectorXd fat = {};        ///< a_FM, then b_FM; kg/m^3
    Eigen::VectorXd muscle = {};     ///< a_MM, then b_MM; kg/m^3
};

}  // namespace sinew
