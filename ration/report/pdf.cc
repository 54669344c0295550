#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "ration/report/html_text.h"
#include "ration/report/picture.h"

namespace ration::report::drawing {
namespace {

// How wide the letters of Helvetica are from blank to tilde, in thousandths of their size.
constexpr std::array<std::uint16_t, 95> kHelvetica = {
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333,  278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667,  611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278,  556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500,  500, 334, 260, 334, 584};

enum class Font { plain, bold, symbol };

// A letter of a standard font; raised ones are exponents.
struct Letter {
  Font font;
  unsigned char code;
  double width;
  bool raised = false;
};

struct Greek {
  char32_t letter;
  unsigned char code;
  double width;
};
constexpr Greek kSymbol[] = {{U'α', 'a', 0.631},  {U'β', 'b', 0.549},  {U'γ', 'g', 0.411},
                             {U'δ', 'd', 0.494},  {U'ε', 'e', 0.439},  {U'λ', 'l', 0.549},
                             {U'μ', 'm', 0.576},  {U'π', 'p', 0.549},  {U'ρ', 'r', 0.549},
                             {U'σ', 's', 0.603},  {U'τ', 't', 0.439},  {U'φ', 'j', 0.603},
                             {U'Φ', 'F', 0.763},  {U'−', '-', 0.549},  {U'≤', 0xa3, 0.549},
                             {U'≥', 0xb3, 0.549}, {U'∞', 0xa5, 0.713}, {U'√', 0xd6, 0.549}};
constexpr std::u32string_view kRaised = U"⁰¹²³⁴⁵⁶⁷⁸⁹";

std::u32string letters_of(const std::string& text) {
  std::u32string letters;
  for (const char c : as_utf8(text)) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xc0) == 0x80) {
      letters.back() = (letters.back() << 6) | (byte & 0x3f);
    } else {
      const int mask = byte < 0x80 ? 0x7f : byte < 0xe0 ? 0x1f : byte < 0xf0 ? 0x0f : 0x07;
      letters.push_back(byte & static_cast<unsigned>(mask));
    }
  }
  return letters;
}

Letter letter_of(char32_t letter, Font font) {
  const auto plain = [&](char32_t code, double width) {
    return Letter{.font = font, .code = static_cast<unsigned char>(code), .width = width};
  };
  if (letter >= U' ' && letter <= U'~') return plain(letter, kHelvetica[letter - U' '] / 1000.0);
  const auto raised = kRaised.find(letter);
  if (raised != kRaised.npos) {
    return {.font = font,
            .code = static_cast<unsigned char>('0' + raised),
            .width = 0.556,
            .raised = true};
  }
  if (letter == U'⁻') return {.font = Font::symbol, .code = '-', .width = 0.549, .raised = true};
  if (letter == U'–') return plain(0x96, 0.556);
  if (letter == U'…') return plain(0x85, 1);
  if (letter == U'×') return plain(0xd7, 0.584);
  if (letter == U'µ') return letter_of(U'μ', font);
  if (letter == U'\u00a0') return plain(U' ', 0.278);
  if (letter > U'\u00a0' && letter <= U'ÿ') return plain(letter, 0.556);  // Latin: about as wide
  const auto* const greek = std::find_if(std::begin(kSymbol), std::end(kSymbol),
                                         [&](const Greek& each) { return each.letter == letter; });
  if (greek != std::end(kSymbol)) {
    return {.font = Font::symbol, .code = greek->code, .width = greek->width};
  }
  return plain(U'?', 0.556);
}

constexpr double kRaisedSize = 0.68, kRise = 0.36;

std::vector<Letter> typeset(const Text& text) {
  const Font font = text.part == Text::Part::heading ? Font::bold : Font::plain;
  std::vector<Letter> letters;
  for (const char32_t letter : letters_of(text.content)) letters.push_back(letter_of(letter, font));
  return letters;
}

double width_of(const std::vector<Letter>& letters, double size) {
  double width = 0;
  for (const Letter& letter : letters) {
    width += size * letter.width * (letter.raised ? kRaisedSize : 1);
  }
  return width;
}

