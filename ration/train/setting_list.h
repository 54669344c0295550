// Every setting of a training run: its type, its default, an example and what it means. The one
// list that reading (TomlReader) and documentation (docs/settings.md, `ration train --settings`)
// share: a setting that is not in it cannot be read, because the program does not compile.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ration::train {

enum class Kind {
  text,
  number,
  whole,
  texts,             // a text or a list of them
  wholes,            // a list
  people,            // a list of ids, or of numbers
  numbers,           // a number or a list of them
  texts_by_column,   // a table: column = [text, ...]
  scales_by_column,  // a table: column = [mean, scale]
};

struct Setting {
  std::string_view path;  // "section.key"
  Kind kind;
  std::string_view by_default = {};  // in TOML; what is read if it is not given
  std::string_view otherwise = {};   // without such a default, what holds then, in words
  std::string_view only_for = {};    // what it belongs to: "data.source csv"
  std::string_view example;          // in TOML
  std::string_view meaning;

  constexpr std::string_view section() const { return path.substr(0, path.find('.')); }
  constexpr std::string_view key() const { return path.substr(path.find('.') + 1); }
};

inline constexpr std::string_view kIdx = "data.source idx", kNpy = "data.source npy",
                                  kCsv = "data.source csv", kCohort = "data.source cohort",
                                  kMustBe = "must be given";

