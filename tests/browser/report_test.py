"""What readers of a report page rely on, seen in the browser. run.sh makes the surroundings."""

import json
import os
import re
import shutil
import struct
import subprocess
import tempfile
import unittest

from chromium import Chromium

RATION = os.environ["RATION"]
SCREENSHOTS = os.environ["SCREENSHOTS"]
CONFIG = os.path.join(os.environ["EXAMPLES"], "configs", "clinical.toml")
HOSTILE = "</script><script>window.hacked=1</script><img src=x onerror=window.hacked=1>"
FOLDER = ""
BROWSER = None


def ration(*arguments):
    done = subprocess.run([RATION, *arguments], capture_output=True, text=True, check=False, cwd=FOLDER)
    if done.returncode != 0:
        raise RuntimeError(f"ration {' '.join(arguments)}: {done.stderr}")
    return done.stdout


def file(name):
    return os.path.join(FOLDER, name)


def page(name):
    return file(f"{name}.html")


def write_npy(name, rows):
    """float32, steps x people."""
    shape = f"({len(rows)}, {len(rows[0])})"
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * ((-len(header) - 11) % 64) + "\n"
    with open(file(name), "wb") as out:
        out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        for row in rows:
            out.write(struct.pack(f"<{len(row)}f", *row))


def setUpModule():
    global FOLDER, BROWSER
    FOLDER = tempfile.mkdtemp(prefix="ration-pages-")
    ration("train", CONFIG, "--set", "data.people=600", "--set", "data.test_people=200", "--set",
           "model.hidden=[8]", "--epochs", "30", "--set", "filter.after_epochs=12", "--clip", "1.2",
           "--set", "run.follow=[3]", "--out", "run")
    ration("report", "run", "--out", "private.html", "--person", "3", "--title", f"Ward {HOSTILE}",
           "--purpose", "To show it", "--controller", "The hospital")
    ration("report", "run", "--out", "public.html", "--public")
    norms = [[0.2 + 0.001 * i + 0.01 * j for i in range(300)] for j in range(20)]
    write_npy("norms.npy", norms)
    with open(file("groups.csv"), "w", encoding="utf-8") as out:
        out.write("group\n" + "".join(f"{HOSTILE if i % 3 else 'plain'}\n" for i in range(300)))
    ration("account", "norms.npy", "--noise", "4", "--rate", "0.1", "--delta", "1e-5", "--groups", "groups.csv",
           "--results", "account", "--follow", "5")
    ration("report", "account", "--out", "account.html", "--person", "5")
    ration("account", "norms.npy", "--noise", "4", "--rate", "0.1", "--delta", "1e-5", "--method", "blackwell",
           "--results", "approximation")
    ration("report", "approximation", "--out", "approximation.html")
    shutil.copy(os.environ["DEMO"], page("demo"))
    BROWSER = Chromium()


def tearDownModule():
    BROWSER.close()
    shutil.rmtree(FOLDER)


CANVASES = """Array.from(document.querySelectorAll('canvas'), canvas => {
  const blank = document.createElement('canvas');
  blank.width = canvas.width; blank.height = canvas.height;
  return {drawn: canvas.toDataURL() !== blank.toDataURL(), inked: (() => {
    const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
    let count = 0;
    for (let i = 3; i < pixels.length; i += 4) count += pixels[i] > 0;
    return count;
  })()};
})"""


