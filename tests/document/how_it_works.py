# SPDX-License-Identifier: BSD-3-Clause
"""Compares figures of docs/how-it-works.md with what its commands give: the table of frames, bytes and PSNR.

usage: how_it_works.py FOLDER-OF-THE-TOOLS DOCUMENT [--update]   --update: writes the document's figures anew
"""
import os
import re
import subprocess
import sys
import tempfile


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True)


def coded(tools, *options):
    """Bytes of the stream and PSNR of luma of a coded picture."""
    said = run(f"{tools}/ctenc", *options, "-o", "picture.ctv", "--psnr").stderr
    return int(re.search(r"^stream +(\d+) bytes", said, re.M)[1]), float(re.search(r"^PSNR +Y ([\d.]+)", said, re.M)[1])


def with_figures(text, tools):
    """The document with the figures of today."""
    run(f"{tools}/ctgen", "landscape.y4m", "--scene", "landscape", "--size", "384x256", "--frames", "8")
    run(f"{tools}/ctgen", "cloth.y4m", "--scene", "cloth", "--size", "384x256", "--frames", "1")
    run(f"{tools}/ctenc", "landscape.y4m", "-o", "landscape.ctv", "--qp", "32")
    for line in run(f"{tools}/ctinfo", "landscape.ctv", "--frames").stdout.splitlines():
        row = re.match(r" +([0-3]) +[IP] +\d", line)
        if row:
            text, count = re.subn(rf"(?m)^ {{4}} +{row[1]} +[IP] .*$", "    " + line, text)
            assert count == 1, f"the table has {count} rows for frame {row[1]}"
    finest, best = coded(tools, "landscape.y4m", "--frames", "1", "--qp", "20")
    coarsest, worst = coded(tools, "landscape.y4m", "--frames", "1", "--qp", "44")
    text, count = re.subn(r"[\d,]+ bytes and [\d.]+ dB(\s+\(luma PSNR\)\s+to\s+)[\d,]+ bytes and [\d.]+ dB",
                          rf"{finest:,} bytes and {best:.1f} dB\g<1>{coarsest:,} bytes and {worst:.1f} dB", text)
    assert count == 1, "the sentence about two quantisers"
    for name, *options in ("slopes", "--qp", "43"), ("none", "--qp", "44", "--set", "directional_lifting=0"):
        size, luma = coded(tools, "cloth.y4m", *options)
        text, count = re.subn(rf'"{name}: \d+ B, [\d.]+ dB"', f'"{name}: {size} B, {luma:.1f} dB"', text)
        assert count == 1, f"the caption of {name}"
    return text


def main():
    tools, document = (os.path.abspath(path) for path in sys.argv[1:3])
    with open(document, encoding="utf-8") as file:
        before = file.read()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        now = with_figures(before, tools)
        os.chdir("/")
    if sys.argv[3:] == ["--update"]:
        with open(document, "w", encoding="utf-8") as file:
            file.write(now)
        return 0
    for old, new in zip(before.splitlines(), now.splitlines()):
        if old != new:
            print(f"- {old}\n+ {new}")
    if before != now:
        print("Figures of the document have changed. Run this again with --update.")
    return int(before != now)


if __name__ == "__main__":
    sys.exit(main())
