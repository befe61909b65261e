#include "sinew/io/mesh_files.h"

#include "sinew/base/error.h"
#include "sinew/base/text.h"
#include "sinew/io/content_guess.h"
#include "sinew/io/format_table.h"

#include <fmt/format.h>

namespace sinew {

namespace {

namespace fs = std::filesystem;

template <class Function>
std::vector<std::string> endings_with(Function MeshFormat::*function) {
    std::vector<std::string> endings;
    for (const MeshFormat& format : mesh_formats()) {
        if (format.*function != nullptr) {
            endings.emplace_back(format.ending);
        }
    }
    return endings;
}

// The format of the file's ending if it has `function`; else an error that lists those that do.
template <class Function>
const MeshFormat& format_for(const fs::path& path, Function MeshFormat::*function,
                             std::string_view task) {
    const MeshFormat* format = find_mesh_format(path);
    if (format != nullptr && format->*function != nullptr) {
        return *format;
    }
    const std::vector<std::string> endings = endings_with(function);
    std::string found = format != nullptr
                            ? fmt::format("{}, which does not serve to {}", format->title, task)
                            : describe_ending(path, endings);
    throw InputError({.where = path.string(),
                      .found = std::move(found),
                      .needs = fmt::format("to {}: {}", task, join(endings, " ")),
                      .remedy = "rename the file or convert it to one of these"});
}

// A parser's complaint is no help when the file is something else altogether.
template <class Read>
auto read_or_explain(const fs::path& path, const MeshFormat& format, Read&& read) {
    try {
        return read();
    } catch (const InputError& error) {
        const std::string_view actual = guess_ending(path);
        if (actual.empty() || actual == format.ending) {
            throw;
        }
        ErrorParts parts = error.parts();
        parts.found += fmt::format(" (the content looks like {})", actual);
        parts.remedy = fmt::format("give the file the ending {} if that is what it is", actual);
        throw InputError(std::move(parts));
    }
}

}  // namespace

std::vector<MeshPart> read_surface(const fs::path& path, const ReadOptions& options) {
    const MeshFormat& format = format_for(path, &MeshFormat::read_surface, "read a surface");
    return read_or_explain(path, format, [&] { return format.read_surface(path, options); });
}

TetMesh read_tets(const fs::path& path, const ReadOptions& options) {
    const MeshFormat& format = format_for(path, &MeshFormat::read_tets, "read tetrahedra");
    return read_or_explain(path, format, [&] { return format.read_tets(path, options); });
}

AnyMesh read_mesh(const fs::path& path, const ReadOptions& options) {
    const MeshFormat* format = find_mesh_format(path);
    if (format != nullptr && format->read_any != nullptr) {
        return read_or_explain(path, *format, [&] { return format->read_any(path, options); });
    }
    if (format != nullptr && format->read_tets != nullptr) {
        return read_tets(path, options);
    }
    return read_surface(path, options);
}

void write_surface(const fs::path& path, std::span<const MeshPart> parts) {
    format_for(path, &MeshFormat::write_surface, "write a surface").write_surface(path, parts);
}

void write_tets(const fs::path& path, const TetMesh& mesh) {
    format_for(path, &MeshFormat::write_tets, "write tetrahedra").write_tets(path, mesh);
}

std::vector<std::string> readable_surface_endings() {
    return endings_with(&MeshFormat::read_surface);
}

std::vector<std::string> readable_tet_endings() {
    return endings_with(&MeshFormat::read_tets);
}

std::vector<std::string> writable_surface_endings() {
    return endings_with(&MeshFormat::write_surface);
}

std::vector<std::string> writable_tet_endings() {
    return endings_with(&MeshFormat::write_tets);
}

}  // namespace sinew
