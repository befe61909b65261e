#include "sinew/io/bvh.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/base/units.h"
#include "sinew/io/atomic_file.h"
#include "sinew/io/file_bytes.h"
#include "sinew/io/text_cursor.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>

namespace sinew {

namespace {

constexpr double kRadians = kPi / 180.0;
constexpr std::array<std::string_view, 6> kChannelNames = {"Xposition", "Yposition", "Zposition",
                                                           "Xrotation", "Yrotation", "Zrotation"};

bool is_rotation(Channel channel) {
    return channel >= Channel::XRotation;
}

class BvhReader {
public:
    BvhReader(std::string_view text, std::string_view file)
        : cursor_(text, file, {.remedy = "export the motion again as BVH"}), file_(file) {}

    MotionClip read() {
        expect("HIERARCHY");
        expect("ROOT");
        begin_joint(-1);
        read_hierarchy();
        read_motion();
        require_valid(clip_, file_);
        return std::move(clip_);
    }

private:
    void expect(std::string_view keyword) {
        const std::string_view word = cursor_.word();
        if (lower(word) != lower(keyword)) {
            cursor_.fail(sinew::quoted(word), fmt::format("'{}'", keyword));
        }
    }
    Vec3 offset() {
        Vec3 v;
        for (int k = 0; k < 3; ++k) {
            v[k] = cursor_.number("offset");
        }
        return v;
    }
    void begin_joint(Index parent);
    void read_hierarchy();
    void read_channels(MotionJoint& joint);
    void read_end(MotionJoint& joint);
    void read_motion();