// "0.000 0.447 0.698" from "#0072b2".
std::string rgb(std::string_view colour) {
  const auto part = [&](std::size_t at) {
    return std::stoi(std::string(colour.substr(at, 2)), nullptr, 16) / 255.0;
  };
  return fmt::format("{:.3f} {:.3f} {:.3f}", part(1), part(3), part(5));
}

constexpr std::string_view kInk = "#1f2328", kGrid = "#d8dce1", kAxis = "#59636e";

// Operators of a page's content. PDF counts upward: the page is turned over once, at its head.
class Content {
 public:
  explicit Content(double height) : height_(height) {}

  void add(const std::vector<Marks>& all) {
    for (const Marks& marks : all) {
      colour_ = kColours[marks.colour % kColours.size()].on_light;
      for_each_mark(marks, [this](const auto& mark) {
        out_ += "q\n";
        write(mark);
        out_ += "Q\n";
      });
    }
  }
  void cut_off_at(const Box& box) {
    out_ += "q\n";
    rectangle(box);
    out_ += "W n\n";
  }
  void end_cut() { out_ += "Q\n"; }

  const std::string& operators() const { return out_; }

 private:
  void place(const Place& at, const char* what) {
    out_ += fmt::format("{:.2f} {:.2f} {}\n", at.x, height_ - at.y, what);
  }
  void path(const std::vector<Piece>& pieces) {
    for (const Piece& piece : pieces) {
      place(piece.front(), "m");
      for (std::size_t i = 1; i < piece.size(); ++i) place(piece[i], "l");
      if (piece.size() == 1) place(piece.front(), "l");  // with round ends it is a dot
    }
  }
  void rectangle(const Box& box) {
    out_ += fmt::format("{:.2f} {:.2f} {:.2f} {:.2f} re\n", box.corner.x,
                        height_ - box.corner.y - box.height, box.width, box.height);
  }
  void pen(std::string_view colour, double width, const char* more = "") {
    out_ += fmt::format("{} RG {} w {}\n", rgb(colour), width, more);
  }

  void write(const Stroke& stroke) {
    switch (stroke.part) {
      case Stroke::Part::grid:
        pen(kGrid, 1);
        break;
      case Stroke::Part::axis:
        pen(kAxis, 1.2);
        break;
      case Stroke::Part::mark:
        pen(kAxis, 1.4, "[2 4] 0 d");
        break;
      case Stroke::Part::line:
        pen(colour_, 2.4, "1 J 1 j");
        break;
      case Stroke::Part::dashed_line:
        pen(colour_, 2.4, "1 J 1 j [7 6] 0 d");
        break;
      case Stroke::Part::outline:
        pen(colour_, 2.4, "1 j");
        break;
      case Stroke::Part::whisker:
        pen(kInk, 1.6);
        break;
    }
    path(stroke.pieces);
    out_ += "S\n";
  }
  void write(const Area& area) {
    out_ += fmt::format("/Area gs {} rg\n", rgb(colour_));
    path(area.pieces);
    out_ += "f\n";
  }
  void write(const Box& box) {
    const bool faint = box.part == Box::Part::faint_bar || box.part == Box::Part::faint_sample;
    out_ += fmt::format("/{} gs {} rg\n", faint ? "Faint" : "Bar", rgb(colour_));
    rectangle(box);
    out_ += "f\n";
  }
  // A stroke of no length with round ends.
  void write(const Dot& dot) {
    out_ += "/Bar gs\n";
    pen(colour_, 10, "1 J");
    path({{dot.middle}});
    out_ += "S\n";
  }
  void write(const Text& text) {
    const double size = text.part == Text::Part::heading ? kTitleSize : kTextSize;
    const std::vector<Letter> letters = typeset(text);
    const double width = width_of(letters, size);
    const double x = text.from == Text::From::start    ? text.at.x
                     : text.from == Text::From::middle ? text.at.x - width / 2
                                                       : text.at.x - width;
    out_ += fmt::format("{} rg\n", rgb(kInk));
    if (text.part == Text::Part::marked) {
      out_ += "1 1 1 RG 4 w 1 j\n";
      show(letters, {x, text.at.y}, size, 1);  // the outline of the letters: a halo
    }
    show(letters, {x, text.at.y}, size, 0);
  }
  void show(const std::vector<Letter>& letters, const Place& at, double size, int mode) {
    constexpr std::string_view kNames[] = {"Plain", "Bold", "Symbol"};
    out_ += fmt::format("BT {} Tr {:.2f} {:.2f} Td\n", mode, at.x, height_ - at.y);
    for (std::size_t i = 0; i < letters.size();) {
      const Letter& first = letters[i];
      std::string codes;
      for (;
           i < letters.size() && letters[i].font == first.font && letters[i].raised == first.raised;
           ++i) {
        codes += fmt::format("{:02x}", letters[i].code);
      }
      out_ += fmt::format(
          "/{} {:.2f} Tf {:.2f} Ts <{}> Tj\n", kNames[static_cast<std::size_t>(first.font)],
          first.raised ? kRaisedSize * size : size, first.raised ? kRise * size : 0, codes);
    }
    out_ += "ET\n";
  }

