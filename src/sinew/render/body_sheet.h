#pragma once

#include "sinew/base/progress.h"
#include "sinew/body/body.h"
#include "sinew/render/image.h"
#include "sinew/render/render.h"

#include <string>
#include <vector>

namespace sinew {

/// One look at a body.
struct BodyPanel {
    std::string caption = {};
    Scene scene = {};
};

/// What there is to see of a body: skin, envelope, muscles over bones, bones, fibres coloured by
/// muscle, tetrahedra by tissue, cut open from the front. Only what the body has.
std::vector<BodyPanel> body_panels(const Body& body);

/// All panels in one picture, drawn with the same camera.
/// @param options  of each panel
Image body_sheet(const Body& body, const RenderOptions& options, const Progress& progress = {});

}  // namespace sinew
