// The moment arms of a model's muscles about a joint, over its range of motion.
//   06_moment_arms PERSON.sinew|MODEL.osim [COORDINATE]
#include "sinew/base/error.h"
#include "sinew/base/units.h"
#include "sinew/io/model_files.h"
#include "sinew/motion/muscle_sweep.h"
#include "sinew/pipeline/any_model.h"

#include <algorithm>
#include <cstdio>

using namespace sinew;

int main(int argc, char** argv) try {
    if (argc < 2) {
        std::fprintf(stderr, "usage: 06_moment_arms PERSON.sinew|MODEL.osim [COORDINATE]\n");
        return 2;
    }
    // A body becomes a model of rigid bones with line muscles; a model is read as it is.
    const MusculoskeletalModel model = read_any_model(argv[1]);
    const std::string wanted = argc > 2 ? argv[2] : "elbow_l_flexion";
    const auto found = std::find_if(model.coordinates.begin(), model.coordinates.end(),
                                    [&](const Coordinate& c) { return c.name == wanted; });
    if (found == model.coordinates.end()) {
        std::fprintf(stderr, "the model has no coordinate '%s'\n", wanted.c_str());
        return 2;
    }

    // Sweep the coordinate; all others stay at rest. A positive arm turns with the coordinate.
    const auto coordinate = static_cast<Index>(found - model.coordinates.begin());
    const MuscleSweep sweep = sweep_coordinate(model, coordinate, 5);
    std::printf("%-36s", sweep.coordinate.c_str());
    for (const double q : sweep.values) {
        std::printf("%8.0f", sweep.is_rotation ? q / kDegree : 1e3 * q);
    }
    std::printf("\n");
    for (const MuscleSweep::Curve& muscle : sweep.muscles) {
        std::printf("%-36s", muscle.muscle.c_str());
        for (const double arm : muscle.moment_arm) {
            std::printf("%8.1f", 1e3 * arm);  // mm
        }
        std::printf("\n");
    }
    write_model("model.osim", model);
    return sweep.muscles.empty() ? 1 : 0;
} catch (const InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
}
