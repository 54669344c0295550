#include "ration/report/html_text.h"

#include <gtest/gtest.h>

#include "ration/base/error.h"

namespace ration::report {
namespace {

TEST(HtmlText, EscapesWhatHtmlReads) {
  EXPECT_EQ(escaped("</script><b a='1'>&\"</b>"),
            "&lt;/script&gt;&lt;b a=&#39;1&#39;&gt;&amp;&quot;&lt;/b&gt;");
}

TEST(HtmlText, ReplacesWhatIsNoUtf8AndControlCharacters) {
  EXPECT_EQ(escaped("a\xff\xc3(b"), "a\uFFFD\uFFFD(b");
  EXPECT_EQ(escaped(std::string("a\0b\x1b", 4)), "a b ");
  EXPECT_EQ(escaped("größe\n"), "größe\n");
}

TEST(HtmlText, FillsEachNameOnceAndNeverInsideValues) {
  EXPECT_EQ(filled("<{{a}}|{{b}}|{{a}}>", {{"a", "{{b}}"}, {"b", "2"}}), "<{{b}}|2|{{b}}>");
  EXPECT_THROW(filled("{{c}}", {{"a", "1"}}), Error);
}

TEST(HtmlText, TablesHaveACaptionAndScopes) {
  const std::string table =
      html(HtmlTable{.caption = "A & B", .columns = {"name", "value"}, .rows = {{"<x>", "1"}}});
  EXPECT_NE(table.find("<caption>A &amp; B</caption>"), std::string::npos);
  EXPECT_NE(table.find("<th scope=\"col\">value</th>"), std::string::npos);
  EXPECT_NE(table.find("<th scope=\"row\">&lt;x&gt;</th><td>1</td>"), std::string::npos);
}

}  // namespace
}  // namespace ration::report
