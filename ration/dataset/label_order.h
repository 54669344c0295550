// The order in which labels are written: as numbers if all of them are, else as text. It follows
// from the labels alone, and says nothing of who had which first. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ration/dataset/groups.h"

namespace ration {

// What a label says as a number, if all of it does and it is finite.
std::optional<double> number_in(const std::string& label);
bool all_numbers(const std::vector<std::string>& labels);

void sort_labels(std::vector<std::string>& labels);
// Everybody stays in the group of their label.
void sort_labels(Groups& groups);

}  // namespace ration
