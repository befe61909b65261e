#include "sinew/io/atlas_files.h"
#include "sinew/io/character_files.h"

#include "tests/fuzz/fuzz_reader.h"

namespace {

template <class Parse>
void may_refuse(Parse&& parse) {
    try {
        parse();
    } catch (const sinew::InputError&) {
    }
}

}  // namespace

/// Hand-written JSON documents: manifests of atlases, skeletons and motions of characters.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    may_refuse([&] { sinew::parse_atlas_manifest(text, "fuzz"); });
    may_refuse([&] {
        const sinew::CharacterSkeleton skeleton = sinew::parse_character_skeleton(text, "fuzz");
        sinew::require_valid(skeleton, "fuzz");
    });
    may_refuse([&] {
        sinew::CharacterSkeleton one;
        one.joints = {{.name = "root"}};
        sinew::parse_character_motion(text, "fuzz", one);
    });
    return 0;
}
