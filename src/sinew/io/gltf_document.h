#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace sinew::detail {

/// Limits that keep a small file from asking for much memory. A body needs a tenth of them.
inline constexpr std::size_t kMaxGltfElements = 20'000'000;  // points or triangles, all parts
inline constexpr std::size_t kMaxGltfUnbacked = 1 << 20;     // elements without stored data

/// Numbers of one accessor, in rows of `components`.
struct GltfNumbers {
    std::size_t components = 0;
    std::vector<double> values = {};

    std::size_t count() const {
        return components == 0 ? 0 : values.size() / components;
    }
};

/// A value in a message. Lists and objects are only named: they may be nested deeper than the
/// stack.
std::string shown(const nlohmann::json& value);

/// The parsed JSON of a glTF file with its buffers. All getters check what they hand out and throw
/// InputError with the place in the file.
class GltfDocument {
public:
    GltfDocument(std::string_view bytes, std::string where, const std::filesystem::path& folder);

    const nlohmann::json& root() const {
        return root_;
    }
    const std::string& where() const {
        return where_;
    }
    /// The list of that name at the top, empty where there is none.
    const nlohmann::json& list(const char* name) const;
    /// Item i of that list; must be an object.
    const nlohmann::json& item(const char* list_name, std::size_t i) const;

    /// Numbers of accessor i; normalised integers become fractions.
    GltfNumbers numbers(std::size_t accessor) const;
    /// Unsigned integers of a scalar accessor.
    std::vector<std::uint32_t> indices(std::size_t accessor) const;

    /// What image i holds, from a buffer view, base64 or a file.
    std::string image(std::size_t i) const;

    [[noreturn]] void refuse(const std::string& place, const std::string& found,
                             const std::string& needs) const;
    /// Whole number >= 0 under `key`, below `limit`; `fallback` where absent.
    std::size_t whole(const nlohmann::json& object, const char* key, std::size_t fallback,
                      std::size_t limit, const std::string& place) const;
    /// The same, but it must be there.
    std::size_t whole(const nlohmann::json& object, const char* key, std::size_t limit,
                      const std::string& place) const;
    double number(const nlohmann::json& object, const char* key, double fallback,
                  const std::string& place) const;
    /// Exactly `count` finite numbers under `key`; empty where absent.
    std::vector<double> vector(const nlohmann::json& object, const char* key, std::size_t count,
                               const std::string& place) const;
    /// Text under `key`, cut at 255 bytes; "" where absent.
    std::string text(const nlohmann::json& object, const char* key) const;

private:
    struct Layout;
    Layout layout_of(std::size_t accessor) const;
    std::string_view view(std::size_t buffer_view, std::size_t& stride) const;
    void read_buffers(std::string_view glb_chunk, bool has_chunk);
    std::string content_of(const std::string& uri, const std::string& place) const;
    void add_sparse(const nlohmann::json& accessor, const Layout& layout,
                    GltfNumbers& result) const;

    std::string where_;
    std::filesystem::path folder_;
    nlohmann::json root_;
    std::vector<std::string> buffers_;
};

}  // namespace sinew::detail
