#include "sinew/io/c3d.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/io/byte_reader.h"
#include "sinew/io/c3d_parameters.h"
#include "sinew/io/file_bytes.h"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <set>

namespace sinew {

namespace {

using detail::C3dParameters;

constexpr std::size_t kBlock = 512;
constexpr double kUnloaded = 5.0;  // N across a plate; below, no centre of pressure is sought

// The numbers of the file's header that frames need.
struct C3dLayout {
    std::size_t points = 0;
    std::size_t samples = 0;  // analog values per frame, all channels
    std::size_t per_frame = 0;
    std::size_t frames = 0;
    std::size_t channels = 0;
    std::size_t data_at = 0;
    double scale = -1.0;  // < 0: floating-point
    double rate = 0.0;
    double first = 0.0;
};

// Frames by TRIAL:ACTUAL_START_FIELD and ACTUAL_END_FIELD, each two words of 16 bits; 0: not said.
double told_by_trial(const C3dParameters& p) {
    const auto field = [&](const char* name) {
        const auto word = [&](std::size_t k) {
            const double w = p.number_at(name, k, 0.0);
            return w < 0.0 ? w + 65536.0 : w;
        };
        return word(0) + 65536.0 * word(1);
    };
    const double end = field("TRIAL:ACTUAL_END_FIELD");
    return end > 0.0 ? end - field("TRIAL:ACTUAL_START_FIELD") + 1.0 : 0.0;
}

C3dLayout read_c3d_layout(std::string_view bytes, std::string_view file, const C3dParameters& p) {
    ByteReader in(bytes, file, p.is_big_endian, 2);
    C3dLayout out;
    out.points = in.get<std::uint16_t>("the number of markers");
    out.samples = in.get<std::uint16_t>("the number of analog values");
    const auto first = in.get<std::uint16_t>("the first frame");
    const auto last = in.get<std::uint16_t>("the last frame");
    in.skip(2, "the longest gap");
    out.scale = detail::read_c3d_float(in, p.is_dec, "the scale");
    const auto block = in.get<std::uint16_t>("the block of the data");
    out.per_frame = in.get<std::uint16_t>("analog values per frame");
    out.rate = detail::read_c3d_float(in, p.is_dec, "the rate");
    out.first = first;
    out.scale = p.number("POINT:SCALE", out.scale);
    out.rate = p.number("POINT:RATE", out.rate);
    out.channels = out.per_frame > 0 ? out.samples / out.per_frame : 0;
    // Samples without channels hold nothing, and would be counted without any bytes.
    out.per_frame = out.channels > 0 ? out.per_frame : 0;
    if (block < 2 || !(out.rate > 0.0) || !std::isfinite(out.scale) || last < first) {
        in.fail("a header without data, rate or frames");
    }
    out.data_at = (block - 1U) * kBlock;
    out.frames = static_cast<std::size_t>(last - first) + 1U;
    // More than 65535 frames do not fit into the header.
    const double told = p.number("POINT:FRAMES", 0.0);
    const std::size_t word = out.scale < 0.0 ? 4 : 2;
    const std::size_t frame_bytes = (out.points * 4 + out.channels * out.per_frame) * word;
    const std::size_t left = bytes.size() > out.data_at ? bytes.size() - out.data_at : 0;
    const std::size_t held = frame_bytes > 0 ? left / frame_bytes : 0;
    if (last == 65535 || told < 0.0) {
        const double longer = p.number("POINT:LONG_FRAMES", told_by_trial(p));
        out.frames = longer >= 1.0 && longer <= static_cast<double>(held)
                         ? static_cast<std::size_t>(longer)
                         : held;
    }
    if (out.frames > held) {
        in.fail(fmt::format("{} frames are announced, {} follow", out.frames, held));
    }
    return out;
}

// (x, y, z) with Z up to Y up: a rotation by -90 degrees about x.
Vec3 y_up(const Vec3& v, bool is_z_up) {
    return is_z_up ? Vec3(v.x(), v.z(), -v.y()) : v;
}

bool find_up(const C3dParameters& p, std::optional<char> up, std::vector<std::string>& notes) {
    if (up) {
        return *up == 'z';
    }
    const std::string screen = lower(p.text("POINT:Y_SCREEN"));
    if (screen.size() == 2 && (screen[1] == 'y' || screen[1] == 'z')) {
        return screen[1] == 'z';
    }
    notes.emplace_back("the file does not say which axis points up: taken as z");
    return true;
}

double unit_of_length(const C3dParameters& p, std::vector<std::string>& notes) {
    const std::string unit = lower(p.text("POINT:UNITS"));
    if (unit == "mm" || unit == "cm" || unit == "m") {
        return unit == "mm" ? 1e-3 : unit == "cm" ? 1e-2 : 1.0;
    }
    notes.push_back(fmt::format("lengths in '{}': taken as millimetres", unit));
    return 1e-3;
}

void name_c3d_markers(const C3dParameters& p, std::size_t count, MarkerData& data) {
    const std::vector<std::string> labels = p.labels("POINT:LABELS");
    std::set<std::string> seen;
    for (std::size_t i = 0; i < count; ++i) {
        std::string name = i < labels.size() ? labels[i] : std::string();
        // Programs put the subject's name before a colon.
        if (const std::size_t colon = name.rfind(':'); colon != std::string::npos) {
            name = name.substr(colon + 1);
        }
        if (name.empty() || !seen.insert(name).second) {
            name = fmt::format("{}marker_{}", name.empty() ? "" : name + "_", i + 1);
            seen.insert(name);
        }
        data.names.push_back(name);
    }
}

void read_c3d_frames(std::string_view bytes, std::string_view file, const C3dParameters& p,
                     const C3dLayout& layout, double unit, bool is_z_up, C3dData& out) {
    ByteReader in(bytes, file, p.is_big_endian, layout.data_at);
    const bool is_float = layout.scale < 0.0;
    const double gain = p.number("ANALOG:GEN_SCALE", 1.0);
    const bool is_unsigned = lower(p.text("ANALOG:FORMAT")) == "unsigned";
    const Vec3 unseen = Vec3::Constant(std::numeric_limits<double>::quiet_NaN());
    std::vector<double> offset;
    for (std::size_t c = 0; c < layout.channels; ++c) {
        // Offsets are counted as the samples are: 32768 comes as -32768.
        const double told = p.number_at("ANALOG:OFFSET", c, 0.0);
        offset.push_back(is_unsigned && told < 0.0 ? told + 65536.0 : told);
    }
    for (std::size_t f = 0; f < layout.frames; ++f) {
        out.markers.times.push_back((layout.first - 1.0 + static_cast<double>(f)) / layout.rate);
        for (std::size_t m = 0; m < layout.points; ++m) {
            Vec3 v;
            double mask = 0.0;
            for (int k = 0; k < 4; ++k) {
                const double x = is_float ? detail::read_c3d_float(in, p.is_dec, "a frame")
                                          : static_cast<double>(in.get<std::int16_t>("a frame"));
                (k < 3 ? v[k] : mask) = x;
            }
            v *= is_float ? unit : unit * layout.scale;
            const bool is_seen = mask >= 0.0 && v.allFinite();
            out.markers.positions.push_back(is_seen ? y_up(v, is_z_up) : unseen);
        }
        for (std::size_t s = 0; s < layout.per_frame; ++s) {
            out.analog.times.push_back(
                (layout.first - 1.0 + static_cast<double>(f) +
                 static_cast<double>(s) / static_cast<double>(layout.per_frame)) /
                layout.rate);
            for (std::size_t c = 0; c < layout.channels; ++c) {
                double raw = 0.0;
                if (is_float) {
                    raw = detail::read_c3d_float(in, p.is_dec, "a sample");
                } else {
                    const auto word = in.get<std::int16_t>("a sample");
                    raw = is_unsigned ? static_cast<double>(static_cast<std::uint16_t>(word))
                                      : static_cast<double>(word);
                }
                const double value = (raw - offset[c]) * p.number_at("ANALOG:SCALE", c, 1.0) * gain;
                out.analog.values.push_back(std::isfinite(value) ? value : 0.0);
            }
        }
    }
}

struct PlateUnits {
    double length = 1e-3;  // m
    double moment = 1e-3;  // N m
};

std::size_t channels_of(int type) {
    return type == 3 ? 8 : 6;
}

// The channel of a plate's value, counted from 1; 0 where there is none.
double plate_channel(const C3dParameters& p, std::size_t plate, int type, std::size_t k) {
    const auto it = p.values.find("FORCE_PLATFORM:CHANNEL");
    const std::size_t stride = it != p.values.end() && !it->second.dimensions.empty()
                                   ? it->second.dimensions[0]
                                   : channels_of(type);
    return p.number_at("FORCE_PLATFORM:CHANNEL", plate * stride + k, 0.0);
}

// Moments are in what ANALOG:UNITS says of them, else newtons times the markers' unit.
PlateUnits units_of_plate(const C3dParameters& p, std::size_t plate, int type, double length) {
    const std::vector<std::string> units = p.labels("ANALOG:UNITS");
    const double channel = plate_channel(p, plate, type, 5);
    std::string name;
    if (channel >= 1.0 && channel < static_cast<double>(units.size()) + 1.0) {
        for (const char c : lower(units[static_cast<std::size_t>(channel) - 1U])) {
            name += c >= 'a' && c <= 'z' ? std::string(1, c) : std::string();
        }
    }
    return {length, name == "nm" ? 1.0 : name == "ncm" ? 1e-2 : name == "nmm" ? 1e-3 : length};
}

// Forces and moments at the sensors' origin, in the plate's own frame, out of its channels.
void read_channels(const C3dParameters& p, const MotionTable& analog, std::size_t plate, int type,
                   std::size_t row, const PlateUnits& unit, Vec3& force, Vec3& moment,
                   Vec3& centre) {
    std::array<double, 8> x{};
    for (std::size_t k = 0; k < channels_of(type); ++k) {
        const double channel = plate_channel(p, plate, type, k);
        if (channel >= 1.0 && channel < static_cast<double>(analog.columns.size()) + 1.0) {
            x[k] = analog.at(row, static_cast<std::size_t>(channel) - 1U);
        }
    }
    const auto origin = [&](std::size_t k) {
        return unit.length * p.number_at("FORCE_PLATFORM:ORIGIN", plate * 3 + k, 0.0);
    };
    if (type == 3) {
        // Four corner sensors: fx12 fx34 fy14 fy23 fz1 fz2 fz3 fz4, at +-a, +-b.
        const double a = origin(0);
        const double b = origin(1);
        force = Vec3(x[0] + x[1], x[2] + x[3], x[4] + x[5] + x[6] + x[7]);
        moment = Vec3(b * (x[4] + x[5] - x[6] - x[7]), a * (-x[4] + x[5] + x[6] - x[7]),
                      b * (-x[0] + x[1]) + a * (x[2] - x[3]));
        return;
    }
    if (type == 4) {
        std::array<double, 8> y{};
        for (std::size_t i = 0; i < 6; ++i) {
            for (std::size_t k = 0; k < 6; ++k) {
                y[i] +=
                    p.number_at("FORCE_PLATFORM:CAL_MATRIX", plate * 36 + k * 6 + i, 0.0) * x[k];
            }
        }
        x = y;
    }
    force = Vec3(x[0], x[1], x[2]);
    moment = unit.moment * Vec3(x[3], x[4], x[5]);
    if (type == 1) {
        centre = unit.length * Vec3(x[3], x[4], 0.0);
        moment = Vec3(0.0, 0.0, unit.moment * x[5]);
    }
}

// The plate's frame: corners are those of its quadrants, +x+y, -x+y, -x-y, +x-y.
Mat3 plate_axes(const std::array<Vec3, 4>& q) {
    Mat3 R;
    R.col(0) = (q[0] + q[3] - q[1] - q[2]).normalized();
    R.col(2) = R.col(0).cross((q[0] + q[1] - q[2] - q[3]).normalized()).normalized();
    R.col(1) = R.col(2).cross(R.col(0));
    return R;
}

// From the sensors to the middle of the surface, in the plate's frame. Types 2 and 4 give it, type
// 3 only the depth.
// @param facing  upwards part of the plate's z
Vec3 surface_from_sensors(const C3dParameters& p, std::size_t plate, int type, double unit,
                          double facing, std::vector<std::string>& notes) {
    if (type == 1) {
        return Vec3::Zero();
    }
    Vec3 origin;
    for (std::size_t k = 0; k < 3; ++k) {
        origin[static_cast<Eigen::Index>(k)] =
            unit * p.number_at("FORCE_PLATFORM:ORIGIN", plate * 3 + k, 0.0);
    }
    // Sensors lie below the surface; most plates' z points down, so that it is seen from them at
    // negative z. Some programs write the depth without its sign.
    if (origin.z() * facing < 0.0) {
        origin = -origin;
        notes.push_back(fmt::format(
            "force plate {}: its origin lies above the surface; taken with the other sign",
            plate + 1));
    }
    return type == 3 ? Vec3(0.0, 0.0, origin.z()) : origin;
}

void read_plate(const C3dParameters& p, std::size_t plate, double unit, bool is_z_up,
                C3dData& out) {
    const double type = p.number_at("FORCE_PLATFORM:TYPE", plate, 0.0);
    if (!(type >= 1.0 && type < 5.0)) {
        out.notes.push_back(fmt::format("force plate {} of type {} is left out", plate + 1, type));
        return;
    }
    ForcePlate made{.type = static_cast<int>(type)};
    Vec3 middle = Vec3::Zero();
    for (std::size_t c = 0; c < 4; ++c) {
        for (std::size_t k = 0; k < 3; ++k) {
            made.corners[c][static_cast<Eigen::Index>(k)] =
                unit * p.number_at("FORCE_PLATFORM:CORNERS", plate * 12 + c * 3 + k, 0.0);
        }
        middle += 0.25 * made.corners[c];
    }
    const Mat3 R = plate_axes(made.corners);
    if (!R.allFinite() || std::abs(R.determinant() - 1.0) > 1e-6) {
        out.notes.push_back(fmt::format("force plate {} has no area and is left out", plate + 1));
        return;
    }
    const Vec3 shift =
        surface_from_sensors(p, plate, made.type, unit, is_z_up ? R(2, 2) : R(1, 2), out.notes);
    const PlateUnits units = units_of_plate(p, plate, made.type, unit);
    double upward = 0.0;
    for (std::size_t r = 0; r < out.analog.times.size(); ++r) {
        Vec3 force = Vec3::Zero();
        Vec3 moment = Vec3::Zero();
        Vec3 at = Vec3::Zero();
        read_channels(p, out.analog, plate, made.type, r, units, force, moment, at);
        if (made.type != 1) {
            // Moment about the middle of the surface, then the point on it without level moments.
            moment -= shift.cross(force);
            if (std::abs(force.z()) > kUnloaded) {
                at = Vec3(-moment.y() / force.z(), moment.x() / force.z(), 0.0);
                moment = Vec3(0.0, 0.0, (moment - at.cross(force)).z());
            } else {
                moment = Vec3(0.0, 0.0, moment.z());
            }
        }
        const Vec3 world = y_up(R * force, is_z_up);
        upward += world.y();
        made.force.push_back(world);
        made.point.push_back(y_up(middle + R * at, is_z_up));
        made.torque.push_back(y_up(R * moment, is_z_up));
    }
    for (Vec3& corner : made.corners) {
        corner = y_up(corner, is_z_up);
    }
    // Some programs store what the person does to the plate.
    if (upward < 0.0) {
        for (std::size_t r = 0; r < made.force.size(); ++r) {
            made.force[r] = -made.force[r];
            made.torque[r] = -made.torque[r];
        }
        out.notes.push_back(fmt::format(
            "force plate {} pulls downwards: its signs are reversed, as forces on the person",
            plate + 1));
    }
    out.plates.push_back(std::move(made));
}

}  // namespace

C3dData parse_c3d(std::string_view bytes, std::string_view file, std::optional<char> up) {
    ByteReader in(bytes, file);
    const auto block = in.get<std::uint8_t>("the parameters' block");
    const auto key = in.get<std::uint8_t>("the key");
    if (key != 0x50 || block < 2) {
        in.fail("no C3D file: its second byte is not 0x50");
    }
    const C3dParameters p = detail::read_c3d_parameters(bytes, file, (block - 1U) * kBlock);
    const C3dLayout layout = read_c3d_layout(bytes, file, p);
    C3dData out;
    const double unit = unit_of_length(p, out.notes);
    const bool is_z_up = find_up(p, up, out.notes);
    out.markers.rate = layout.rate;
    name_c3d_markers(p, layout.points, out.markers);
    const std::vector<std::string> labels = p.labels("ANALOG:LABELS");
    for (std::size_t c = 0; c < layout.channels; ++c) {
        out.analog.columns.push_back(
            c < labels.size() && !labels[c].empty() ? labels[c] : fmt::format("channel_{}", c + 1));
    }
    out.analog.name = "analog";
    read_c3d_frames(bytes, file, p, layout, unit, is_z_up, out);
    const double plates = p.number("FORCE_PLATFORM:USED", 0.0);
    for (std::size_t i = 0; layout.channels > 0 && i < 64 && static_cast<double>(i) < plates; ++i) {
        read_plate(p, i, unit, is_z_up, out);
    }
    out.plate_times = out.analog.times;
    if (is_z_up) {
        out.notes.emplace_back("z up in the file; turned to y up");
    }
    out.markers.notes = out.notes;
    return out;
}

C3dData read_c3d(const std::filesystem::path& path, std::optional<char> up) {
    return parse_c3d(read_file_bytes(path), path.string(), up);
}

MotionTable table_of_plates(const C3dData& data) {
    MotionTable out{.name = "force plates", .times = data.plate_times};
    for (std::size_t p = 0; p < data.plates.size(); ++p) {
        for (const char* part : {"force_v", "force_p", "torque_"}) {
            for (const char axis : {'x', 'y', 'z'}) {
                out.columns.push_back(fmt::format("plate{}_{}{}", p + 1, part, axis));
            }
        }
    }
    for (std::size_t r = 0; r < data.plate_times.size(); ++r) {
        for (const ForcePlate& plate : data.plates) {
            for (const Vec3& v : {plate.force[r], plate.point[r], plate.torque[r]}) {
                out.values.insert(out.values.end(), {v.x(), v.y(), v.z()});
            }
        }
    }
    return out;
}

}  // namespace sinew
