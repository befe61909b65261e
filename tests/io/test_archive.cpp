#include "sinew/base/error.h"
#include "sinew/base/random.h"
#include "sinew/io/archive.h"
#include "sinew/io/archive_header.h"
#include "sinew/io/atomic_file.h"
#include "sinew/io/content_hash.h"
#include "sinew/io/file_bytes.h"
#include "sinew/io/hdf5_file.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "tests/support/mutate.h"
#include "tests/support/small_body.h"
#include "tests/support/temporary_folder.h"

namespace sinew {

namespace {

void expect_same(const std::vector<Attribute>& a, const std::vector<Attribute>& b) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        EXPECT_EQ(a[i].name, b[i].name);
        EXPECT_EQ(a[i].components, b[i].components);
        EXPECT_EQ(a[i].values, b[i].values);
        EXPECT_EQ(a[i].unit, b[i].unit);
    }
}

void expect_same(const TriangleMesh& a, const TriangleMesh& b) {
    EXPECT_EQ(a.points, b.points);
    EXPECT_EQ(a.triangles, b.triangles);
    expect_same(a.point_data, b.point_data);
    expect_same(a.triangle_data, b.triangle_data);
}

void expect_same(const EmbeddedPoints& a, const EmbeddedPoints& b) {
    EXPECT_EQ(a.tet, b.tet);
    EXPECT_EQ(a.weights, b.weights);
}

void expect_same(const std::vector<Alias>& a, const std::vector<Alias>& b) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        EXPECT_EQ(a[i].scheme, b[i].scheme);
        EXPECT_EQ(a[i].name, b[i].name);
    }
}

void expect_same(const Skeleton& a, const Skeleton& b) {
    ASSERT_EQ(a.segments.size(), b.segments.size());
    for (std::size_t i = 0; i < a.segments.size(); ++i) {
        EXPECT_EQ(a.segments[i].name, b.segments[i].name);
        EXPECT_EQ(a.segments[i].mass, b.segments[i].mass);
        EXPECT_EQ(a.segments[i].com, b.segments[i].com);
        EXPECT_EQ(a.segments[i].inertia, b.segments[i].inertia);
    }
    ASSERT_EQ(a.joints.size(), b.joints.size());
    for (std::size_t i = 0; i < a.joints.size(); ++i) {
        const Joint& x = a.joints[i];
        const Joint& y = b.joints[i];
        EXPECT_EQ(x.name, y.name);
        EXPECT_EQ(x.type, y.type);
        EXPECT_EQ(x.parent, y.parent);
        EXPECT_EQ(x.child, y.child);
        EXPECT_EQ(x.centre, y.centre);
        EXPECT_EQ(x.axes, y.axes);
        EXPECT_EQ(x.rest, y.rest);
        EXPECT_EQ(x.motions, y.motions);
        for (std::size_t k = 0; k < 3; ++k) {
            EXPECT_EQ(x.limits[k].low, y.limits[k].low);
            EXPECT_EQ(x.limits[k].high, y.limits[k].high);
        }
    }
}

void expect_same_anatomy(const Body& a, const Body& b) {
    ASSERT_EQ(a.bones.size(), b.bones.size());
    for (std::size_t i = 0; i < a.bones.size(); ++i) {
        EXPECT_EQ(a.bones[i].name, b.bones[i].name);
        EXPECT_EQ(a.bones[i].kind, b.bones[i].kind);
        EXPECT_EQ(a.bones[i].segment, b.bones[i].segment);
        expect_same(a.bones[i].mesh, b.bones[i].mesh);
        expect_same(a.bones[i].aliases, b.bones[i].aliases);
        expect_same(a.bone_embeddings[i], b.bone_embeddings[i]);
    }
    ASSERT_EQ(a.muscles.size(), b.muscles.size());
    for (std::size_t i = 0; i < a.muscles.size(); ++i) {
        const Muscle& x = a.muscles[i];
        const Muscle& y = b.muscles[i];
        EXPECT_EQ(x.name, y.name);
        EXPECT_EQ(x.group, y.group);
        EXPECT_EQ(x.origin, y.origin);
        EXPECT_EQ(x.insertion, y.insertion);
        EXPECT_EQ(x.belly_begin, y.belly_begin);
        EXPECT_EQ(x.belly_end, y.belly_end);
        EXPECT_EQ(x.volume, y.volume);
        EXPECT_EQ(x.fmax, y.fmax);
        EXPECT_EQ(x.pennation, y.pennation);
        EXPECT_EQ(x.is_passive, y.is_passive);
        expect_same(x.mesh, y.mesh);
        expect_same(x.aliases, y.aliases);
        expect_same(a.muscle_embeddings[i], b.muscle_embeddings[i]);
    }
    expect_same(a.skeleton, b.skeleton);
}

