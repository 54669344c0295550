// Lesson 2: an analyst who chooses the next query from the last answer, under a filter.
//
// Composition theorems for a plan fixed in advance say nothing about such an analyst. A filter
// does: it is asked before each query, and whatever the analyst does in view of the answers, all of
// them together stay within the budget.

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <vector>

#include "examples/print.h"
#include "ration/control/filter.h"
#include "ration/control/gdp_currency.h"
#include "ration/control/renyi_currency.h"

namespace {

// Invented incomes, and noise from a fixed seed so that this lesson reads the same every time. In
// real use a fixed seed would give everything away: noise comes from the operating system.
class Survey {
 public:
  Survey() {
    std::lognormal_distribution<double> incomes(10.3, 0.6);
    for (double& income : incomes_) income = incomes(random_);
    std::sort(incomes_.begin(), incomes_.end());
  }
  // How many earn less? One person changes the count by at most 1.
  double count_below(double threshold, double deviation) {
    const auto end = std::lower_bound(incomes_.begin(), incomes_.end(), threshold);
    return static_cast<double>(end - incomes_.begin()) + deviation * normal_(random_);
  }
  double people() const { return static_cast<double>(incomes_.size()); }
  double median() const { return incomes_[incomes_.size() / 2]; }

 private:
  std::mt19937_64 random_{2};
  std::normal_distribution<double> normal_;
  std::vector<double> incomes_ = std::vector<double>(100'000);
};

}  // namespace

int main() {
  using namespace ration;
  const EpsilonBudget budget = {.epsilon = 0.8, .delta = 1e-5};
  const Step query = {.noise = 100};
  Survey survey;
  Filter filter(gdp_currency(), budget);

  fmt::print("Looking for the median income by noisy counts, within eps = 0.8 at delta = 1e-5.\n");
  fmt::print("Each count has noise 100; the next threshold follows from the last answer.\n\n");

  // Step by step toward the threshold with half of the people below it. admit() charges the query,
  // and only then is it answered.
  double threshold = 10'000;
  int asked = 0;
  while (filter.admit(query)) {
    const double below = survey.count_below(threshold, query.noise);
    ++asked;
    if (asked <= 4 || asked == 100 || asked >= 477) {
      fmt::print("  query {:>3} admitted: about {:>5.0f} earn below {:>5.0f}; mu so far {}\n",
                 asked, below, threshold, example::up(filter.spent_mu(0)->upper, 6));
    }
    threshold -= 40'000 / (1 + 0.1 * asked) * (below / survey.people() - 0.5);
  }
  fmt::print("  query {:>3} HALTED: with it mu would be above {}\n\n", asked + 1,
             example::up(filter.budget_mu(0)->upper, 6));
  fmt::print("The answer: {:.0f}. The truth, which only we may see as we invented it: {:.0f}.\n\n",
             threshold, survey.median());

  // Halted is not closed: a question with more noise costs less, and may still fit.
  int small = 0;
  while (filter.admit(Step{.noise = 1000})) ++small;
  fmt::print("Of queries with noise 1000, a hundredth of the price, {} more fit.\n", small);

  // Spends are whole numbers of units of 2^-50, so that no charge is lost to rounding however long
  // the sequence is. The same analyst under Renyi accounting is stopped earlier:
  Filter renyi(renyi_currency(default_orders()), budget);
  int renyi_asked = 0;
  while (renyi.admit(query)) ++renyi_asked;
  fmt::print("Under a Renyi filter with the same budget the analyst gets {} of {} queries.\n",
             renyi_asked, asked);
}