inline constexpr Setting kSettingList[] = {
    {.path = "data.source",
     .kind = Kind::text,
     .otherwise = kMustBe,
     .example = "\"csv\"",
     .meaning = "What the data are: csv, npy or idx files, or the synthetic cohort"},
    {.path = "data.train",
     .kind = Kind::text,
     .otherwise = kMustBe,
     .only_for = kCsv,
     .example = "\"people.csv.gz\"",
     .meaning = "CSV file with a header and a row for each person, plain or gzip"},
    {.path = "data.test",
     .kind = Kind::text,
     .otherwise = "no test people",
     .only_for = kCsv,
     .example = "\"test.csv\"",
     .meaning = "CSV file of the test people, with the same columns in any order"},
    {.path = "data.labels",
     .kind = Kind::texts,
     .otherwise = kMustBe,
     .only_for = kCsv,
     .example = "[\"outcome\"]",
     .meaning = "What is learned: a column of classes, or several columns of 0 and 1"},
    {.path = "data.id",
     .kind = Kind::text,
     .otherwise = "each row is a person",
     .only_for = kCsv,
     .example = "\"patient\"",
     .meaning = "Column that says whose row it is, any text or number; it is no feature"},
    {.path = "data.leave_out",
     .kind = Kind::texts,
     .by_default = "[]",
     .only_for = kCsv,
     .example = "[\"name\", \"remarks\"]",
     .meaning = "Columns that are not looked at"},
    {.path = "data.categories",
     .kind = Kind::texts_by_column,
     .otherwise = "none: other columns hold numbers",
     .only_for = kCsv,
     .example = "{ward = [\"east\", \"west\"]}",
     .meaning = "Columns of text and all that may stand in them, which is public: each category "
                "becomes a feature of 0 or 1. Any other text is refused; \"\" is an empty cell"},
    {.path = "data.standardise",
     .kind = Kind::scales_by_column,
     .otherwise = "columns stay as they are",
     .only_for = kCsv,
     .example = "{age = [50, 20], weight = [75, 15]}",
     .meaning = "By column, public constants [mean, scale]: x becomes (x - mean) / scale. Never "
                "compute them from the data"},
    {.path = "data.separator",
     .kind = Kind::text,
     .otherwise = "the one of comma, semicolon and tab that the header has",
     .only_for = kCsv,
     .example = "\";\"",
     .meaning = "What parts columns: a comma, a semicolon, a tab (\"\\t\") or \"|\""},
    {.path = "data.train_features",
     .kind = Kind::text,
     .otherwise = kMustBe,
     .only_for = kNpy,
     .example = "\"train_X.npy\"",
     .meaning = "NPY file of float32 or float64, people x features, plain or gzip"},
    {.path = "data.train_labels",
     .kind = Kind::text,
     .otherwise = kMustBe,
     .only_for = "data.source npy or idx",
     .example = "\"train_y.npy\"",
     .meaning = "NPY file of classes 0, 1, ... or of people x labels, 0 or 1; or IDX file of "
                "classes; plain or gzip"},
    {.path = "data.test_features",
     .kind = Kind::text,
     .otherwise = "no test people",
     .only_for = kNpy,
     .example = "\"test_X.npy\"",
     .meaning = "The same of the test people"},
    {.path = "data.test_labels",
     .kind = Kind::text,
     .otherwise = "no test people",
     .only_for = "data.source npy or idx",
     .example = "\"test_y.npy\"",
     .meaning = "The same of the test people"},
    {.path = "data.train_ids",
     .kind = Kind::text,
     .otherwise = "each row is a person",
     .only_for = "data.source npy or idx",
     .example = "\"train_ids.txt\"",
     .meaning = "File with the id of the person whose row it is, one on a line in the order of the "
                "rows, plain or gzip"},
    {.path = "data.test_ids",
     .kind = Kind::text,
     .otherwise = "must be given if training has ids",
     .only_for = "data.source npy or idx",
     .example = "\"test_ids.txt\"",
     .meaning = "The same of the test people"},
    {.path = "data.directory",
     .kind = Kind::text,
     .otherwise = "files by their own names",
     .only_for = kIdx,
     .example = "\"/usr/share/datasets/fashion-mnist\"",
     .meaning = "Folder with the four IDX files of MNIST or its kin, instead of their names"},
    {.path = "data.train_images",
     .kind = Kind::text,
     .otherwise = "must be given without data.directory",
     .only_for = kIdx,
     .example = "\"train-images-idx3-ubyte.gz\"",
     .meaning = "IDX file of unsigned bytes, plain or gzip"},
    {.path = "data.test_images",
     .kind = Kind::text,
     .otherwise = "no test people",
     .only_for = kIdx,
     .example = "\"t10k-images-idx3-ubyte.gz\"",
     .meaning = "The same of the test people"},
    {.path = "data.people",
     .kind = Kind::whole,
     .by_default = "29250",
     .only_for = kCohort,
     .example = "500",
     .meaning = "How many people the synthetic cohort has in training"},
    {.path = "data.test_people",
     .kind = Kind::whole,
     .by_default = "6281",
     .only_for = kCohort,
     .example = "100",
     .meaning = "How many it has in test"},
    {.path = "data.seed",
     .kind = Kind::whole,
     .by_default = "1",
     .only_for = kCohort,
     .example = "7",
     .meaning = "Which cohort it is"},
    {.path = "data.records",
     .kind = Kind::text,
     .otherwise = "\"one\": an id that is there twice is refused",
     .only_for = "data with ids",
     .example = "\"together\"",
     .meaning = "What several rows with one id are: together takes them as one person's records, "
                "whose sum is drawn, clipped and paid for once"},
    {.path = "data.mean",
     .kind = Kind::numbers,
     .otherwise = "0",
     .example = "0.5",
     .meaning = "Public constant that is subtracted from every feature, or one for each of them in "
                "their order; for CSV files see data.standardise"},
    {.path = "data.scale",
     .kind = Kind::numbers,
     .otherwise = "1",
     .example = "[20, 15]",
     .meaning = "Public constant that every feature is divided by after that, or one for each"},
    {.path = "data.test_fraction",
     .kind = Kind::number,
     .otherwise = "no split",
     .example = "0.2",
     .meaning = "Share of the people who are taken out as test people, where there are none"},
    {.path = "data.split_seed",
     .kind = Kind::whole,
     .otherwise = "0",
     .example = "3",
     .meaning = "Which people data.test_fraction takes out"},
    {.path = "groups.by",
     .kind = Kind::text,
     .otherwise = "no groups",
     .example = "\"column\"",
     .meaning = "Groups of people for the reports: by label, by a column of the CSV file, or by a "
                "file"},
    {.path = "groups.label",
     .kind = Kind::text,
     .otherwise = "each class; for several labels, people with any and people with none",
     .only_for = "groups.by label",
     .example = "\"pneumonia\"",
     .meaning = "People with this label are one group and the others another"},
    {.path = "groups.column",
     .kind = Kind::text,
     .otherwise = kMustBe,
     .only_for = "groups.by column",
     .example = "\"sex\"",
     .meaning = "Column of the CSV file with the name of each person's group; it is no feature"},
    {.path = "groups.train",
     .kind = Kind::text,
     .otherwise = kMustBe,
     .only_for = "groups.by file",
     .example = "\"groups.csv\"",
     .meaning = "File with a group for each person of the data, one on a line"},
    {.path = "groups.test",
     .kind = Kind::text,
     .otherwise = "test people have none",
     .only_for = "groups.by file",
     .example = "\"test_groups.csv\"",
     .meaning = "The same of the people in the test files"},
    {.path = "model.hidden",
     .kind = Kind::wholes,
     .by_default = "[]",
     .example = "[128, 64]",
     .meaning = "Widths of the hidden layers; [] is a linear model"},
    {.path = "model.activation",
     .kind = Kind::text,
     .by_default = "\"relu\"",
     .example = "\"tanh\"",
     .meaning = "relu or tanh"},
    {.path = "optimiser.kind",
     .kind = Kind::text,
     .by_default = "\"adam\"",
     .example = "\"sgd\"",
     .meaning = "adam or sgd"},
    {.path = "optimiser.rate",
     .kind = Kind::number,
     .otherwise = kMustBe,
     .example = "0.01",
     .meaning = "Learning rate"},
    {.path = "optimiser.momentum",
     .kind = Kind::number,
     .otherwise = "0",
     .only_for = "optimiser.kind sgd",
     .example = "0.9",
     .meaning = "Momentum"},
    {.path = "optimiser.weight_decay",
     .kind = Kind::number,
     .by_default = "0",
     .example = "0.001",
     .meaning = "Times the parameters, added to the gradient"},
    {.path = "privacy.mode",
     .kind = Kind::text,
     .otherwise = kMustBe,
     .example = "\"sgd\"",
     .meaning =
         "gd (everybody at every step), sgd (Poisson samples) or none, for comparison, which "
         "leaves all privacy settings aside"},
    {.path = "privacy.noise",
     .kind = Kind::number,
     .otherwise = "found from privacy.epsilon",
     .example = "2.5",
     .meaning = "Standard deviation of the noise divided by the clip bound"},
    {.path = "privacy.epsilon",
     .kind = Kind::number,
     .otherwise = "privacy.noise is given",
     .example = "2",
     .meaning = "Instead of noise: the least noise that keeps to it is found, over all epochs, or "
                "over filter.after_epochs as the filter accounts for them"},
    {.path = "privacy.delta",
     .kind = Kind::number,
     .otherwise = kMustBe,
     .example = "1e-5",
     .meaning = "Delta of the guarantee, well below 1 / people"},
    {.path = "privacy.clip",
     .kind = Kind::number,
     .otherwise = kMustBe,
     .example = "1",
     .meaning = "Bound on the norm of everybody's gradient"},
    {.path = "privacy.rate",
     .kind = Kind::number,
     .otherwise = "1; must be given for sgd",
     .only_for = "privacy.mode sgd",
     .example = "0.02",
     .meaning = "Probability of being drawn, at every step"},
    {.path = "privacy.norms",
     .kind = Kind::text,
     .otherwise = "\"held\"",
     .only_for = "privacy.mode sgd",
     .example = "\"exact\"",
     .meaning = "exact (at every step), held (for privacy.refresh steps), or clip: nobody's, and "
                "all pay for the clip bound"},
    {.path = "privacy.refresh",
     .kind = Kind::whole,
     .otherwise = kMustBe,
     .only_for = "privacy.norms held",
     .example = "100",
     .meaning = "After how many steps everybody's norm is computed anew"},
    {.path = "filter.kind",
     .kind = Kind::text,
     .otherwise = "by the mode, if there is a budget",
     .example = "\"tight\"",
     .meaning =
         "gdp (mode gd), tight or rdp (mode sgd) or none; by default, in mode sgd, the one that "
         "people at the clip bound can take more steps under"},
    {.path = "filter.epsilon",
     .kind = Kind::number,
     .otherwise = "no filter",
     .example = "1",
     .meaning = "What everybody may spend, at privacy.delta"},
    {.path = "filter.mu",
     .kind = Kind::number,
     .otherwise = "no filter",
     .only_for = "filter.kind gdp and rdp",
     .example = "0.5",
     .meaning = "The same as a GDP parameter"},
    {.path = "filter.after_epochs",
     .kind = Kind::whole,
     .otherwise = "no filter",
     .example = "10",
     .meaning = "The same as what so many epochs cost at the clip bound"},
    {.path = "run.epochs",
     .kind = Kind::whole,
     .otherwise = kMustBe,
     .example = "20",
     .meaning = "How many epochs: of 1 step (gd), or of 1 / rate steps (sgd)"},
    {.path = "run.out",
     .kind = Kind::text,
     .by_default = "\"run\"",
     .example = "\"results/first\"",
     .meaning = "The run directory"},
    {.path = "run.checkpoint_seconds",
     .kind = Kind::number,
     .by_default = "10",
     .example = "60",
     .meaning = "How far the run has come is written down at the end of a step when that was done "
                "so many seconds ago, or 2% of the steps"},
    {.path = "run.follow",
     .kind = Kind::people,
     .by_default = "[]",
     .example = "[17, 42]",
     .meaning = "At most 100 people, by their ids, or counted from 0 if they have none, whose "
                "epsilon at the end of every epoch is "
                "kept in followed.csv"},
    {.path = "run.test_seed",
     .kind = Kind::whole,
     .otherwise = "noise and samples are secret",
     .example = "1",
     .meaning = "A test run: noise and samples follow from this seed, and every output is marked "
                "as not private"},
};

