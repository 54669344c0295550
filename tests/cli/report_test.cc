// `ration report` as its users see it; what the page looks like is for tests/browser.
#include <filesystem>

#include "tests/cli/command.h"
#include "tests/cli/small_config.h"

namespace ration {
namespace {

class Report : public CommandTest {
 protected:
  Report() : CommandTest("report") {
    files_.put("small.toml", small_config());
    const std::string line =
        "cd " + files_.file("") + " && " + RATION_PROGRAM + " train small.toml --out r >out 2>err";
    EXPECT_EQ(std::system(line.c_str()), 0) << contents(files_.file("err"));
  }
  bool exists(const std::string& file) { return std::filesystem::exists(files_.file(file)); }
};

TEST_F(Report, MakesAPageForItsOwnerAlone) {
  const auto made = answer("r --out page.html --person 3");
  EXPECT_EQ(made["page"], "page.html");
  EXPECT_EQ(made["public"], false);
  EXPECT_EQ(mode("page.html"), 0600u);
  const Ended o = run("r --out page.html");
  EXPECT_NE(o.out.find("its owner alone"), std::string::npos) << o.out;
}

// Where people have ids, numbers are ids too.
TEST_F(Report, FindsAPersonByTheirId) {
  std::string people = "patient,x,y\n";
  for (int i = 0; i < 30; ++i) {
    people +=
        std::to_string(100 + i) + "," + std::to_string(i % 5) + "," + std::to_string(i % 2) + "\n";
  }
  files_.put("p.csv", people);
  files_.put("p.toml",
             "[data]\nsource = \"csv\"\ntrain = \"p.csv\"\nlabels = [\"y\"]\nid = \"patient\"\n"
             "[optimiser]\nrate = 0.1\n[privacy]\nmode = \"gd\"\nnoise = 10\nclip = 1\n"
             "delta = 1e-5\n[run]\nepochs = 2\n");
  const std::string line =
      "cd " + files_.file("") + " && " + RATION_PROGRAM + " train p.toml --out ids >out 2>err";
  ASSERT_EQ(std::system(line.c_str()), 0) << contents(files_.file("err"));
  EXPECT_EQ(run("ids --out page.html --person 103").status, 0);
  EXPECT_NE(contents(files_.file("page.html")).find("Person <b>103</b> has spent"),
            std::string::npos);
  const Ended refused = run("ids --out page.html --person 3");
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.err, "ration: --person is nobody's id: give an id that the data have\n");
}

TEST_F(Report, MakesAPublicPageWithoutTheFilesThatArePrivate) {
  for (const char* file : {"r/private.csv", "r/epsilons.csv", "r/accounts.state"}) {
    std::filesystem::remove(files_.file(file));
  }
  EXPECT_EQ(answer("r --out page.html --public")["public"], true);
  EXPECT_NE(mode("page.html") & 0004u, 0u);
  expect_refused("r --out other.html", "private.csv");
}

TEST_F(Report, LeavesNothingHalfWritten) {
  files_.put("page.html", "what was there");
  expect_refused("nothing --out page.html", "nothing");
  expect_refused("r --out page.html --person 60", "a whole number from 0 to 59");
  expect_refused("r --out page.html --person 3.5", "--person");
  expect_refused("r --out page.html --person 3 --public", "--person is private");
  std::filesystem::resize_file(files_.file("r/epsilons.csv"), 100);
  expect_refused("r --out page.html", "epsilons.csv");
  EXPECT_EQ(contents(files_.file("page.html")), "what was there");
  EXPECT_FALSE(exists("r/page.html"));
}

TEST_F(Report, RefusesAPdfBeforeAnythingIsRead) {
  for (const char* name : {"page.pdf", "PAGE.PDF"}) {
    expect_refused(std::string("nothing --out ") + name, "a name that ends in .html");
    expect_refused(std::string("r --public --out ") + name, "--out is '");
    EXPECT_FALSE(exists(name));
  }
}

TEST_F(Report, SaysWhatItIsCalledWhatForAndWhoAnswers) {
  answer("r --out page.html --title 'Heart <study>' --purpose 'Triage & care' --controller Ward");
  const std::string page = contents(files_.file("page.html"));
  EXPECT_NE(page.find("<h1>Heart &lt;study&gt;</h1>"), std::string::npos);
  EXPECT_NE(page.find("<title>Heart &lt;study&gt;: "), std::string::npos);
  EXPECT_NE(page.find("<dt>Purpose</dt><dd>Triage &amp; care</dd>"), std::string::npos);
  EXPECT_NE(page.find("<dt>Controller</dt><dd>Ward</dd>"), std::string::npos);
  for (const char* option : {"--title", "--purpose", "--controller"}) {
    expect_refused(std::string("r --out page.html ") + option + " ' '",
                   std::string(option) + " is ' ': give some words");
  }
}

TEST_F(Report, TakesNamesThatAreNoUtf8) {
  EXPECT_EQ(answer("r --out p\xff.html")["page"], "p\uFFFD.html");
  EXPECT_TRUE(exists("p\xff.html"));
  std::filesystem::rename(files_.file("r"), files_.file("r\xff"));
  EXPECT_EQ(run("r\xff --out page.html --public").status, 0);
}

TEST_F(Report, SaysWhyItCannotLookAtADirectory) {
  const std::string lengthy(300, 'd');
  expect_refused(lengthy + " --out page.html",
                 "cannot look at " + lengthy + ": File name too long");
  std::filesystem::create_symlink("round", files_.file("round"));
  expect_refused("round --out page.html",
                 "cannot look at round: Too many levels of symbolic links");
  expect_refused("r --out " + lengthy + ".html", "File name too long");
  std::filesystem::create_symlink("round.html", files_.file("round.html"));
  expect_refused("r --out round.html --public", "Too many levels of symbolic links");
}

TEST_F(Report, SparesTheResultsItIsMadeFrom) {
  std::filesystem::create_symlink("r/summary.json", files_.file("link.html"));
  std::filesystem::create_directory_symlink("r", files_.file("s"));
  for (const std::string file :
       {"r/summary.json", "r/epochs.csv", "r/accounts.state", "r/../r/model.npz", "s/settings.toml",
        "r/followed.csv", "r/journal", "link.html"}) {
    const std::string before = exists(file) ? contents(files_.file(file)) : "";
    for (const std::string options : {"", " --public"}) {
      expect_refused("r --out " + file + options, "--out would overwrite ");
      expect_refused("s --out " + file + options, "--out would overwrite ");
    }
    EXPECT_EQ(exists(file) ? contents(files_.file(file)) : "", before) << file;
  }
  EXPECT_EQ(run("r --out r/page.html").status, 0);
}

TEST_F(Report, RefusesAPublicPageOfARunWithoutPrivacy) {
  const std::string line = "cd " + files_.file("") + " && " + RATION_PROGRAM +
                           " train small.toml --set privacy.mode=none --out plain >out 2>err";
  ASSERT_EQ(std::system(line.c_str()), 0) << contents(files_.file("err"));
  expect_refused("plain --out page.html --public", "this run was made without privacy");
  EXPECT_FALSE(exists("page.html"));
  EXPECT_EQ(run("plain --out page.html").status, 0);
}

TEST_F(Report, SaysWhereItCannotWrite) {
  expect_refused("r --out no/folder/page.html", "no/folder");
}

}  // namespace
}  // namespace ration
