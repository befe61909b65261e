#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sinew::support {

/// A node of a binary FBX file, version 7.4: a name, typed properties, nodes below it.
struct FbxNode {
    std::string name = {};
    std::string properties = {};  ///< as they stand in the file
    std::uint32_t count = 0;
    std::vector<FbxNode> children = {};

    explicit FbxNode(std::string own_name) : name(std::move(own_name)) {}

    FbxNode&& text(std::string_view value) && {
        begin('S');
        append(static_cast<std::uint32_t>(value.size()));
        properties += value;
        return std::move(*this);
    }
    FbxNode&& whole(std::int32_t value) && {
        begin('I');
        append(value);
        return std::move(*this);
    }
    FbxNode&& id(std::int64_t value) && {
        begin('L');
        append(value);
        return std::move(*this);
    }
    FbxNode&& number(double value) && {
        begin('D');
        append(value);
        return std::move(*this);
    }
    FbxNode&& numbers(const std::vector<double>& values) && {
        return std::move(*this).array('d', values);
    }
    FbxNode&& floats(const std::vector<float>& values) && {
        return std::move(*this).array('f', values);
    }
    FbxNode&& wholes(const std::vector<std::int32_t>& values) && {
        return std::move(*this).array('i', values);
    }
    FbxNode&& ids(const std::vector<std::int64_t>& values) && {
        return std::move(*this).array('l', values);
    }
    /// The same as `numbers`, packed as zlib does without making it smaller.
    FbxNode&& packed_numbers(const std::vector<double>& values) && {
        std::string raw(reinterpret_cast<const char*>(values.data()),
                        values.size() * sizeof(double));
        std::string packed = "\x78\x01";
        std::uint32_t a = 1, b = 0;  // Adler's sums
        for (std::size_t at = 0; at < raw.size(); at += 65535) {
            const std::string block = raw.substr(at, 65535);
            const auto length = static_cast<std::uint16_t>(block.size());
            packed += static_cast<char>(at + block.size() == raw.size());
            for (const unsigned number : {length & 0xffffu, ~unsigned{length} & 0xffffu}) {
                packed += static_cast<char>(number & 0xff);
                packed += static_cast<char>(number >> 8);
            }
            packed += block;
            for (const char c : block) {
                a = (a + static_cast<unsigned char>(c)) % 65521;
                b = (b + a) % 65521;
            }
        }
        for (const unsigned part : {b >> 8, b, a >> 8, a}) {
            packed += static_cast<char>(part & 0xff);
        }
        begin('d');
        append(static_cast<std::uint32_t>(values.size()));
        append(std::uint32_t{1});
        append(static_cast<std::uint32_t>(packed.size()));
        properties += packed;
        return std::move(*this);
    }
    FbxNode&& with(FbxNode child) && {
        children.push_back(std::move(child));
        return std::move(*this);
    }

private:
    void begin(char kind) {
        properties += kind;
        ++count;
    }
    template <class T>
    void append(T value) {
        char bytes[sizeof(T)];
        std::memcpy(bytes, &value, sizeof(T));
        properties.append(bytes, sizeof(T));
    }
    template <class T>
    FbxNode&& array(char kind, const std::vector<T>& values) && {
        begin(kind);
        append(static_cast<std::uint32_t>(values.size()));
        append(std::uint32_t{0});  // not packed
        append(static_cast<std::uint32_t>(values.size() * sizeof(T)));
        properties.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
        return std::move(*this);
    }
};

inline void append_fbx_node(std::string& out, const FbxNode& node) {
    const std::size_t begin = out.size();
    const auto put = [&](std::size_t place, std::size_t value) {
        const auto number = static_cast<std::uint32_t>(value);
        std::memcpy(out.data() + place, &number, sizeof(number));
    };
    out.append(12, '\0');
    put(begin + 4, node.count);
    put(begin + 8, node.properties.size());
    out += static_cast<char>(node.name.size());
    out += node.name + node.properties;
    for (const FbxNode& child : node.children) {
        append_fbx_node(out, child);
    }
    if (!node.children.empty()) {
        out.append(13, '\0');
    }
    put(begin, out.size());
}

/// The file of some nodes.
inline std::string binary_fbx(const std::vector<FbxNode>& nodes) {
    constexpr char kMark[] = "Kaydara FBX Binary  \0\x1a";  // and a zero byte
    std::string out(kMark, sizeof(kMark));
    const std::uint32_t version = 7400;
    out.append(reinterpret_cast<const char*>(&version), sizeof(version));
    for (const FbxNode& node : nodes) {
        append_fbx_node(out, node);
    }
    return out.append(13 + 160, '\0');
}

}  // namespace sinew::support