// None if there is no such setting.
constexpr const Setting* find_setting(std::string_view path) {
  for (const Setting& setting : kSettingList)
    if (setting.path == path) return &setting;
  return nullptr;
}

// A setting of the list that has this type: in.text("data.source") compiles only if it is one.
template <Kind kind>
class Key {
 public:
  consteval Key(const char* path) : setting_(find_setting(path)) {  // NOLINT: as its name
    if (setting_ == nullptr) throw "no setting: put it into kSettingList";
    if (setting_->kind != kind) throw "a setting of another type";
  }
  constexpr const Setting& operator*() const { return *setting_; }

 private:
  const Setting* setting_;
};

// One that has a default.
template <Kind kind>
class DefaultKey : public Key<kind> {
 public:
  consteval DefaultKey(const char* path) : Key<kind>(path) {  // NOLINT: as its name
    if ((**this).by_default.empty()) throw "a setting without a default";
  }
};

std::string_view name(Kind kind);  // as in "give a NAME"
bool is_section(std::string_view name);

// The setting whose path is most like this one, for a refusal.
const Setting& nearest_setting(std::string_view path);

// All of them: a table in Markdown for each section (docs/settings.md), or a list for a terminal.
std::string settings_page();
std::string settings_text();

}  // namespace ration::train
