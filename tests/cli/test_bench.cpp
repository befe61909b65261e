#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <filesystem>

#include "tests/cli/run_sinew.h"
#include "tests/support/temporary_folder.h"

namespace sinew {

// What measures Sinew is a program of its own; the same words reach it.
TEST(CliBench, IsHandedToTheProgramBesideTheCommand) {
    const support::Outcome help = support::run_sinew({"bench", "--help"});
    EXPECT_EQ(help.code, 0) << help.err;
    EXPECT_NE(help.out.find("musculoskeletal"), std::string::npos) << help.out;

    const support::Outcome unknown = support::run_sinew({"bench", "skining"});
    EXPECT_EQ(unknown.code, 2);
    EXPECT_NE(unknown.err.find("skinning"), std::string::npos) << unknown.err;
}

// Without that program, and without the studio's, the error is what scripts expect of any verb.
TEST(CliBench, WithoutTheProgramBesideItTheErrorIsJsonToo) {
    const support::TemporaryFolder folder;
    std::filesystem::copy_file(SINEW_PROGRAM, folder / "sinew");
    for (const std::string verb : {"bench skinning --short", "studio --no-browser"}) {
        const std::string command =
            (folder / "sinew").string() + " " + verb + " --json 2>/dev/null";
        std::string out;
        FILE* pipe = ::popen(command.c_str(), "r");
        ASSERT_NE(pipe, nullptr);
        for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) {
            out += static_cast<char>(c);
        }
        EXPECT_EQ(WEXITSTATUS(::pclose(pipe)), 2) << verb;
        const nlohmann::json json = nlohmann::json::parse(out);
        EXPECT_EQ(json.at("exit"), 2);
        for (const char* key : {"where", "found", "needs", "remedy"}) {
            EXPECT_FALSE(json.at("error").at(key).get<std::string>().empty()) << verb << key;
        }
        EXPECT_TRUE(json.at("error").contains("file"));
    }
}

}  // namespace sinew
