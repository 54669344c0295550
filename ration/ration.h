// The front door: everything that a program outside this repository includes, and all that is
// installed (cmake/public_headers.cmake). The verbs are those of the Python package: compose,
// calibrate_noise, Accounts::record, Accounts::epsilon, admit.
//
//     const Plan plan = {entry({.noise = 2, .rate = 0.005, .steps = 10'000})};
//     compose(plan, 1e-6).epsilon.upper
//
// examples/ is a course of short programs; README.md has a first one.
#pragma once

#include "ration/base/bound.h"
#include "ration/base/error.h"
#include "ration/base/guarantee.h"
#include "ration/base/values.h"
#include "ration/compose/calibrate.h"
#include "ration/compose/compose.h"
#include "ration/compose/curve.h"
#include "ration/control/budget.h"
#include "ration/control/gdp_filter.h"
#include "ration/control/gdp_odometer.h"
#include "ration/control/individual_gdp_filter.h"
#include "ration/control/individual_renyi_filter.h"
#include "ration/control/levels.h"
#include "ration/control/renyi_budget.h"
#include "ration/control/renyi_filter.h"
#include "ration/control/renyi_odometer.h"
#include "ration/control/renyi_rule.h"
#include "ration/individual/account_plan.h"
#include "ration/individual/accounts.h"
#include "ration/individual/buckets.h"
#include "ration/individual/epsilons.h"
#include "ration/individual/spend.h"
#include "ration/individual/step.h"
#include "ration/individual/units.h"
#include "ration/loss/gdp.h"
#include "ration/loss/rdp.h"
#include "ration/mechanism/mechanism.h"
#include "ration/mechanism/plan.h"
#include "ration/mechanism/plan_csv.h"
#include "ration/state/saved.h"
