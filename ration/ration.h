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
#include "ration/base/ids.h"
#include "ration/base/values.h"
#include "ration/compose/calibrate.h"
#include "ration/compose/compose.h"
#include "ration/compose/household.h"
#include "ration/control/books.h"
#include "ration/control/currency.h"
#include "ration/control/filter.h"
#include "ration/control/gdp_currency.h"
#include "ration/control/odometer.h"
#include "ration/control/purse.h"
#include "ration/control/renyi_currency.h"
#include "ration/individual/accounts.h"
#include "ration/individual/buckets.h"
#include "ration/individual/epsilons.h"
#include "ration/individual/step.h"
#include "ration/individual/units.h"
#include "ration/ledger/ledger.h"
#include "ration/loss/gdp.h"
#include "ration/loss/rdp.h"
#include "ration/mechanism/mechanism.h"
#include "ration/mechanism/mechanism_csv.h"
#include "ration/state/saved.h"
