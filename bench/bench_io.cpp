// Reading and writing of a mesh of 60 000 vertices and 120 000 triangles in memory, beside a reader
// of the kind that one writes first: lines and words through standard streams.
#include "sinew/io/msh.h"
#include "sinew/io/obj.h"
#include "sinew/io/off.h"
#include "sinew/io/ply.h"
#include "sinew/io/stl.h"

#include <benchmark/benchmark.h>

#include <sstream>
#include <string>
#include <vector>

#include "tests/support/shapes.h"

namespace sinew {

namespace {

const std::vector<MeshPart>& torus_part() {
    static const std::vector<MeshPart> kParts = [] {
        std::vector<MeshPart> parts(1);
        parts[0].name = "torus";
        parts[0].mesh = support::torus(1.0, 0.3, 200, 300);
        return parts;
    }();
    return kParts;
}

template <class Format, class Parse>
void read_back(benchmark::State& state, Format&& format, Parse&& parse) {
    const std::string bytes = format(torus_part());
    for (auto _ : state) {
        benchmark::DoNotOptimize(parse(bytes, "x"));
    }
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes.size()));
}

TriangleMesh parse_obj_with_streams(const std::string& bytes) {
    std::istringstream file(bytes);
    std::vector<double> points;
    std::vector<Index> triangles;
    std::string line;
    while (std::getline(file, line)) {
        std::istringstream words(line);
        std::string key;
        words >> key;
        if (key == "v") {
            for (double x = 0; words >> x;) {
                points.push_back(x);
            }
        } else if (key == "f") {
            for (Index i = 0; words >> i;) {
                triangles.push_back(i - 1);
            }
        }
    }
    TriangleMesh mesh;
    mesh.points =
        Eigen::Map<const Points>(points.data(), static_cast<Eigen::Index>(points.size() / 3), 3);
    mesh.triangles = Eigen::Map<const Triangles>(
        triangles.data(), static_cast<Eigen::Index>(triangles.size() / 3), 3);
    return mesh;
}

void ReadObj(benchmark::State& state) {
    read_back(
        state, [](const auto& parts) { return format_obj(parts); }, parse_obj);
}
BENCHMARK(ReadObj)->Unit(benchmark::kMillisecond);

void ReadObjNaiveStreams(benchmark::State& state) {
    read_back(
        state, [](const auto& parts) { return format_obj(parts); },
        [](const std::string& bytes, const char*) { return parse_obj_with_streams(bytes); });
}
BENCHMARK(ReadObjNaiveStreams)->Unit(benchmark::kMillisecond);

void ReadPlyBinary(benchmark::State& state) {
    read_back(
        state, [](const auto& parts) { return format_ply(parts); }, parse_ply);
}
BENCHMARK(ReadPlyBinary)->Unit(benchmark::kMillisecond);

void ReadPlyText(benchmark::State& state) {
    read_back(
        state,
        [](const auto& parts) { return format_ply(parts, {.encoding = PlyEncoding::Ascii}); },
        parse_ply);
}
BENCHMARK(ReadPlyText)->Unit(benchmark::kMillisecond);

void ReadStlBinary(benchmark::State& state) {
    read_back(
        state, [](const auto& parts) { return format_stl(parts); }, parse_stl);
}
BENCHMARK(ReadStlBinary)->Unit(benchmark::kMillisecond);

void ReadOff(benchmark::State& state) {
    read_back(
        state, [](const auto& parts) { return format_off(parts); }, parse_off);
}
BENCHMARK(ReadOff)->Unit(benchmark::kMillisecond);

void ReadMshBinary(benchmark::State& state) {
    read_back(
        state, [](const auto& parts) { return format_msh(parts); }, parse_msh);
}
BENCHMARK(ReadMshBinary)->Unit(benchmark::kMillisecond);

void WriteObj(benchmark::State& state) {
    for (auto _ : state) {
        benchmark::DoNotOptimize(format_obj(torus_part()));
    }
}
BENCHMARK(WriteObj)->Unit(benchmark::kMillisecond);

void WritePlyBinary(benchmark::State& state) {
    for (auto _ : state) {
        benchmark::DoNotOptimize(format_ply(torus_part()));
    }
}
BENCHMARK(WritePlyBinary)->Unit(benchmark::kMillisecond);

}  // namespace

}  // namespace sinew
