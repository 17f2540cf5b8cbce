#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws what each contourlet subband gives to a picture.

The picture is coded as one key frame of preset paper. There each subband is a component of the packet. If the bytes of
all others are spoilt, a decoder that conceals takes these for zeros (docs/bitstream.md, section 5), and shows what the
remaining ones give to the picture. The C interface does not show the coefficients themselves.
"""
import argparse

import ctv
import matplotlib
import numpy as np
from clips import read_y4m, zone_plate

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402


def keep(packet, info, wanted):
    """The packet with the bytes of all but these subbands inverted, so that their checks are wrong."""
    kept, at = bytearray(packet), info["header_size"] + info["side_size"]
    for component in info["components"]:
        end = at + component["size"]
        if component["first_subband"] not in wanted:
            kept[at:end] = bytes(255 - byte for byte in kept[at:end])
        at = end
    return bytes(kept)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("clip", nargs="?", help="a .y4m file of 4:2:0; its first picture. Without: a zone plate")
    parser.add_argument("-o", "--output", default="subbands.png")
    parser.add_argument("--directions", nargs="+", type=int, default=[8, 4], help="per scale, finest first")
    parser.add_argument("--step", type=float, default=2, help="quantiser step")
    parser.add_argument("--size", type=int, default=256, help="of the zone plate")
    arguments = parser.parse_args()
    picture = read_y4m(arguments.clip, 1)[0][0][0] if arguments.clip else zone_plate(arguments.size)
    height, width = picture.shape
    with ctv.Encoder(width=width, height=height, format="gray", preset="paper", step=arguments.step,
                     scales=len(arguments.directions), directions=arguments.directions) as encoder:
        header = encoder.header
        packet = encoder.encode(picture)[0].data
    info = ctv.packet_info(header, packet)
    decoder = ctv.Decoder(conceal=1)
    decoder.decode(header)

    def decode(*wanted):
        return decoder.decode(keep(packet, info, wanted))[0].array.astype(int)

    # Subband 0 is the lowpass. The others follow from coarse to fine, each scale's directions in order.
    lowpass = decode(0)
    subbands = []
    for scale, directions in reversed(list(enumerate(arguments.directions, 1))):
        names = [f"direction {d} of {directions}" for d in range(directions)] or ["no directions"]
        subbands += [f"scale {scale}, {name}" for name in names]
    whole = decoder.decode(packet)[0].array
    assert np.array_equal(decode(*range(len(subbands) + 1)), whole)
    rows = 1 + (len(subbands) + 3) // 4
    figure, axes = plt.subplots(rows, 4, figsize=(11, (2.6 * height / width + 0.3) * rows), layout="constrained")
    for axis in axes.flat:
        axis.axis("off")

    def show(axis, title, image, low=0, high=255):
        axis.imshow(image, cmap="gray", vmin=low, vmax=high, interpolation="nearest")
        axis.set_title(title, fontsize=9)

    small = ctv.Decoder(reduction=len(arguments.directions))
    small.decode(header)
    show(axes[0, 0], "original", picture)
    show(axes[0, 1], f"all subbands, {len(packet)} bytes", whole)
    show(axes[0, 2], "lowpass alone", lowpass)
    show(axes[0, 3], f"resolution 1/{2**len(arguments.directions)}", small.decode(packet)[0].array)
    # With the lowpass, which lifts them above 0, where samples end.
    shares = [decode(0, subband) - lowpass for subband in range(1, len(subbands) + 1)]
    limit = 4 * max(share.std() for share in shares)
    for axis, title, share, subband in zip(axes.flat[4:], subbands, shares, range(1, len(subbands) + 1)):
        size = sum(c["size"] for c in info["components"] if c["first_subband"] == subband)
        show(axis, f"{title}: {size} bytes", share, -limit, limit)
        print(f"{title}: {size} bytes, energy {np.mean(share**2):.2f}")
    difference = np.abs(lowpass + sum(shares) - whole).max()
    print(f"lowpass and shares differ from the decoded picture, by rounding and clipping, by at most {difference}")
    figure.savefig(arguments.output, dpi=110)


if __name__ == "__main__":
    main()
