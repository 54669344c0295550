#include "paper/figure_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace ration {

std::string_view verdict(bool held) { return held ? "held" : "did not hold"; }

bool held(const Figure& figure) {
  return std::all_of(figure.claims.begin(), figure.claims.end(),
                     [](const Claim& claim) { return claim.held; });
}

std::string markdown_of(const Figure& figure) {
  std::string text =
      fmt::format("# {}\n\n**What the paper shows.** {}\n\n**What was done here.** {}\n",
                  figure.title, figure.paper, figure.here);
  if (!figure.claims.empty()) text += "\n**What came out.**\n\n";
  for (const Claim& claim : figure.claims) {
    text += fmt::format("- {} This {}. {}\n", claim.statement, verdict(claim.held), claim.finding);
  }
  if (!figure.corrections.empty()) text += "\n**Corrections of the paper.**\n\n";
  for (const std::string& correction : figure.corrections)
    text += fmt::format("- {}\n", correction);
  return text;
}

}  // namespace ration