class EveryPage(unittest.TestCase):
    names = ("private", "public", "account", "demo")

    def test_loads_without_a_message_and_asks_for_nothing(self):
        for name in self.names:
            with self.subTest(name), BROWSER.open(page(name)) as tab:
                self.assertEqual(tab.messages(), [])
                self.assertEqual(tab.requests(), [tab.url])

    def test_draws_every_chart(self):
        for name, least in (("private", 12), ("public", 7), ("account", 5), ("demo", 10)):
            with self.subTest(name), BROWSER.open(page(name)) as tab:
                canvases = tab.evaluate(CANVASES)
                self.assertGreaterEqual(len(canvases), least)
                for canvas in canvases:
                    self.assertTrue(canvas["drawn"])
                    self.assertGreater(canvas["inked"], 500)

    def test_fits_a_phone(self):
        for name in self.names:
            with self.subTest(name), BROWSER.open(page(name), width=360, height=740) as tab:
                self.assertLessEqual(tab.evaluate("document.documentElement.scrollWidth"), 360)

    def test_says_everything_without_scripts(self):
        for name in self.names:
            with self.subTest(name), BROWSER.open(page(name), scripts=False) as tab:
                root = tab.send("DOM.getDocument", depth=0)["root"]["nodeId"]
                tables = tab.send("DOM.querySelectorAll", nodeId=root, selector="table")["nodeIds"]
                self.assertGreater(len(tables), 4)

    def test_keeps_to_the_basics_of_accessibility(self):
        for name in self.names:
            with self.subTest(name), BROWSER.open(page(name)) as tab:
                self.assertEqual(tab.evaluate("document.documentElement.lang"), "en")
                self.assertEqual(tab.evaluate("document.querySelectorAll('main').length"), 1)
                self.assertEqual(tab.evaluate("document.querySelectorAll('h1').length"), 1)
                self.assertTrue(tab.evaluate("document.title.length > 0"))
                levels = tab.evaluate("Array.from(document.querySelectorAll('h1,h2,h3,h4'), h => +h.tagName[1])")
                for above, below in zip(levels, levels[1:]):
                    self.assertLessEqual(below, above + 1)
                for test in ("Array.from(document.querySelectorAll('table')).every(t => t.caption?.textContent.trim())",
                             "Array.from(document.querySelectorAll('th')).every(t => t.scope)",
                             "Array.from(document.querySelectorAll('canvas')).every(c => c.role === 'img' && "
                             "c.ariaLabel.length > 20 && c.closest('figure').querySelector('details table'))",
                             "Array.from(document.querySelectorAll('button, summary, a')).every(b => "
                             "b.textContent.trim())",
                             "Array.from(document.querySelectorAll('nav a, .skip')).every(a => "
                             "document.querySelector(a.getAttribute('href')))",
                             "new Set(Array.from(document.querySelectorAll('[id]'), e => e.id)).size === "
                             "document.querySelectorAll('[id]').length"):
                    self.assertTrue(tab.evaluate(test), test)

    def test_has_enough_contrast_in_light_and_dark(self):
        contrast = """(() => {
          const channels = text => text.match(/[0-9.]+/g).slice(0, 3).map(Number).map(v => v / 255)
            .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
          const light = text => { const [r, g, b] = channels(text); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
          const behind = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor;
            if (!c.endsWith(', 0)')) return c; } return 'rgb(255, 255, 255)'; };
          return Array.from(document.querySelectorAll('p, dt, dd, th, td, a, button, summary, h2, .note, code'), e => {
            const [a, b] = [light(getComputedStyle(e).color), light(behind(e))].sort((x, y) => y - x);
            return (a + 0.05) / (b + 0.05); }).reduce((x, y) => Math.min(x, y)); })()"""
        for name in self.names:
            for dark in (False, True):
                with self.subTest(name, dark=dark), BROWSER.open(page(name), dark=dark) as tab:
                    self.assertGreaterEqual(tab.evaluate(contrast), 4.5)


