#pragma once

#include "sinew/io/byte_reader.h"
#include "sinew/mesh/arrays.h"

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

namespace sinew::support {

/// Makes small C3D files (Intel, floating-point or integer) for tests.
struct C3dMaker {
    std::vector<std::string> markers = {};
    std::vector<std::vector<Vec3>> frames = {};  ///< as in the file, mm; NaN: not seen
    std::vector<std::string> channels = {};
    std::vector<std::vector<double>> samples = {};  ///< per_frame rows per frame
    int per_frame = 1;
    float rate = 100.0F;
    float scale = -1.0F;  ///< > 0: integers
    std::string y_screen = "+Z";
    bool has_plate = false;  ///< type 2 on channels 1 to 6, 400 by 600 mm about (200, 300)
    float plate_type = 2.0F;
    std::vector<float> plate_channels = {1, 2, 3, 4, 5, 6};
    std::vector<float> origin = {0.0F, 0.0F, -20.0F};
    std::vector<std::string> units = {};  ///< of channels
    bool is_unsigned = false;             ///< integers about 32768 instead of 1

    std::string bytes() const {
        std::string parameters;
        const auto entry = [&](int group, std::string_view name, const std::string& rest) {
            parameters += static_cast<char>(name.size());
            parameters += static_cast<char>(group);
            parameters += name;
            append_bytes<std::int16_t>(parameters, static_cast<std::int16_t>(2 + rest.size()));
            parameters += rest;
        };
        const auto group = [&](int number, std::string_view name) {
            entry(-number, name, std::string(1, '\0'));
        };
        const auto numbers = [&](int g, std::string_view name, const std::vector<float>& values,
                                 const std::vector<int>& dims) {
            std::string rest = {'\4', static_cast<char>(dims.size())};
            for (const int d : dims) {
                rest += static_cast<char>(d);
            }
            for (const float v : values) {
                append_bytes(rest, v);
            }
            entry(g, name, rest + '\0');
        };
        const auto words = [&](int g, std::string_view name, const std::vector<std::string>& all) {
            std::string rest = {'\xff', '\2', '\x10', static_cast<char>(all.size())};
            for (std::string word : all) {
                word.resize(16, ' ');
                rest += word;
            }
            entry(g, name, rest + '\0');
        };
        group(1, "POINT");
        words(1, "LABELS", markers);
        words(1, "UNITS", {"mm"});
        words(1, "Y_SCREEN", {y_screen});
        numbers(1, "SCALE", {scale}, {});
        numbers(1, "RATE", {rate}, {});
        group(2, "ANALOG");
        words(2, "LABELS", channels);
        numbers(2, "GEN_SCALE", {1.0F}, {});
        numbers(2, "SCALE", std::vector<float>(channels.size(), 2.0F),
                {static_cast<int>(channels.size())});
        if (is_unsigned) {
            std::string rest = {'\2', '\1', static_cast<char>(channels.size())};
            for (std::size_t c = 0; c < channels.size(); ++c) {
                append_bytes<std::uint16_t>(rest, 32768);
            }
            entry(2, "OFFSET", rest + '\0');
            words(2, "FORMAT", {"UNSIGNED"});
        } else {
            numbers(2, "OFFSET", std::vector<float>(channels.size(), 1.0F),
                    {static_cast<int>(channels.size())});
        }
        if (!units.empty()) {
            words(2, "UNITS", units);
        }
        if (has_plate) {
            group(3, "FORCE_PLATFORM");
            numbers(3, "USED", {1.0F}, {});
            numbers(3, "TYPE", {plate_type}, {1});
            numbers(3, "CHANNEL", plate_channels, {6, 1});
            // Corners as seen by a plate whose z axis points down: x forward, y to the right.
            numbers(3, "CORNERS", {400, 0, 0, 0, 0, 0, 0, 600, 0, 400, 600, 0}, {3, 4, 1});
            numbers(3, "ORIGIN", origin, {3, 1});
        }
        parameters += std::string(2, '\0');
        const std::size_t blocks = (parameters.size() + 4 + 511) / 512;
        std::string out = {'\2', '\x50'};
        const auto word = [&](std::size_t v) { append_bytes(out, static_cast<std::uint16_t>(v)); };
        word(markers.size());
        word(channels.size() * static_cast<std::size_t>(per_frame));
        word(1);
        word(frames.size());
        word(10);
        append_bytes(out, scale);
        word(2 + blocks);
        word(channels.empty() ? 0 : static_cast<std::size_t>(per_frame));
        append_bytes(out, rate);
        out.resize(512, '\0');
        out += {'\1', '\x50', static_cast<char>(blocks), '\x54'};
        out += parameters;
        out.resize(512 * (1 + blocks), '\0');
        append_frames(out);
        return out;
    }

private:
    void append_frames(std::string& out) const {
        const auto put = [&](double v) {
            if (scale < 0.0F) {
                append_bytes(out, static_cast<float>(v));
            } else {
                append_bytes(out, static_cast<std::int16_t>(std::lround(v)));
            }
        };
        for (std::size_t f = 0; f < frames.size(); ++f) {
            for (const Vec3& p : frames[f]) {
                const bool is_seen = p.allFinite();
                for (int k = 0; k < 3; ++k) {
                    put(is_seen ? p[k] / (scale < 0.0F ? 1.0 : static_cast<double>(scale)) : 0.0);
                }
                put(is_seen ? 0.0 : -1.0);
            }
            for (int s = 0; s < per_frame && !channels.empty(); ++s) {
                for (const double v : samples[f * static_cast<std::size_t>(per_frame) +
                                              static_cast<std::size_t>(s)]) {
                    if (is_unsigned) {
                        append_bytes(out, static_cast<std::uint16_t>(std::lround(v / 2.0) + 32768));
                        continue;
                    }
                    put(v / 2.0 + 1.0);  // SCALE 2, OFFSET 1
                }
            }
        }
    }
};

}  // namespace sinew::support
