#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Decodes streams of ctenc with decoder.py, at full and half resolution, and compares with ctdec's pictures.

usage: decoder_test.py CTENC CTDEC
"""
import os
import random
import subprocess
import sys
import tempfile

from decoder import decode_file

WIDTH, HEIGHT, FRAMES = 27, 21, 3
FORMATS = {  # channels, extents of the chroma planes
    "gray": (1, []), "i420": (1, [(14, 11)] * 2), "i422": (1, [(14, 21)] * 2), "i444": (1, [(27, 21)] * 2),
    "rgb": (3, [])}
CASES = [  # format, options
    ("i420", ""),
    ("i420", "--preset slow --qp 36"),
    ("i420", "--preset slow --no-overlap --block 32"),
    ("i420", "--entropy-coding rle --split --subpel 1"),
    ("i420", "--entropy-coding rle-split --block 8"),
    ("i420", "--pyramid laplacian --scales 2 --directions 4,8"),
    ("i420", "--pyramid 13/7 --scales 3 --directions 16,2,4 --taps 6"),
    ("i420", "--transform h264-8x8"),
    ("gray", "--preset paper"),
    ("gray", "--lossless"),
    ("i422", "--transform h264-4x4"),
    ("i422", "--chroma 420 --preset fastest"),
    ("i444", "--transform dct8x8"),
    ("rgb", "--chroma 420"),
    ("rgb", "--preset paper --entropy-coding context"),
]


def clip(form):
    """A moving texture with noise."""
    noise = random.Random(1)
    channels, chroma = FORMATS[form]
    out = bytearray()
    for frame in range(FRAMES):
        for width, height in [(WIDTH * channels, HEIGHT)] + chroma:
            for y in range(height):
                for x in range(width):
                    texture = (x // channels + frame) % 13 * ((y + 2 * frame) % 11)
                    out.append(60 + texture + noise.randrange(12))
    return bytes(out)


def main(ctenc, ctdec):
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        raw, stream, pictures = (os.path.join(folder, name) for name in ("clip.raw", "clip.ctv", "out.raw"))
        for form, options in CASES:
            with open(raw, "wb") as file:
                file.write(clip(form))
            subprocess.run([ctenc, raw, "--size", f"{WIDTH}x{HEIGHT}", "--raw-format", form, "-o", stream, "--quiet",
                            *options.split()], check=True)
            with open(stream, "rb") as file:
                data = file.read()
            for reduction, resolution in enumerate(("full", "1/2")):
                subprocess.run([ctdec, stream, "-o", pictures, "--output-format", "raw", "--resolution", resolution,
                                "--quiet"], check=True)
                with open(pictures, "rb") as file:
                    expected = file.read()
                if b"".join(decode_file(data, reduction)) != expected:
                    print(f"pictures differ: {form} {options}, resolution {resolution}")
                    failures += 1
    print(f"{2 * len(CASES) - failures} of {2 * len(CASES)} streams decode as the document says")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