void expect_same(const Body& a, const Body& b) {
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.sex, b.sex);
    EXPECT_EQ(a.tets.points, b.tets.points);
    EXPECT_EQ(a.tets.tets, b.tets.tets);
    EXPECT_EQ(a.tets.region, b.tets.region);
    expect_same(a.tets.tet_data, b.tets.tet_data);
    expect_same(a.skin.mesh, b.skin.mesh);
    EXPECT_EQ(a.skin.tet_vertex, b.skin.tet_vertex);
    expect_same(a.envelope.mesh, b.envelope.mesh);
    EXPECT_EQ(a.envelope.tet_vertex, b.envelope.tet_vertex);
    ASSERT_EQ(a.materials.size(), b.materials.size());
    for (std::size_t i = 0; i < a.materials.size(); ++i) {
        EXPECT_EQ(a.materials[i].name, b.materials[i].name);
        EXPECT_EQ(a.materials[i].tissue, b.materials[i].tissue);
        EXPECT_EQ(a.materials[i].density, b.materials[i].density);
    }
    EXPECT_EQ(a.shares.start, b.shares.start);
    EXPECT_EQ(a.shares.material, b.shares.material);
    EXPECT_EQ(a.shares.part, b.shares.part);
    EXPECT_EQ(a.shares.fraction, b.shares.fraction);
    EXPECT_EQ(a.fibres.start, b.fibres.start);
    EXPECT_EQ(a.fibres.muscle, b.fibres.muscle);
    EXPECT_EQ(a.fibres.direction, b.fibres.direction);
    expect_same(a.attachments.points, b.attachments.points);
    EXPECT_EQ(a.attachments.bone, b.attachments.bone);
    expect_same_anatomy(a, b);
    expect_same(a.display_skin, b.display_skin);
    expect_same(a.display_skin_embedding, b.display_skin_embedding);
    ASSERT_EQ(a.landmarks.size(), b.landmarks.size());
    for (std::size_t i = 0; i < a.landmarks.size(); ++i) {
        EXPECT_EQ(a.landmarks[i].name, b.landmarks[i].name);
        EXPECT_EQ(a.landmarks[i].position, b.landmarks[i].position);
        EXPECT_EQ(a.landmarks[i].skin_vertex, b.landmarks[i].skin_vertex);
    }
    expect_same(a.maps, b.maps);
    EXPECT_EQ(a.provenance.command, b.provenance.command);
    EXPECT_EQ(a.provenance.seed, b.provenance.seed);
    EXPECT_EQ(a.provenance.notes, b.provenance.notes);
    EXPECT_EQ(a.provenance.attribution, b.provenance.attribution);
    ASSERT_EQ(a.provenance.inputs.size(), b.provenance.inputs.size());
    EXPECT_EQ(a.provenance.inputs[0].hash, b.provenance.inputs[0].hash);
}

/// A valid archive whose HDF5 content was made by `fill` instead of a body.
template <class Fill>
std::string sealed(Fill&& fill) {
    detail::Hdf5Writer out;
    fill(out);
    std::string bytes = out.bytes();
    detail::seal_archive(bytes);
    return bytes;
}

}  // namespace

