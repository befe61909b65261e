#include "sinew/io/read_options.h"

#include "sinew/base/error.h"

#include <fmt/format.h>

namespace sinew {

double metres_per(Unit unit) {
    switch (unit) {
        case Unit::Metre:
            return 1.0;
        case Unit::Centimetre:
            return 0.01;
        case Unit::Millimetre:
            return 0.001;
    }
    return 1.0;
}

Unit unit_from_name(std::string_view name) {
    if (name == "m") {
        return Unit::Metre;
    }
    if (name == "cm") {
        return Unit::Centimetre;
    }
    if (name == "mm") {
        return Unit::Millimetre;
    }
    throw InputError({.where = "--unit",
                      .found = fmt::format("'{}'", name),
                      .needs = "m, cm or mm",
                      .remedy = "choose one of these"});
}

UpAxis up_axis_from_name(std::string_view name) {
    if (name == "y" || name == "Y") {
        return UpAxis::Y;
    }
    if (name == "z" || name == "Z") {
        return UpAxis::Z;
    }
    throw InputError({.where = "--up",
                      .found = fmt::format("'{}'", name),
                      .needs = "y or z",
                      .remedy = "choose one of these"});
}

void convert_to_metres_y_up(Points& points, const ReadOptions& options) {
    if (options.unit != Unit::Metre) {
        points *= metres_per(options.unit);
    }
    if (options.up == UpAxis::Z) {
        const Eigen::VectorXd y = points.col(1);
        points.col(1) = points.col(2);
        points.col(2) = -y;
    }
}

std::string conversion_note(const ReadOptions& options) {
    std::string note;
    if (options.unit != Unit::Metre) {
        note = options.unit == Unit::Centimetre ? "centimetres to metres" : "millimetres to metres";
    }
    if (options.up == UpAxis::Z) {
        note += note.empty() ? "Z up to Y up" : ", Z up to Y up";
    }
    return note;
}

}  // namespace sinew
