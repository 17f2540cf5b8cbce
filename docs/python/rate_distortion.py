#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws rate-distortion curves of presets: luma's PSNR over the bitrate."""
import argparse
import pathlib

import ctv
import matplotlib
import numpy as np
from clips import read_y4m

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402


def measure(pictures, fps, **config):
    """(kilobits per second, dB) of a clip."""
    height, width = pictures[0][0].shape
    squared, size = 0.0, 0
    with ctv.Encoder(width=width, height=height, fps=fps, **config) as encoder, ctv.Decoder() as decoder:
        decoder.decode(encoder.header)
        for picture in pictures:
            for packet in encoder.encode(picture):  # one frame in flight: this picture's
                [decoded] = decoder.decode(packet.data)
                squared += np.mean((decoded.planes[0].astype(float) - picture[0])**2)
                size += len(packet.data)
        seconds = len(pictures) * encoder.config["fps_den"] / encoder.config["fps_num"]
    return size * 8 / 1000 / seconds, 10 * np.log10(255**2 / max(squared / len(pictures), 1e-9))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clip", help="a .y4m file of 4:2:0")
    parser.add_argument("-o", "--output", default="rate_distortion.png")
    parser.add_argument("--presets", nargs="+", default=["default", "fastest", "paper"], choices=ctv.presets())
    parser.add_argument("--qp", nargs="+", type=int, default=[20, 24, 28, 32, 36, 40])
    parser.add_argument("--frames", type=int, default=30)
    arguments = parser.parse_args()
    pictures, fps = read_y4m(arguments.clip, arguments.frames)
    figure, axes = plt.subplots(figsize=(7, 5), layout="constrained")
    for preset in arguments.presets:
        points = [measure(pictures, fps, preset=preset, qp=qp) for qp in arguments.qp]
        for qp, (rate, psnr) in zip(arguments.qp, points):
            print(f"{preset:8} qp {qp:2}: {rate:9.1f} kbit/s {psnr:6.2f} dB")
        axes.semilogx(*zip(*points), "o-", label=preset)
    axes.set(xlabel="bitrate [kbit/s]", ylabel="PSNR of luma [dB]",
             title=f"{pathlib.Path(arguments.clip).stem}, {len(pictures)} frames")
    axes.grid(which="both", alpha=0.3)
    axes.legend()
    figure.savefig(arguments.output, dpi=110)


if __name__ == "__main__":
    main()
