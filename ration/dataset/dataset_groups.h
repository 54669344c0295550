// Groups of people for reporting: by their labels, or from files. Training and test people get the
// same list of groups, so that what is said of one can be compared with the other. Pure functions.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <variant>

#include "ration/dataset/dataset.h"

namespace ration {

// People with the label of this name and people without: "pneumonia" and "no pneumonia". Without a
// name, each class is a group (LabelKind::one), or people without any label are one and the others
// another (LabelKind::many).
struct GroupsByLabel {
  std::string label = {};
};

// One file for the training people, before a split if there is one, and one for the test people
// (groups.h).
struct GroupsFromFiles {
  std::filesystem::path train, test = {};
};

using Grouping = std::variant<std::monostate, GroupsByLabel, GroupsFromFiles>;

// Refuses a name that is no label's.
Groups groups_by_label(const Labels& labels, const GroupsByLabel& by);

// One list for both: the groups of `first` in their order or, if `second` has others, all of them
// sorted, so that nobody sees who has which. Either may be without groups.
void share_labels(Groups& first, Groups& second);

}  // namespace ration
