# SPDX-License-Identifier: BSD-3-Clause
"""Compares figures of docs/how-it-works.md with what its commands give: the table of frames, bytes, PSNR, shares of
blocks with slopes and of skipped cells, and where the maps are red.

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
    for options, words in (["--qp", "43"], r"([\d.]+)( % of the blocks have a slope\. The)"), (
            ["--qp", "42", "--keyint", "10"], r"([\d.]+)( % of the blocks have a slope\.\))"):
        run(f"{tools}/ctenc", "cloth.y4m", "-o", "cloth.ctv", *options)
        share = re.search(r"in ([\d.]+) % of the blocks", run(f"{tools}/ctinfo", "cloth.ctv").stdout)[1]
        text, count = re.subn(words, rf"{share}\g<2>", text)
        assert count == 1, f"the share of blocks with slopes at {options}"
    skipped = re.search(r"([\d.]+) % of the cells", run(f"{tools}/ctmaps", "landscape.ctv", "2", "motion", "map.png").stdout)[1]
    key, predicted = (re.search(r"full red from (\d+)", run(f"{tools}/ctmaps", "landscape.ctv", frame, "bits", "map.png").stdout)[1]
                      for frame in "02")
    text, count = re.subn(r"Dark cells are skipped: [\d.]+ %", f"Dark cells are skipped: {skipped} %", text)
    assert count == 1, "the share of skipped cells"
    text, count = re.subn(r"\d+( or more in the key frame and )\d+( or more in frame 2)", rf"{key}\g<1>{predicted}\g<2>", text)
    assert count == 1, "the reddest cells"
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
