#pragma once

#include "sinew/body/anatomy.h"

namespace sinew {

/// Fat and muscle mass as linear functions of the shape [Komaritzan, eqs. 4.5-4.6]:
///   FM(c) = a_FM . c + b_FM,  MM(c) = a_MM . c + b_MM,  c = P^T (X - mu)
/// with P the first principal components of the training skins at rest. Shapes are read at places
/// of the template's skin, so that one model serves every resolution of a template.
struct CompositionModel {
    Sex sex = Sex::Unknown;
    std::string source = {};         ///< whom it was trained with
    int people = 0;                  ///< how many
    Points places = Points(0, 3);    ///< on the template's skin, where shapes are read, m
    Eigen::VectorXd mean = {};       ///< mu, 3 per place, m
    Eigen::MatrixXd basis = {};      ///< P, one column per component, orthonormal
    Eigen::VectorXd deviation = {};  ///< of each component, m, > 0
    Eigen::VectorXd fat = {};        ///< a_FM, then b_FM; kg/m, kg
    Eigen::VectorXd muscle = {};     ///< a_MM, then b_MM; kg/m, kg
};

}  // namespace sinew
