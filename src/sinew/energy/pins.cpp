#include "sinew/energy/pins.h"

namespace sinew {

Pins::Pins(std::vector<Pin> pins) : pins_(std::move(pins)) {}

double Pins::value(const Points& x) const {
    double sum = 0.0;
    for (const Pin& pin : pins_) {
        sum += 0.5 * pin.stiffness * (point(x, pin.vertex) - pin.target).squaredNorm();
    }
    return sum;
}

void Pins::add_gradient(const Points& x, Points& gradient) const {
    for (const Pin& pin : pins_) {
        gradient.row(pin.vertex) += pin.stiffness * (point(x, pin.vertex) - pin.target).transpose();
    }
}

void Pins::add_pattern(BlockPattern& /*pattern*/) const {}  // the diagonal is always there

void Pins::add_hessian(const Points& /*x*/, Tangent /*kind*/, BlockHessian& H) const {
    for (const Pin& pin : pins_) {
        H.add(pin.vertex, pin.vertex, pin.stiffness * Mat3::Identity());
    }
}

}  // namespace sinew
