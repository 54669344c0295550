"""Every pycon block of the pages about Python is run, and prints what the page says."""

import doctest
import importlib.util
import os
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = [page for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))] if "```pycon" in page.read_text()]


def blocks(page):
    return re.findall(r"^```pycon\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_blocks_print_what_the_page_says(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    with_pictures = importlib.util.find_spec("matplotlib") is not None
    text = "\n".join(block for block in blocks(page) if with_pictures or "ration.plot" not in block)
    example = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    assert example.examples
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    assert runner.run(example).failed == 0


def test_the_tutorial_is_among_the_pages():
    assert "python.md" in [os.path.basename(page) for page in PAGES]
