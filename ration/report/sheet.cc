#include "ration/report/sheet.h"

#include <algorithm>
#include <functional>
#include <sstream>
#include <utility>

namespace ration::report::drawing {
namespace {

constexpr double kWidth = 720, kLeft = 72, kRight = 700, kHeight = 300;
constexpr double kMargin = 16, kLine = 19;

using From = Text::From;
using Sample = LegendEntry::Sample;

Marks sample_of(const LegendEntry& entry, double x, double y) {
  const auto box = [&](Box::Part part) {
    return Box{.part = part, .corner = {x + 8, y - 11}, .width = 14, .height = 12};
  };
  const auto line = [&](Stroke::Part part) {
    return Stroke{.part = part, .pieces = {{{x, y - 5}, {x + 22, y - 5}}}};
  };
  switch (entry.sample) {
    case Sample::line:
      return {.colour = entry.colour, .strokes = {line(Stroke::Part::line)}};
    case Sample::dashed_line:
      return {.colour = entry.colour, .strokes = {line(Stroke::Part::dashed_line)}};
    case Sample::area:
      return {.colour = entry.colour, .boxes = {box(Box::Part::sample)}};
    case Sample::faint_area:
      return {.colour = entry.colour, .boxes = {box(Box::Part::faint_sample)}};
  }
  return {};
}

bool continues_letter(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// As many letters as fit, and an ellipsis.
std::string cut_off(const std::string& word, double width, double size) {
  std::string kept = word;
  while (!kept.empty() && text_width(kept + "…", size) > width) {
    while (kept.size() > 1 && continues_letter(kept.back())) kept.pop_back();
    kept.pop_back();
  }
  return kept + "…";
}

struct Rectangle {
  double left, top, right, bottom;

  bool meets(const Rectangle& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

}  // namespace

// Letters of a plain typeface are a good half as wide as they are high.
double text_width(const std::string& text, double size) {
  const auto letters = std::count_if(text.begin(), text.end(), std::not_fn(continues_letter));
  return 0.56 * size * static_cast<double>(letters);
}

std::vector<std::string> lines_of(const std::string& text, double width, double size) {
  std::vector<std::string> lines;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (text_width(word, size) > width) word = cut_off(word, width, size);
    if (!lines.empty() && text_width(lines.back() + " " + word, size) <= width) {
      lines.back() += " " + word;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

Sheet::Sheet(const Frame& frame, const std::vector<LegendEntry>& legend) : frame_(frame) {
  constexpr double kSample = 30, kGap = 22;
  double y = 30;
  for (const std::string& line : lines_of(frame.title, kWidth - 2 * kMargin, kTitleSize)) {
    text({Text::Part::heading, From::start, {kMargin, y}, line});
    y += 23;
  }
  double x = kMargin;
  y += 3;
  for (const LegendEntry& entry : legend) {
    const double width = kSample + text_width(entry.name, kTextSize) + kGap;
    if (x > kMargin && x + width > kWidth) {
      x = kMargin;
      y += kLine + 3;
    }
    behind_.push_back(sample_of(entry, x, y));
    text({Text::Part::plain, From::start, {x + kSample, y}, entry.name});
    x += width;
  }
  if (!legend.empty()) y += kLine + 12;
  text({Text::Part::plain, From::start, {kMargin, y}, frame.y.title});
  top_ = y + 14;
}

Range Sheet::across() const { return {kLeft, kRight}; }
Range Sheet::upward() const { return {top_ + kHeight, top_}; }

void Sheet::text(Text text) { behind_.push_back({.texts = {std::move(text)}}); }

void Sheet::stroke(Stroke::Part part, Piece piece) {
  behind_.push_back({.strokes = {{.part = part, .pieces = {std::move(piece)}}}});
}

void Sheet::y_axis(const Scale& scale) {
  for (const Tick& tick : scale.ticks()) {
    const double y = scale.place(tick.value);
    stroke(tick.value == 0 ? Stroke::Part::axis : Stroke::Part::grid, {{kLeft, y}, {kRight, y}});
    text({Text::Part::number, From::end, {kLeft - 8, y + 5}, tick.label});
  }
}

// A label that would touch the one before it is left out.
void Sheet::x_axis(const Scale& scale) {
  constexpr double kGap = 8;
  const double bottom = upward().from;
  double taken = 0;
  for (const Tick& tick : scale.ticks()) {
    const double x = scale.place(tick.value), half = text_width(tick.label, kTextSize) / 2;
    stroke(Stroke::Part::axis, {{x, bottom}, {x, bottom + 6}});
    if (x - half < taken) continue;
    text({Text::Part::number, From::middle, {x, bottom + 22}, tick.label});
    taken = x + half + kGap;
  }
  foot_ = bottom + 22;
}

void Sheet::x_categories(const std::vector<std::string>& categories) {
  const double bottom = upward().from;
  const double slot =
      (kRight - kLeft) / static_cast<double>(std::max<std::size_t>(categories.size(), 1));
  foot_ = bottom;
  for (std::size_t i = 0; i < categories.size(); ++i) {
    double y = bottom;
    for (const std::string& line : lines_of(categories[i], slot - 6, kTextSize)) {
      const double x = kLeft + (static_cast<double>(i) + 0.5) * slot;
      text({Text::Part::plain, From::middle, {x, y += kLine}, line});
    }
    foot_ = std::max(foot_, y);
  }
}

void Sheet::add(Marks marks) { inside_.push_back(std::move(marks)); }

// Each text stands one line below the one before it.
void Sheet::markers(const std::vector<Marker>& markers, const Scale& x, MarkerNames names) {
  const bool at_the_top = names == MarkerNames::at_the_top;
  double y = at_the_top ? top_ + 16 : top_ + kHeight - 10;
  for (const Marker& marker : markers) {
    if (!x.can_show(marker.x)) continue;
    const double place = x.place(marker.x);
    if (place < kLeft || place > kRight) continue;
    const bool leftward = place > (kLeft + kRight) / 2;  // where there is more room
    add({.strokes = {{.part = Stroke::Part::mark,
                      .pieces = {{{place, top_}, {place, top_ + kHeight}}}}},
         .texts = {{.part = Text::Part::marked,
                    .from = leftward ? From::end : From::start,
                    .at = {place + (leftward ? -7 : 7), y},
                    .content = marker.name}}});
    y += at_the_top ? kLine : -kLine;
  }
}

void Sheet::names(const std::vector<Named>& named) {
  constexpr double kAside = 9, kAround = 6;
  std::vector<Rectangle> taken;
  for (const auto& [name, at] : named) {
    taken.push_back({at.x - kAround, at.y - kAround, at.x + kAround, at.y + kAround});
  }
  for (const auto& [name, at] : named) {
    const double width = text_width(name, kTextSize);
    for (const bool leftward : {false, true}) {
      const double left = leftward ? at.x - kAside - width : at.x + kAside;
      const Rectangle room = {left, at.y - 9, left + width, at.y + 9};
      const bool free =
          room.left >= kLeft && room.right <= kRight &&
          std::none_of(taken.begin(), taken.end(), [&](auto& each) { return each.meets(room); });
      if (!free) continue;
      taken.push_back(room);
      add({.texts = {{Text::Part::marked, From::start, {left, at.y + 5}, name}}});
      break;
    }
  }
}

Picture Sheet::picture(const std::string& described) const {
  const double bottom = upward().from, title_foot = foot_ + 26;
  Picture picture = {.title = frame_.title,
                     .described = described,
                     .width = kWidth,
                     .height = title_foot + 14,
                     .plot = {},
                     .behind = behind_,
                     .inside = inside_,
                     .before = {}};
  // Lines that run along an edge of the plot keep their width.
  picture.plot = {.part = Box::Part::bar,
                  .corner = {kLeft - 2, top_ - 2},
                  .width = kRight - kLeft + 4,
                  .height = kHeight + 4};
  picture.before.push_back(
      {.strokes = {{.part = Stroke::Part::axis, .pieces = {{{kLeft, bottom}, {kRight, bottom}}}}},
       .texts = {
           {Text::Part::plain, From::middle, {(kLeft + kRight) / 2, title_foot}, frame_.x.title}}});
  return picture;
}

}  // namespace ration::report::drawing
