#include "sinew/base/error.h"
#include "sinew/base/nesting.h"
#include "sinew/io/character_files.h"
#include "sinew/io/gltf.h"
#include "sinew/io/mass_files.h"
#include "sinew/io/mjcf.h"
#include "sinew/io/osim.h"
#include "sinew/io/settings_json.h"
#include "sinew/io/xml_file.h"

#include <gtest/gtest.h>

namespace sinew {
namespace {

struct NestedSettings {
    double step = 0.5;
};
template <class O, class V>
requires std::is_same_v<std::remove_const_t<O>, NestedSettings>
void visit_fields(O& o, V&& v) {
    v(o.step, Field{.name = "step", .help = "fraction", .min = 0, .max = 1});
}

std::string repeated(const std::string& text, int count) {
    std::string all;
    for (int i = 0; i < count; ++i) {
        all += text;
    }
    return all;
}

std::string nested_xml(const std::string& root, const std::string& inner, int levels) {
    return "<" + root + ">" + repeated("<" + inner + ">", levels) +
           repeated("</" + inner + ">", levels) + "</" + root + ">";
}

template <class Read>
std::string complaint(const Read& read) {
    try {
        read();
    } catch (const InputError& error) {
        return error.what();
    }
    return "no error";
}

}  // namespace

// 60 000 levels of an .osim ended the program by a stack that was full.
TEST(Nesting, NoReaderOfXmlFollowsAHundredThousandLevels) {
    constexpr int kLevels = 100000;
    const std::string osim = nested_xml("OpenSimDocument", "Model", kLevels);
    EXPECT_NE(complaint([&] { parse_osim(osim, "deep.osim"); }).find("nested deeper"),
              std::string::npos);
    const std::string mjcf = nested_xml("mujoco", "worldbody", kLevels);
    EXPECT_NE(complaint([&] { parse_mjcf(mjcf, "deep.xml"); }).find("nested deeper"),
              std::string::npos);
    const std::string classes = nested_xml("mujoco", "default", kLevels);
    EXPECT_NE(complaint([&] { parse_mjcf(classes, "deep.xml"); }).find("nested deeper"),
              std::string::npos);
    const std::string mass = nested_xml("Skeleton", "Node", kLevels);
    EXPECT_NE(complaint([&] { parse_mass(mass, mass); }).find("nested deeper"), std::string::npos);
}

TEST(Nesting, NoReaderOfJsonFollowsAHundredThousandLevels) {
    const std::string deep = repeated("[", 100000) + repeated("]", 100000);
    const std::string in_object = R"({"step": )" + deep + "}";
    EXPECT_NE(complaint([&] { parse_character_skeleton(in_object, "deep"); }).find("nested deeper"),
              std::string::npos);
    EXPECT_NE(complaint([&] {
                  settings_from_json<NestedSettings>(in_object, "deep");
              }).find("nested deeper"),
              std::string::npos);
    EXPECT_NE(complaint([&] { parse_gltf(in_object, "deep.gltf"); }).find("nested deeper"),
              std::string::npos);
}

TEST(Nesting, TheLimitIsTheLastLevelThatIsRead) {
    const auto xml = [](int levels) {
        return complaint([&] { XmlFile(nested_xml("a", "b", levels - 1), "x.xml"); });
    };
    EXPECT_EQ(xml(kMaxNesting), "no error");
    EXPECT_NE(xml(kMaxNesting + 2).find("nested deeper"), std::string::npos);
    EXPECT_FALSE(is_json_nested_deeper(repeated("[", kMaxNesting)));
    EXPECT_TRUE(is_json_nested_deeper(repeated("[", kMaxNesting + 1)));
    EXPECT_FALSE(is_json_nested_deeper(repeated("[]", 1000)));
    EXPECT_FALSE(is_json_nested_deeper('"' + repeated("[{\\\"", 1000) + '"'));
}

}  // namespace sinew
