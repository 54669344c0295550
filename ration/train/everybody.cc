#include "ration/train/everybody.h"

#include "ration/individual/worst_case.h"

namespace ration::train {

IndividualPrivacy everybody_of(const Accounts& accounts, const TrainingPlan& plan,
                               const Promise& promise) {
  IndividualPrivacy everybody =
      epsilons(accounts, accounted_delta(plan), {.method = method_of(plan)});
  for (Bound& epsilon : everybody.epsilon) epsilon = as_computed(epsilon);
  cap(everybody, promise.epsilon);
  everybody.guarantee.certified &= promise.guarantee.certified;
  everybody.guarantee.neighbours = promise.guarantee.neighbours;
  return everybody;
}

}  // namespace ration::train
