#pragma once

#include "sinew/build/figure.h"
#include "sinew/io/data_folder.h"
#include "sinew/io/figure_files.h"

namespace sinew::support {

/// The built-in figure, coarse so that the tests stay quick; made once.
inline const Template& coarse_figure() {
    static const Template figure =
        build_figure(read_figure(data_folder() / "figure"),
                     {.part_cell = 0.006, .thin_part_cell = 0.0025, .skin_cell = 0.007});
    return figure;
}

}  // namespace sinew::support
