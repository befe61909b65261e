#pragma once

namespace sinew {

/// Lame coefficients of an isotropic material at small strain, Pa.
struct Lame {
    double mu = 0.0;      ///< shear modulus, > 0
    double lambda = 0.0;  ///< > -2 mu / 3
};

///   mu = E / (2 (1 + nu)),   lambda = E nu / ((1 + nu)(1 - 2 nu))   [Kadlecek2022, eqs. 2.6, 2.7]
/// @param young    Young's modulus, Pa, > 0
/// @param poisson  Poisson's ratio in (-1, 0.5)
/// @throws InputError  outside these ranges
Lame lame_from_young(double young, double poisson);

double bulk_modulus(const Lame& lame);   ///< lambda + 2 mu / 3, Pa
double young_modulus(const Lame& lame);  ///< Pa
double poisson_ratio(const Lame& lame);

/// @throws InputError  naming `law` when the small-strain energy would not be positive
void require_stable(const Lame& lame, const char* law);

}  // namespace sinew