  double height_;
  std::string_view colour_;
  std::string out_;
};

// As UTF-16, in hexadecimal digits: nothing in it means anything to a reader of PDF.
std::string text_string(const std::string& text) {
  std::string out = "<FEFF";
  for (const char32_t letter : letters_of(text)) {
    if (letter < 0x10000) {
      out += fmt::format("{:04X}", static_cast<std::uint32_t>(letter));
    } else {
      const auto beyond = static_cast<std::uint32_t>(letter) - 0x10000;
      out += fmt::format("{:04X}{:04X}", 0xd800 + (beyond >> 10), 0xdc00 + (beyond & 0x3ff));
    }
  }
  return out + ">";
}

// Objects are numbered from 1, and a table at the end says where each begins.
std::string file_of(const std::vector<std::string>& objects, std::string_view trailer) {
  std::string out = "%PDF-1.4\n%\xe2\xe3\xcf\xd3\n";
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    starts.push_back(out.size());
    out += fmt::format("{} 0 obj\n{}\nendobj\n", i + 1, objects[i]);
  }
  const std::size_t table = out.size();
  out += fmt::format("xref\n0 {}\n0000000000 65535 f \n", objects.size() + 1);
  for (const std::size_t start : starts) out += fmt::format("{:010} 00000 n \n", start);
  return out + fmt::format("trailer\n<< /Size {} {} >>\nstartxref\n{}\n%%EOF\n", objects.size() + 1,
                           trailer, table);
}

}  // namespace

std::string pdf_of(const Picture& picture) {
  Content content(picture.height);
  content.add(picture.behind);
  content.cut_off_at(picture.plot);
  content.add(picture.inside);
  content.end_cut();
  content.add(picture.before);
  const auto font = [](std::string_view name, std::string_view more) {
    return fmt::format("<< /Type /Font /Subtype /Type1 /BaseFont /{}{} >>", name, more);
  };
  constexpr std::string_view kLatin = " /Encoding /WinAnsiEncoding";
  return file_of(
      {"<< /Type /Catalog /Pages 2 0 R /Lang (en) "
       "/ViewerPreferences << /DisplayDocTitle true >> >>",
       "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
       fmt::format("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {} {:.2f}] /Contents 4 0 R "
                   "/Resources << /Font << /Plain 5 0 R /Bold 6 0 R /Symbol 7 0 R >> /ExtGState << "
                   "/Area << /ca 0.22 >> /Bar << /ca 0.72 /CA 0.72 >> /Faint << /ca 0.32 >> >> >> "
                   ">>",
                   picture.width, picture.height),
       fmt::format("<< /Length {} >>\nstream\n{}endstream", content.operators().size(),
                   content.operators()),
       font("Helvetica", kLatin), font("Helvetica-Bold", kLatin), font("Symbol", ""),
       fmt::format("<< /Title {} /Subject {} /Producer (Ration) >>", text_string(picture.title),
                   text_string(picture.described))},
      "/Root 1 0 R /Info 8 0 R");
}

}  // namespace ration::report::drawing