    TextCursor cursor_;
    std::string file_;
    MotionClip clip_;
};

void BvhReader::begin_joint(Index parent) {
    MotionJoint joint;
    joint.name = std::string(cursor_.rest_of_line());
    joint.parent = parent;
    // "JOINT name {" on one line
    if (joint.name.ends_with('{')) {
        joint.name.pop_back();
        while (!joint.name.empty() && (joint.name.back() == ' ' || joint.name.back() == '\t')) {
            joint.name.pop_back();
        }
    } else {
        expect("{");
    }
    if (joint.name.empty() || joint.name.size() > 255) {
        cursor_.fail("a joint without a name, or with one of more than 255 characters", "a name");
    }
    clip_.joints.push_back(std::move(joint));
}

// Joints open and close with braces; `open` is the joint whose braces we are in.
void BvhReader::read_hierarchy() {
    Index open = 0;
    while (open >= 0) {
        const std::string word = lower(cursor_.word());
        MotionJoint& joint = clip_.joints[at(open)];
        if (word == "offset") {
            joint.offset = offset();
        } else if (word == "channels") {
            read_channels(joint);
        } else if (word == "joint") {
            begin_joint(open);
            open = static_cast<Index>(clip_.joints.size()) - 1;
        } else if (word == "end") {
            read_end(joint);
        } else if (word == "}") {
            open = joint.parent;
        } else {
            cursor_.fail(word.empty() ? "the end of the file" : sinew::quoted(word),
                         "OFFSET, CHANNELS, JOINT, End Site or '}'");
        }
    }
}

void BvhReader::read_channels(MotionJoint& joint) {
    const std::int64_t count = cursor_.integer("number of channels");
    if (count < 0 || count > 6 || !joint.channels.empty()) {
        cursor_.fail(fmt::format("{} channels, or channels a second time", count),
                     "at most 6, once per joint");
    }
    for (std::int64_t i = 0; i < count; ++i) {
        const std::string word = lower(cursor_.word());
        std::optional<Channel> channel;
        for (std::size_t k = 0; k < kChannelNames.size(); ++k) {
            if (word == lower(kChannelNames[k])) {
                channel = static_cast<Channel>(k);
            }
        }
        if (!channel) {
            cursor_.fail(sinew::quoted(word), "Xposition, Yposition, ... or Zrotation");
        }
        joint.channels.push_back(*channel);
    }
}

void BvhReader::read_end(MotionJoint& joint) {
    expect("Site");
    expect("{");
    expect("OFFSET");
    joint.has_end = true;
    joint.end_offset = offset();
    expect("}");
}

void BvhReader::read_motion() {
    const std::string word = lower(cursor_.word());
    if (word == "root") {
        cursor_.fail("a second ROOT", "one root; split the file into one motion per person");
    }
    if (word != "motion") {
        cursor_.fail(word.empty() ? "the end of the file" : sinew::quoted(word), "'MOTION'");
    }
    expect("Frames:");
    const std::size_t channels = channel_count(clip_);
    if (channels == 0) {
        cursor_.fail("a hierarchy without channels", "at least one channel");
    }
    const std::size_t frames = cursor_.count("number of frames", 2 * channels);
    expect("Frame");
    expect("Time:");
    clip_.frame_time = cursor_.number("frame time");
    if (!(clip_.frame_time > 0)) {
        cursor_.fail(fmt::format("a frame time of {} s", clip_.frame_time), "more than 0 s");
    }
    std::vector<double> scale;
    for (const MotionJoint& joint : clip_.joints) {
        for (const Channel channel : joint.channels) {
            scale.push_back(is_rotation(channel) ? kRadians : 1.0);
        }
    }
    clip_.frame_count = frames;
    clip_.values.reserve(frames * channels);
    for (std::size_t i = 0; i < frames; ++i) {
        for (std::size_t k = 0; k < channels; ++k) {
            clip_.values.push_back(scale[k] * cursor_.number("channel value"));
        }
    }
    if (!cursor_.at_end()) {
        cursor_.fail("more numbers behind the last frame",
                     fmt::format("{} frames of {} channels", frames, channels));
    }
}

/// Joints in the order of the text (children right behind their parent), with their depths.
struct Visit {
    Index joint = 0;
    std::size_t depth = 0;
};

std::vector<Visit> depth_first(const MotionClip& clip) {
    std::vector<std::vector<Index>> children(clip.joints.size());
    for (std::size_t j = 1; j < clip.joints.size(); ++j) {
        children[at(clip.joints[j].parent)].push_back(static_cast<Index>(j));
    }
    std::vector<Visit> order;
    std::vector<Visit> waiting = {{0, 0}};
    while (!waiting.empty()) {
        const Visit visit = waiting.back();
        waiting.pop_back();
        order.push_back(visit);
        const auto& below = children[at(visit.joint)];
        for (auto child = below.rbegin(); child != below.rend(); ++child) {
            waiting.push_back({*child, visit.depth + 1});
        }
    }
    return order;
}

void append_vector(std::string& out, const Vec3& v, double scale) {
    for (int k = 0; k < 3; ++k) {
        out += ' ';
        append_number(out, v[k] * scale);
    }
    out += '\n';
}

void append_joint(std::string& out, const MotionJoint& joint, std::size_t depth, double scale) {
    // Deep chains are not indented further: the file would grow with the square of their length.
    const std::string indent(2 * std::min<std::size_t>(depth, 40), ' ');
    std::string name;
    for (const char c : joint.name) {
        name += static_cast<unsigned char>(c) < 0x20 || c == '{' || c == '}' ? '_' : c;
    }
    out +=
        indent + (joint.parent < 0 ? "ROOT " : "JOINT ") + (name.empty() ? "joint" : name) + "\n";
    out += indent + "{\n" + indent + "  OFFSET";
    append_vector(out, joint.offset, scale);
    out += fmt::format("{}  CHANNELS {}", indent, joint.channels.size());
    for (const Channel channel : joint.channels) {
        out += ' ';
        out += kChannelNames[at(channel)];
    }
    out += '\n';
    if (joint.has_end) {
        out += indent + "  End Site\n" + indent + "  {\n" + indent + "    OFFSET";
        append_vector(out, joint.end_offset, scale);
        out += indent + "  }\n";
    }
}

}  // namespace

MotionClip parse_bvh(std::string_view text, std::string_view file) {
    return BvhReader(text, file).read();
}

MotionClip read_bvh(const std::filesystem::path& path, const ReadOptions& options) {
    const std::string bytes = read_file_bytes(path);
    MotionClip clip = parse_bvh(bytes, path.string());
    clip.name = path.stem().string();
    convert_to_metres_y_up(clip, options);
    return clip;
}

std::string format_bvh(const MotionClip& clip, Unit unit) {
    require_valid(clip, "motion to be written");
    const double scale = 1.0 / metres_per(unit);
    const std::vector<Visit> order = depth_first(clip);
    std::string out = "HIERARCHY\n";
    for (std::size_t i = 0; i < order.size(); ++i) {
        const Visit& visit = order[i];
        append_joint(out, clip.joints[at(visit.joint)], visit.depth, scale);
        // Close every joint down to the depth of the next one.
        const std::size_t next = i + 1 < order.size() ? order[i + 1].depth : 0;
        for (std::size_t depth = visit.depth + 1; depth > next; --depth) {
            out += std::string(2 * std::min<std::size_t>(depth - 1, 40), ' ') + "}\n";
        }
    }
    std::vector<std::size_t> start = {0};
    for (const MotionJoint& joint : clip.joints) {
        start.push_back(start.back() + joint.channels.size());
    }
    out += fmt::format("MOTION\nFrames: {}\nFrame Time: ", clip.frame_count);
    append_number(out, clip.frame_time);
    out += '\n';
    for (std::size_t frame = 0; frame < clip.frame_count; ++frame) {
        const double* values = clip.values.data() + frame * start.back();
        for (const Visit& visit : order) {
            const auto j = static_cast<std::size_t>(visit.joint);
            for (std::size_t k = 0; k < clip.joints[j].channels.size(); ++k) {
                append_number(
                    out, values[start[j] + k] *
                             (is_rotation(clip.joints[j].channels[k]) ? 1.0 / kRadians : scale));
                out += ' ';
            }
        }
        out.back() = '\n';
    }
    return out;
}

void write_bvh(const std::filesystem::path& path, const MotionClip& clip, Unit unit) {
    write_file_bytes(path, format_bvh(clip, unit));
}

// Z up: with C (x, y, z) = (x, z, -y) every frame T becomes C T C^-1. A turn by q about file-Y is
// one by q about C e_y = -e_z, that is by -q about Z; file-Z becomes Y.
void convert_to_metres_y_up(MotionClip& clip, const ReadOptions& options) {
    const double scale = metres_per(options.unit);
    const bool is_z_up = options.up == UpAxis::Z;
    const auto turned = [&](const Vec3& v) {
        return is_z_up ? Vec3(scale * v.x(), scale * v.z(), -scale * v.y()) : Vec3(scale * v);
    };
    std::vector<double> factor;
    for (MotionJoint& joint : clip.joints) {
        joint.offset = turned(joint.offset);
        joint.end_offset = turned(joint.end_offset);
        for (Channel& channel : joint.channels) {
            double f = is_rotation(channel) ? 1.0 : scale;
            if (is_z_up) {
                const int axis = static_cast<int>(channel) % 3;
                const int kind = static_cast<int>(channel) - axis;
                f = axis == 1 ? -f : f;
                channel = static_cast<Channel>(kind + (axis == 0 ? 0 : 3 - axis));
            }
            factor.push_back(f);
        }
    }
    for (std::size_t i = 0; i < clip.values.size(); ++i) {
        clip.values[i] *= factor[i % factor.size()];
    }
}

}  // namespace sinew