TEST(Archive, ABodyComesBackBitByBit) {
    const support::TemporaryFolder folder;
    Body body = support::small_body(3);
    body.muscles[0].mesh.point_data = {
        {.name = "tendon/odd name", .values = std::vector<double>(162, 0.5)}};
    body.tets.tet_data = {
        {.name = "quality",
         .components = 2,
         .values = std::vector<double>(static_cast<std::size_t>(2 * body.tets.tets.rows()), 0.25),
         .unit = "1"}};
    write_archive(folder / "b.sinew", body);
    expect_same(body, read_archive(folder / "b.sinew"));
}

TEST(Archive, AnEmptyBodyComesBack) {
    const Body back = parse_archive(archive_bytes(Body{}), "empty");
    EXPECT_EQ(back.tets.tets.rows(), 0);
    EXPECT_TRUE(back.muscles.empty());
}

TEST(Archive, TheSameBodyGivesTheSameBytes) {
    EXPECT_EQ(archive_bytes(support::small_body(3)), archive_bytes(support::small_body(3)));
}

TEST(Archive, TheSummaryIsThatOfTheBody) {
    const Body body = support::small_body(2);
    const ArchiveSummary s = parse_archive_summary(archive_bytes(body), "b");
    const BodySummary expected = summarise(body);
    EXPECT_EQ(s.version, kArchiveVersion);
    EXPECT_EQ(s.body.name, "box");
    EXPECT_EQ(s.body.tets, expected.tets);
    EXPECT_EQ(s.body.mass, expected.mass);
    EXPECT_EQ(s.body.body_fat, expected.body_fat);
    EXPECT_EQ(s.body.high, expected.high);
    EXPECT_EQ(s.body.bones, expected.bones);
    ASSERT_EQ(s.body.muscles.size(), 3u);
    EXPECT_EQ(s.body.muscles[0].group, "hips");
    EXPECT_EQ(s.body.muscles[0].volume, 2.5e-4);
    EXPECT_EQ(s.body.segments[1].com, expected.segments[1].com);
    EXPECT_EQ(s.provenance.command, "sinew build --resolution preview");
}

TEST(Archive, NewerVersionsAreRefusedPolitely) {
    std::string bytes = archive_bytes(Body{});
    bytes[8] = 3;
    const std::string message =
        support::input_error_of([&] { parse_archive(bytes, "future.sinew"); });
    EXPECT_NE(message.find("written by a newer Sinew (format 3)"), std::string::npos) << message;
    EXPECT_NE(message.find("up to 1"), std::string::npos) << message;
    EXPECT_NE(message.find("update"), std::string::npos) << message;
}

// The checksum stands before the parser: no flipped bit of the content gets through.
TEST(Archive, EveryFlippedBitIsFound) {
    const std::string good = archive_bytes(support::small_body(1));
    Random random(Seed{9});
    for (int i = 0; i < 500; ++i) {
        std::string bad = good;
        const std::size_t at = 512 + random.below(static_cast<std::uint32_t>(good.size() - 512));
        bad[at] = static_cast<char>(bad[at] ^ (1 << random.below(8)));
        EXPECT_THROW(parse_archive(bad, "x"), InputError);
    }
    for (int i = 0; i < 300; ++i) {
        Random stream(Seed{1}, static_cast<std::uint64_t>(i));
        const std::string bad = support::mutated(good, stream);
        EXPECT_EQ(support::wrong_reaction(bad, [](std::string_view b) { parse_archive(b, "x"); }),
                  "");
    }
    for (std::size_t size = 0; size < good.size(); size += 997) {
        EXPECT_THROW(parse_archive(std::string_view(good).substr(0, size), "x"), InputError);
    }
}

TEST(Archive, UnreadableFilesAreRefused) {
    const support::TemporaryFolder folder;
    EXPECT_THROW(read_archive(folder.path()), InputError);
    EXPECT_THROW(read_archive(folder / "absent.sinew"), InputError);
    write_file_bytes(folder / "empty.sinew", "");
    EXPECT_THROW(read_archive(folder / "empty.sinew"), InputError);
    write_file_bytes(folder / "sparse.sinew", archive_bytes(Body{}));
    std::filesystem::resize_file(folder / "sparse.sinew", std::uintmax_t{5} << 30);
    EXPECT_THROW(read_archive(folder / "sparse.sinew"), InputError);
    EXPECT_THROW(parse_archive("solid x\nendsolid", "x.stl"), InputError);
}

