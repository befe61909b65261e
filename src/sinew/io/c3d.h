#pragma once

#include "sinew/body/marker_data.h"
#include "sinew/body/musculoskeletal.h"

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sinew {

/// One force plate: what it pushed with, m, N and N m, Y up.
struct ForcePlate {
    int type = 0;  ///< as C3D counts them, 1 to 4
    std::array<Vec3, 4> corners = {};
    std::vector<Vec3> force = {};   ///< on whoever stands on it, one per sample
    std::vector<Vec3> point = {};   ///< centre of pressure; the plate's middle where it is unloaded
    std::vector<Vec3> torque = {};  ///< beside the force at that point
};

/// What a C3D file holds, in metres and with Y up.
struct C3dData {
    MarkerData markers = {};
    MotionTable analog = {};  ///< all channels as recorded, in their own units
    std::vector<ForcePlate> plates = {};
    std::vector<double> plate_times = {};  ///< s
    std::vector<std::string> notes = {};
};

/// Reads C3D [C3D, www.c3d.org]: Intel, MIPS and DEC numbers, integer and floating-point frames;
/// markers with the gaps that the file marks, analog channels, force plates of types 1, 2, 3 and 4.
/// Labels may go on in LABELS2, LABELS3. Moments of plates are in the unit that ANALOG:UNITS gives
/// (Nm, Ncm, Nmm), else in newtons times the markers' unit.
/// @param up  which axis of the file points up: 'y' or 'z'; nothing: as POINT:Y_SCREEN says, else z
/// @throws InputError with the file and the byte
C3dData read_c3d(const std::filesystem::path& path, std::optional<char> up = {});
C3dData parse_c3d(std::string_view bytes, std::string_view file, std::optional<char> up = {});

/// Plates as a table of loads: plate1_force_vx ... plate1_force_px ... plate1_torque_x ...
MotionTable table_of_plates(const C3dData& data);

}  // namespace sinew
