// How fast this machine trains beside the one that expected times were measured on, found out by a
// short piece of the same kind of work. On all cores.
#pragma once

namespace ration::paper {

// About 1 on that machine, 2 on one whose cores are half as fast. Takes a fraction of a second.
double pace();

}  // namespace ration::paper
