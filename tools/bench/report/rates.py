# SPDX-License-Identifier: BSD-3-Clause
"""How many per cent more or fewer bits one codec needs than another at equal quality (Bjontegaard, VCEG-M33): the mean
distance of two curves "log rate over quality" in the range of quality that both cover. The curves go through the measured
points by monotone cubic pieces (PCHIP, Fritsch and Carlson 1980), which cannot swing between points as the original's
single cubic can."""
import math
import sys


def usable(points):
    """The (rate, quality) that a curve can go through, by quality: finite, and none that a point of more or equal quality
    undercuts in rate (they are on no curve)."""
    kept = []
    for rate, quality in sorted(((r, q) for r, q in points if math.isfinite(q) and math.isfinite(r) and r > 0),
                                key=lambda p: (p[1], -p[0])):
        while kept and kept[-1][0] >= rate:
            kept.pop()
        kept.append((rate, quality))
    return [p for i, p in enumerate(kept) if i == 0 or p[1] > kept[i - 1][1]]


def bd_rate(anchor, test, low=-math.inf, high=math.inf):
    """(per cent, from, to) of two lists of (rate, quality); -20: a fifth fewer bits than the anchor. None if the curves share
    no range of quality between low and high, or have fewer than two usable points."""
    try:
        from scipy.interpolate import PchipInterpolator
    except ImportError:
        sys.exit("ctbench: python3 has no scipy (apt-get install python3-scipy)")
    points = [usable(anchor), usable(test)]
    if min(map(len, points)) < 2:
        return None
    begin, end = max(low, *(p[0][1] for p in points)), min(high, *(p[-1][1] for p in points))
    if end <= begin:
        return None
    of_anchor, of_test = (PchipInterpolator([q for _, q in p], [math.log(r) for r, _ in p]).integrate(begin, end) for p in points)
    return 100 * (math.exp((of_test - of_anchor) / (end - begin)) - 1), begin, end


def quality(point, measure):
    """In dB: PSNR of luma or of all (6:1:1, for RGB the mean), or -10 log10(1 - SSIM); infinite for equal pictures, and for
    luma where there is none."""
    if measure == "ssim":
        return -10 * math.log10(1 - point["ssim"]) if point["ssim"] < 1 else math.inf
    value = point["psnr"].get("y" if measure == "y" else "weighted")
    return math.inf if value is None else value


def compare(clip, anchor, settings):
    """{codec: {"y", "yuv", "ssim": bd_rate() against the anchor}} of a clip of `ctbench rd`."""
    curves = {c["codec"]: {m: [(p["bytes"], quality(p, m)) for p in c["points"]] for m in ("y", "yuv", "ssim")}
              for c in clip["codecs"]}
    return {codec: {m: bd_rate(curves[anchor][m], points, *(() if m == "ssim" else settings["range"])) if anchor in curves else None
                    for m, points in of_codec.items()} for codec, of_codec in curves.items()}


def mean_and_worst(rates, codec, measure):
    """Over the clips whose curves share a range; (None, None) for none."""
    known = [clip[codec][measure][0] for clip in rates if codec in clip and clip[codec][measure]]
    return (sum(known) / len(known), max(known)) if known else (None, None)
