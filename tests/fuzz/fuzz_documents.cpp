#include "sinew/io/atlas_files.h"
#include "sinew/io/character_files.h"

#include "tests/fuzz/fuzz_reader.h"
#include "tests/fuzz/fuzz_targets.h"

/// Hand-written JSON documents: manifests of atlases, skeletons and motions of characters.
int sinew::fuzz::feed_documents(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    sinew::fuzz::may_refuse([&] { sinew::parse_atlas_manifest(text, "fuzz"); });
    sinew::fuzz::may_refuse([&] {
        const sinew::CharacterSkeleton skeleton = sinew::parse_character_skeleton(text, "fuzz");
        sinew::require_valid(skeleton, "fuzz");
    });
    sinew::fuzz::may_refuse([&] {
        sinew::CharacterSkeleton one;
        one.joints = {{.name = "root"}};
        sinew::parse_character_motion(text, "fuzz", one);
    });
    return 0;
}
