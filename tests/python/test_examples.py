# SPDX-License-Identifier: BSD-3-Clause
"""The examples of docs/python run and draw."""
import pathlib
import re
import struct
import subprocess
import sys

import pytest
from conftest import tool

EXAMPLES = pathlib.Path(__file__).parents[2] / "docs" / "python"
pytest.importorskip("matplotlib")


def run(example, output, *arguments):
    said = subprocess.run([sys.executable, "-B", EXAMPLES / example, *map(str, arguments), "-o", output], check=True,
                          capture_output=True, text=True).stdout
    png = output.read_bytes()
    assert png.startswith(b"\x89PNG") and min(struct.unpack(">II", png[16:24])) > 300
    return said.splitlines()


def test_rate_distortion(folder):
    tool("ctgen", folder / "small.y4m", "--size", "96x64", "--frames", 3)
    lines = run("rate_distortion.py", folder / "rd.png", folder / "small.y4m", "--qp", 24, 36)
    rates, psnrs = zip(*((float(line.split()[3]), float(line.split()[5])) for line in lines))
    assert len(lines) == 6 and all(rates[i] > rates[i + 1] and psnrs[i] > psnrs[i + 1] for i in (0, 2, 4))


def test_subbands(folder):
    lines = run("subbands.py", folder / "subbands.png", "--size", 128)
    assert len(lines) == 13 and all(float(line.split()[-1]) > 1 for line in lines[:-1])
    tool("ctgen", folder / "small.y4m", "--size", "96x64", "--frames", 1)
    assert len(run("subbands.py", folder / "few.png", folder / "small.y4m", "--directions", 4, 0)) == 6


def test_the_page(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    exec(re.search("```python\n(.*?)```", (EXAMPLES.parent / "python.md").read_text(), re.S)[1], {})
    *counts, mean = capsys.readouterr().out.split()[:4]
    assert counts == ["176", "144", "50"] and abs(float(mean) - 30) < 2  # what is still may lag behind
