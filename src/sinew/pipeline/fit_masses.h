#pragma once

#include "sinew/pipeline/fit_scan.h"

namespace sinew {

/// What the person on a scan is made of, before the anatomy is fitted: masses that the job knows
/// count; the others are told from the skin, body fat by the regressors of `data/fit` [Komaritzan,
/// eqs. 4.5-4.6] where they know such shapes, else by girths [Hodgdon1984; Siri1961]. A weight that
/// is not known is that of the volume at the density of water. What was guessed, and how, is told
/// in the remarks; published formulas are the witnesses.
CompositionTargets masses_from_skin(const FitJob& job, FittedScan& fitted);

/// What the fitted anatomy lets formulas say: skeletal muscle by girths of arm, thigh and calf
/// without fat [Lee2000], which are those of the muscle surface.
void add_anatomy_witnesses(FittedScan& fitted);

}  // namespace sinew
