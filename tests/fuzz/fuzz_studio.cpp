// What strangers send to the studio: targets, cookies and hosts of requests, names of files,
// commands.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>

#include "studio/server/access.h"
#include "studio/server/commands.h"
#include "studio/server/workspace.h"
#include "tests/fuzz/fuzz_reader.h"
#include "tests/fuzz/fuzz_targets.h"

namespace {

using namespace sinew::studio;
using sinew::fuzz::may_refuse;

void require(bool is_kept) {
    if (!is_kept) {
        std::abort();
    }
}

void feed_request(const std::string& text) {
    static const Workspace workspace(std::filesystem::temp_directory_path());
    if (const auto path = decoded_path(text)) {
        require(std::none_of(path->begin(), path->end(),
                             [](char c) { return static_cast<unsigned char>(c) < 0x20; }));
        may_refuse([&] { require(workspace.place_of(*path).parent_path() == workspace.folder()); });
    }
    const AccessPolicy policy{.host = "127.0.0.1", .port = 80, .token = "secret"};
    HttpRequest request{
        .method = "GET", .target = text, .host = text, .cookie = text, .authorization = text};
    require(!refuse_stranger(policy, request) || request.host != "127.0.0.1:80");
    request.host = "127.0.0.1:80";
    request.origin = text;
    require(text.empty() || text == "http://127.0.0.1:80" || refuse_stranger(policy, request));
    const bool passes = !refuse_without_token(policy, request);
    require(!passes || text.find("secret") != std::string::npos);
}

void feed_command(const std::string& text) {
    const auto message = parse_command(text);
    if (!message) {
        return;
    }
    const auto answer = id_of(*message).dump(-1, ' ', false, Json::error_handler_t::replace);
    require(answer.size() < 1000);
    may_refuse([&] { text_field(*message, "do"); });
    may_refuse([&] { optional_text(*message, "file"); });
    const auto check = [&](const char* name, FieldKind kind) {
        check_fields({{.name = name, .kind = kind, .is_needed = true, .low = 0.0, .high = 1.0}},
                     *message);
    };
    may_refuse([&] {
        check("changes", FieldKind::Changes);
        read_edit(*message);
    });
    may_refuse([&] {
        check("layers", FieldKind::Layers);
        read_layers(*message);
    });
    may_refuse([&] {
        check("joints", FieldKind::NamedTriples);
        read_pose(*message);
    });
    may_refuse([&] {
        check("activations", FieldKind::NamedNumbers);
        for (const auto& [word, activation] : read_activations(*message)) {
            require(activation >= 0.0 && activation <= 1.0);
        }
    });
    may_refuse([&] {
        check("vertices", FieldKind::Indices);
        check("values", FieldKind::Numbers);
        check_fields({{.name = "amount", .kind = FieldKind::Number}}, *message);
        const PaintCommand paint = read_paint(*message, 100);
        require(paint.vertices.size() == paint.values.size());
        require(std::all_of(paint.vertices.begin(), paint.vertices.end(),
                            [](std::uint32_t v) { return v < 100; }));
    });
}

}  // namespace

int sinew::fuzz::feed_studio(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    feed_request(text);
    feed_command(text);
    return 0;
}