// Content with a right checksum but wrong data: absent, of another shape or type, out of range.
TEST(Archive, WrongContentIsRefusedWithItsPath) {
    const auto message_of = [](const std::string& bytes) {
        return support::input_error_of([&] { parse_archive(bytes, "x.sinew"); });
    };
    EXPECT_NE(message_of(sealed([](detail::Hdf5Writer&) {})).find("/meta"), std::string::npos);
    EXPECT_NE(message_of(sealed([](detail::Hdf5Writer& out) {
                  out.add_group("/meta");
                  out.set("/meta", "name", std::uint64_t{3});
              })).find("/meta, name"),
              std::string::npos);
    EXPECT_THROW(parse_archive_summary(sealed([](detail::Hdf5Writer&) {}), "x"), InputError);
    const auto with_points = [](auto&& add) {
        return sealed([&](detail::Hdf5Writer& out) {
            out.add_group("/g");
            add(out);
        });
    };
    using detail::Hdf5Reader;
    const std::vector<double> six = {1, 2, 3, 4, 5, std::nan("")};
    const std::string bytes = with_points([&](detail::Hdf5Writer& out) {
        out.add("/g/p", six, 3, {"m", "points"});
    });
    const Hdf5Reader in(bytes, "x");
    EXPECT_THROW(in.doubles("/g/p", 2), InputError);  // shape
    EXPECT_THROW(in.indices("/g/p", 3), InputError);  // type
    EXPECT_THROW(in.doubles("/g/p", 3), InputError);  // NaN
    EXPECT_THROW(in.doubles("/g/q", 3), InputError);  // absent
    EXPECT_THROW(in.texts("/g/p"), InputError);
    EXPECT_THROW(in.doubles("/g", 3), InputError);  // a group
    EXPECT_THROW(in.count_attribute("/g/p", "units"), InputError);
    EXPECT_EQ(in.text_attribute("/g/p", "units"), "m");
    EXPECT_EQ(in.text_attribute("/g/p", "meaning"), "points");
    EXPECT_EQ(in.columns("/g/p"), 3u);
}

TEST(Archive, InvalidBodiesAreNotWritten) {
    Body body = support::small_body(1);
    body.shares.fraction[0] = 2;
    EXPECT_THROW(archive_bytes(body), InputError);
    body = support::small_body(1);
    body.maps[0].values[0] = std::nan("");
    EXPECT_THROW(archive_bytes(body), InputError);
}

// Writers are killed at seeded moments; whatever they had done, the file is the old or the new
// body.
TEST(Archive, AWriterKilledAtAnyMomentLeavesAWholeFile) {
    const support::TemporaryFolder folder;
    const std::filesystem::path path = folder / "b.sinew";
    const Body body = support::small_body(6);
    write_archive(path, body);
    const std::uint64_t before = content_hash(read_file_bytes(path));
    Body other = body;
    other.name = "other";
    const std::uint64_t after = content_hash(archive_bytes(other));
    int killed = 0;
    for (int i = 0; i < 25; ++i) {
        const pid_t child = ::fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            try {
                for (;;) {
                    write_archive(path, other);
                    write_archive(path, body);
                }
            } catch (...) {
            }
            ::_exit(1);
        }
        Random random(Seed{4}, static_cast<std::uint64_t>(i));
        const timespec delay{0, static_cast<long>(random.below(60'000'000))};
        ::nanosleep(&delay, nullptr);
        ::kill(child, SIGKILL);
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        killed += WIFSIGNALED(status) ? 1 : 0;
        const std::uint64_t now = content_hash(read_file_bytes(path));
        EXPECT_TRUE(now == before || now == after);
        EXPECT_NO_THROW(read_archive(path));
    }
    EXPECT_EQ(killed, 25);
}

}  // namespace sinew