class Reader(unittest.TestCase):
    def test_can_change_the_theme_and_it_stays(self):
        paper = "getComputedStyle(document.body).backgroundColor"
        with BROWSER.open(page("private")) as tab:
            self.assertEqual(tab.evaluate("document.getElementById('theme').textContent"), "Switch to dark")
            light, chart = tab.evaluate(paper), tab.evaluate("document.querySelector('canvas').toDataURL()")
            tab.evaluate("document.getElementById('theme').click()")
            self.assertNotEqual(tab.evaluate(paper), light)
            self.assertNotEqual(tab.evaluate("document.querySelector('canvas').toDataURL()"), chart)
            self.assertEqual(tab.evaluate("document.getElementById('theme').textContent"), "Switch to light")
            tab.load()
            self.assertNotEqual(tab.evaluate(paper), light)
            tab.evaluate("document.getElementById('theme').click()")
            self.assertEqual(tab.evaluate(paper), light)
            tab.evaluate("localStorage.clear()")

    def test_who_prefers_dark_sees_it_dark(self):
        with BROWSER.open(page("private"), dark=True) as tab:
            self.assertEqual(tab.evaluate("document.getElementById('theme').textContent"), "Switch to light")
            self.assertEqual(tab.evaluate("getComputedStyle(document.documentElement).colorScheme"), "dark")

    def test_can_see_small_counts(self):
        button = "document.querySelector('#chart-people .scale')"
        chart = "document.querySelector('#chart-people canvas').toDataURL()"
        with BROWSER.open(page("private")) as tab:
            before = tab.evaluate(chart)
            tab.evaluate(f"{button}.click()")
            self.assertNotEqual(tab.evaluate(chart), before)
            self.assertEqual(tab.evaluate(f"{button}.ariaPressed"), "true")
            tab.evaluate(f"{button}.click()")
            self.assertEqual(tab.evaluate(chart), before)

    def test_can_see_rare_false_positives(self):
        axes = """(() => { const {x, y} = Chart.getChart(document.querySelector('#chart-trade-off canvas')).scales;
                  return [x.type, y.type, x.min, y.min]; })()"""
        with BROWSER.open(page("private")) as tab:
            self.assertEqual(tab.evaluate(axes), ["linear", "linear", 0, 0])
            tab.evaluate("document.querySelector('#chart-trade-off .scale').click()")
            kind_of_x, kind_of_y, least_x, least_y = tab.evaluate(axes)
            self.assertEqual((kind_of_x, kind_of_y, least_x), ("logarithmic", "logarithmic", 0.01))
            self.assertGreaterEqual(least_y, 0.01)

    def test_sees_a_group_in_one_colour_everywhere(self):
        drawn = """(() => { const found = [];
          for (const figure of document.querySelectorAll('figure')) {
            const chart = Chart.getChart(figure.querySelector('canvas'));
            chart.data.datasets.forEach(set => {
              if (chart.config.type === 'line') found.push([set.label, set.borderColor]);
              if (chart.options.indexAxis === 'y')
                chart.data.labels.forEach((label, i) => found.push([label, set.borderColor[i]]));
              if (chart.config.type === 'scatter')
                chart.config.options.names.forEach((point, i) => found.push([point.name, set.backgroundColor[i]]));
            }); }
          return found; })()"""
        for name in ("private", "public"):
            for dark in (False, True):
                with self.subTest(name, dark=dark), BROWSER.open(page(name), dark=dark) as tab:
                    colours = {}
                    for label, colour in tab.evaluate(drawn):
                        colours.setdefault(label, set()).add(colour)
                    for label in ("pneumonia", "no pneumonia", "everybody", "promise"):
                        self.assertEqual(len(colours[label]), 1, (label, colours))
                    one = [colours[label] for label in ("pneumonia", "no pneumonia", "everybody", "promise")]
                    self.assertEqual(len(set.union(*one)), 4)

    def test_finds_every_line_in_the_legend_dashed_as_it_is_drawn(self):
        compare = """Array.from(document.querySelectorAll('figure'), figure => {
          const chart = Chart.getChart(figure.querySelector('canvas'));
          if (chart.config.type !== 'line' || chart.data.datasets.length < 2) return [];
          const drawn = chart.data.datasets.map(set => [set.label, set.borderColor, set.borderDash.join(' ') || 'none']);
          const shown = Array.from(figure.querySelectorAll('.legend li'), item => [item.textContent,
            item.querySelector('line').getAttribute('stroke'),
            item.querySelector('line').getAttribute('stroke-dasharray')]);
          return [[drawn, shown]]; }).flat()"""
        with BROWSER.open(page("private")) as tab:
            found = tab.evaluate(compare)
        self.assertGreaterEqual(len(found), 5)
        dashed = 0
        for drawn, shown in found:
            self.assertEqual(drawn, shown)
            dashed += sum(dash != "none" for _, _, dash in shown)
        self.assertGreater(dashed, 4)

    def test_sees_no_label_on_another(self):
        names = """Array.from(document.querySelectorAll('canvas'), canvas => {
          const chart = Chart.getChart(canvas);
          return {names: chart.drawnNames ?? [], width: chart.width}; })"""
        for name in EveryPage.names:
            for width in (360, 1200):
                with self.subTest(name, width=width), BROWSER.open(page(name), width=width) as tab:
                    count = 0
                    for chart in tab.evaluate(names):
                        rooms = [each["room"] for each in chart["names"]]
                        count += len(rooms)
                        for i, (left, top, right, bottom) in enumerate(rooms):
                            self.assertGreaterEqual(left, 0)
                            self.assertLessEqual(right, chart["width"])
                            for other in rooms[:i]:
                                self.assertTrue(right <= other[0] or other[2] <= left or bottom <= other[1]
                                                or other[3] <= top, chart["names"])
                    self.assertGreater(count, 0)

    def test_reads_what_the_page_is_about(self):
        with BROWSER.open(page("private")) as tab:
            self.assertEqual(tab.evaluate("document.querySelector('h1').textContent"), f"Ward {HOSTILE}")
            self.assertTrue(tab.evaluate("document.title").startswith(f"Ward {HOSTILE}: "))
            about = tab.evaluate("document.querySelector('.about').innerText")
            self.assertIsNone(tab.evaluate("window.hacked ?? null"))
        for text in ("Purpose", "To show it", "Controller", "The hospital"):
            self.assertIn(text, about)

    def test_reads_bounds_rounded_up(self):
        said = """(() => { const said = (id, raw, i) => {
            const chart = Chart.getChart(document.querySelector(`#${id} canvas`));
            const item = {dataset: chart.data.datasets[0], datasetIndex: 0, dataIndex: i,
                          raw: raw ?? chart.data.datasets[0].data[i]};
            const {title, label} = chart.options.plugins.tooltip.callbacks;
            return id === 'chart-people' ? title([item]) : label(item); };
          const rows = (id, column) => Array.from(document.querySelectorAll(`#${id} tbody tr`),
            row => row.cells[column].textContent);
          return {made_up: [0.12341, 0.1234, 9.99901, 12345, 1e-7 * 1.0001, 3].map(
                    y => said('chart-person', {x: 1, y}, 0).split(': ')[1]),
                  measured: said('chart-loss', {x: 1, y: 0.12341}, 0).split(': ')[1],
                  person: rows('chart-person', 1).map((text, i) => [said('chart-person', null, i), text]),
                  groups: rows('chart-group-epsilons', 1).map((text, i) => [said('chart-group-epsilons', null, i), text]),
                  people: rows('chart-people', 0).map((text, i) =>
                    [said('chart-people', null, i), text, rows('chart-people', 1)[i]])}; })()"""
        with BROWSER.open(page("private")) as tab:
            found = tab.evaluate(said)
        self.assertEqual(found["made_up"], ["0.1235", "0.1234", "10", "12,350", "0.0000001001", "3"])
        self.assertEqual(found["measured"], "0.1234")
        number = r"[0-9][0-9.]*(?:e-?[0-9]+)?"
        for shown, table in found["person"] + found["groups"]:
            self.assertEqual([float(n) for n in re.findall(number, shown.split(": ")[1])],
                             [float(n) for n in re.findall(number, table)])
        for shown, low, high in found["people"]:
            self.assertEqual([float(n) for n in re.findall(number, shown)], [float(low), float(high)])

    def test_can_open_the_tables(self):
        with BROWSER.open(page("private")) as tab:
            visible = "document.querySelector('#chart-people table').checkVisibility()"
            self.assertFalse(tab.evaluate(visible))
            tab.evaluate("document.querySelector('#chart-people summary').click()")
            self.assertTrue(tab.evaluate(visible))

    def test_reaches_everything_by_keyboard(self):
        with BROWSER.open(page("private")) as tab:
            wanted = tab.evaluate("document.querySelectorAll('a, button, summary').length")
            reached = set()
            for _ in range(wanted + 20):
                tab.press("Tab")
                if tab.evaluate("document.activeElement === document.body"):
                    continue  # round once: the browser's own buttons come next
                reached.add(tab.evaluate(
                    "(() => { const e = document.activeElement; return e.matches('a, button, summary') "
                    "? Array.from(document.querySelectorAll('a, button, summary')).indexOf(e) : -1; })()"))
                outline = tab.evaluate("getComputedStyle(document.activeElement).outlineStyle")
                self.assertNotEqual(outline, "none")
            self.assertEqual(len(reached - {-1}), wanted)

    def test_works_buttons_by_keyboard(self):
        with BROWSER.open(page("private")) as tab:
            tab.evaluate("document.querySelector('.scale').focus()")
            tab.press("Enter")
            self.assertEqual(tab.evaluate("document.querySelector('.scale').ariaPressed"), "true")

    def test_prints_charts_and_no_buttons(self):
        with BROWSER.open(page("private"), dark=True) as tab:
            tab.send("Emulation.setEmulatedMedia", media="print")
            self.assertFalse(tab.evaluate("document.getElementById('theme').checkVisibility()"))
            self.assertFalse(tab.evaluate("document.querySelector('nav').checkVisibility()"))
            self.assertFalse(tab.evaluate("document.querySelector('summary').checkVisibility()"))
            self.assertTrue(tab.evaluate("document.querySelector('#chart-people canvas').checkVisibility()"))
            self.assertEqual(tab.evaluate("getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)")

    def test_gets_screenshots(self):
        looks = {"light": {}, "dark": {"dark": True}, "phone": {"width": 360, "height": 740}}
        for name in EveryPage.names:
            for look, options in looks.items():
                with BROWSER.open(page(name), **options) as tab:
                    tab.screenshot(os.path.join(SCREENSHOTS, f"{name}-{look}.png"))
            with BROWSER.open(page(name), dark=True) as tab:
                tab.pdf(os.path.join(SCREENSHOTS, f"{name}-print.pdf"))
        self.assertEqual(len([f for f in os.listdir(SCREENSHOTS) if f.startswith("private-")]), 4)


class Approximation(unittest.TestCase):
    def test_promises_nothing(self):
        with BROWSER.open(page("approximation")) as tab:
            text = tab.evaluate("document.getElementById('content').textContent")
            self.assertIn("None that is proved.", text)
            self.assertNotIn("times in 100", text)
            self.assertIsNone(tab.evaluate("document.getElementById('attacks')"))
            self.assertTrue(all(c["drawn"] for c in tab.evaluate(CANVASES)))


class Attackers(unittest.TestCase):
    def test_cannot_make_labels_run(self):
        with BROWSER.open(page("account")) as tab:
            self.assertIsNone(tab.evaluate("window.hacked ?? null"))
            self.assertEqual(tab.evaluate("document.querySelectorAll('img').length"), 0)
            self.assertTrue(tab.evaluate("document.body.textContent.includes('<img src=x onerror')"))

    def test_would_be_stopped_by_the_policy_of_the_page(self):
        with BROWSER.open(page("private")) as tab:
            tab.evaluate("""(() => { const s = document.createElement('script'); s.textContent = 'window.hacked = 1';
                            document.body.append(s); })()""")
            self.assertIsNone(tab.evaluate("window.hacked ?? null"))
            refused = "fetch('https://example.org').then(() => 'fetched', () => 'refused')"
            self.assertEqual(tab.evaluate(refused), "refused")


class PublicPage(unittest.TestCase):
    def test_is_made_without_a_private_number(self):
        shutil.copytree(file("run"), file("stripped"))
        for name in ("epsilons.csv", "private.csv", "followed.csv", "accounts.state", "checkpoint.state", "model.npz"):
            os.remove(file(f"stripped/{name}"))
        with open(file("stripped/summary.json"), encoding="utf-8") as source:
            summary = json.load(source)
        del summary["individual"]
        with open(file("stripped/summary.json"), "w", encoding="utf-8") as out:
            out.write(json.dumps(summary) + "\n")
        for name in ("run", "stripped"):  # both now: a page bears its date
            ration("report", name, "--out", f"{name}.html", "--public")
        with open(page("run"), "rb") as whole, open(page("stripped"), "rb") as stripped:
            self.assertEqual(whole.read(), stripped.read())

    def test_shows_no_chart_of_people(self):
        with BROWSER.open(page("public")) as tab:
            charts = tab.evaluate("Array.from(document.querySelectorAll('figure'), f => f.id)")
            self.assertEqual(charts, ["chart-trade-off", "chart-deltas", "chart-group-losses", "chart-group-scores", "chart-epsilon-over-time",
                                      "chart-loss", "chart-score"])

    def test_says_what_is_not_covered_and_not_who_was_followed(self):
        with BROWSER.open(page("public")) as tab:
            banner = tab.evaluate("document.querySelector('.banner').textContent")
            settings = tab.evaluate("document.querySelector('#settings pre').textContent")
        for text in ("Losses and scores of test people are shown as they are", "fewer than 10 test people",
                     "The number of people is taken to be public."):
            self.assertIn(text, banner)
        self.assertNotIn("follow", settings)

    def test_is_the_only_one_that_others_may_read(self):
        self.assertEqual(os.stat(page("private")).st_mode & 0o077, 0)
        self.assertEqual(os.stat(page("public")).st_mode & 0o004, 0o004)


class AMillionPeople(unittest.TestCase):
    def test_fit_a_small_page_that_draws(self):
        write_npy("many.npy", [[0.1 + (i * 7919 % 1000003) / 1000003 for i in range(1000000)]] * 2)
        with open(file("many-groups.csv"), "w", encoding="utf-8") as out:
            out.write("group\n" + "".join(f"group {i % 1000}\n" for i in range(1000000)))
        ration("account", "many.npy", "--noise", "4", "--delta", "1e-6", "--groups", "many-groups.csv",
               "--results", "many")
        ration("report", "many", "--out", "many.html")
        self.assertLess(os.path.getsize(file("many.html")), 2_000_000)
        with BROWSER.open(page("many")) as tab:
            self.assertTrue(all(c["drawn"] for c in tab.evaluate(CANVASES)))


if __name__ == "__main__":
    unittest.main()
