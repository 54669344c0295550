// Groups of people for reporting: from files, or by their labels. Training and test people get the
// same list of groups, so that what is said of one can be compared with the other. A person's group
// is private: no error shows a label. Pure functions.
#pragma once

#include <cstddef>
#include <filesystem>
#include <istream>
#include <string>
#include <variant>

#include "ration/base/ids.h"
#include "ration/dataset/dataset.h"

namespace ration {

// From a file with one line per person: a label, after an optional header `group`; or, after the
// header `person,group`, the person's number (from 0, in order) and a label, parted by what parts
// the header. Where people have ids, they are named by them there, in any order, and the header may
// say `id,group` as well; a file without ids is refused if nobody has given people an order that
// its lines could be in. The file may be all that a CSV file may be (csv_rows.h). Labels are
// sorted (label_names.h). Refuses, with the line, what may not be a label; more than 10^4 labels;
// and any other number of lines than `people`.
enum class OrderOfPeople { given, none };
Groups read_groups(std::istream& in, const std::string& source, std::size_t people,
                   const Ids& ids = {}, OrderOfPeople order = OrderOfPeople::given);
Groups read_groups(const std::filesystem::path& file, std::size_t people, const Ids& ids = {},
                   OrderOfPeople order = OrderOfPeople::given);

// One file for the training people, before a split if there is one, and one for the test people.
struct GroupsFromFiles {
  std::filesystem::path train, test = {};
};

// People with the label of this name and people without: "pneumonia" and "no pneumonia". Without a
// name, each class is a group (LabelKind::one), or people without any label are one and the others
// another (LabelKind::many).
struct GroupsByLabel {
  std::string label = {};
};

using Grouping = std::variant<std::monostate, GroupsByLabel, GroupsFromFiles>;

// Refuses a name that is no label's.
Groups groups_by_label(const Labels& labels, const GroupsByLabel& by);

// One list for both: the groups of `first` in their order or, if `second` has others, all of them
// sorted, so that nobody sees who has which. Either may be without groups.
void share_labels(Groups& first, Groups& second);

}  // namespace ration
