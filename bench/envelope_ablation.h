#pragma once

#include "sinew/base/progress.h"
#include "sinew/body/body.h"

namespace sinew::bench {

/// The same person in other tetrahedra that conform to the skin, and to the envelope or not
/// [Saito2015, section 3.2 and Figure 9]; tissues and fibres are sampled from the given body.
/// @param coarseness  largest volume of a tetrahedron over the mean of the given body's
Body remeshed(const Body& body, bool has_envelope, double coarseness,
              const Progress& progress = {});

}  // namespace sinew::bench
