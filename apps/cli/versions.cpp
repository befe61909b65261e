#include "cli/versions.h"

#include "sinew/base/version.h"

#include <Eigen/src/Core/util/Macros.h>
#include <H5public.h>
#include <embree3/rtcore_config.h>
#include <fmt/format.h>
#include <metis.h>
#include <nlohmann/detail/abi_macros.hpp>
#include <openvdb/version.h>
#include <png.h>
#include <tbb/version.h>

namespace sinew::cli {

std::string version_report() {
    const std::string libraries = fmt::format(
        "Eigen {}.{}.{}, oneTBB {}, Embree {}, OpenVDB {}, HDF5 {}.{}.{}, METIS {}.{}.{}, fmt "
        "{}.{}.{}, "
        "libpng {}, nlohmann json {}.{}.{}",
        EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION, TBB_runtime_version(),
        RTC_VERSION_STRING, OPENVDB_LIBRARY_VERSION_STRING, H5_VERS_MAJOR, H5_VERS_MINOR,
        H5_VERS_RELEASE, METIS_VER_MAJOR, METIS_VER_MINOR, METIS_VER_SUBMINOR, FMT_VERSION / 10000,
        FMT_VERSION / 100 % 100, FMT_VERSION % 100, PNG_LIBPNG_VER_STRING,
        NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH);
    return fmt::format("sinew {}\nbuild: {}\nlibraries: {}\nprograms: tetgen (run, not linked)",
                       version(), build_description(), libraries);
}

}  // namespace sinew::cli
