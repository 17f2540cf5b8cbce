# SPDX-License-Identifier: BSD-3-Clause
"""How many per cent more or fewer bits one codec needs than another at equal quality (Bjontegaard, VCEG-M33): the mean
distance of two curves "log rate over quality" in the range of quality that both cover. The curves go through the measured
points by monotone cubic pieces (PCHIP, Fritsch and Carlson 1980), which cannot swing between points as the original's
single cubic can."""
import bisect
import math


def end_slope(h0, h1, d0, d1):
    """One-sided slope at an end of the curve (three-point formula), kept from overshooting."""
    slope = ((2 * h0 + h1) * d0 - h0 * d1) / (h0 + h1)
    if slope * d0 <= 0:
        return 0
    return 3 * d0 if d0 * d1 <= 0 and abs(slope) > 3 * abs(d0) else slope


class Pchip:
    """A monotone-preserving piecewise cubic through at least two points with rising x."""

    def __init__(self, x, y):
        n = len(x)
        h = [b - a for a, b in zip(x, x[1:])]
        if n < 2 or len(y) != n or min(h) <= 0:
            raise ValueError("a curve needs two points, and rises")
        d = [(b - a) / w for a, b, w in zip(y, y[1:], h)]
        self.x, self.y, self.slope = x, y, [d[0]] * n
        if n == 2:
            return
        self.slope[0], self.slope[-1] = end_slope(h[0], h[1], d[0], d[1]), end_slope(h[-1], h[-2], d[-1], d[-2])
        for i in range(1, n - 1):
            # Weighted harmonic mean of the neighbours' slopes; flat where they turn.
            a, b = 2 * h[i] + h[i - 1], h[i] + 2 * h[i - 1]
            self.slope[i] = 0 if d[i - 1] * d[i] <= 0 else (a + b) / (a / d[i - 1] + b / d[i])

    def piece(self, x):
        return min(max(0, bisect.bisect_right(self.x, x) - 1), len(self.x) - 2)

    def at(self, x):
        i = self.piece(x)
        h = self.x[i + 1] - self.x[i]
        t = (x - self.x[i]) / h
        return ((2 * t**3 - 3 * t**2 + 1) * self.y[i] + (t**3 - 2 * t**2 + t) * h * self.slope[i]
                + (3 * t**2 - 2 * t**3) * self.y[i + 1] + (t**3 - t**2) * h * self.slope[i + 1])

    def from_knot(self, i, x):
        h = self.x[i + 1] - self.x[i]
        t = (x - self.x[i]) / h
        return h * ((t**4 / 2 - t**3 + t) * self.y[i] + (t**4 / 4 - 2 * t**3 / 3 + t**2 / 2) * h * self.slope[i]
                    + (t**3 - t**4 / 2) * self.y[i + 1] + (t**4 / 4 - t**3 / 3) * h * self.slope[i + 1])

    def integral(self, a, b):
        """Exact, from a to b, both inside the points' range."""
        first, last = self.piece(a), self.piece(b)
        return self.from_knot(last, b) - self.from_knot(first, a) + sum(self.from_knot(i, self.x[i + 1]) for i in range(first, last))


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
    points = [usable(anchor), usable(test)]
    if min(map(len, points)) < 2:
        return None
    of_anchor, of_test = (Pchip([q for _, q in p], [math.log(r) for r, _ in p]) for p in points)
    begin, end = max(of_anchor.x[0], of_test.x[0], low), min(of_anchor.x[-1], of_test.x[-1], high)
    if end <= begin:
        return None
    distance = of_test.integral(begin, end) - of_anchor.integral(begin, end)
    return 100 * (math.exp(distance / (end - begin)) - 1), begin, end


def quality(point, measure, psnr):
    """In dB: PSNR of luma or of all (6:1:1), or -10 log10(1 - SSIM); infinite for equal pictures."""
    if measure == "ssim":
        return -10 * math.log10(1 - point["ssim"]) if point["ssim"] < 1 else math.inf
    value = point["psnr_mean" if psnr == "mean" else "psnr"]["y" if measure == "y" else "weighted"]
    return math.inf if value is None else value


def compare(clip, anchor, settings):
    """{codec: {"y", "yuv", "ssim": bd_rate() against the anchor}} of a clip of `ctbench rd`."""
    curves = {c["codec"]: {m: [(p["bytes"], quality(p, m, settings["psnr"])) for p in c["points"]] for m in ("y", "yuv", "ssim")}
              for c in clip["codecs"]}
    return {codec: {m: bd_rate(curves[anchor][m], points, *(() if m == "ssim" else settings["range"])) if anchor in curves else None
                    for m, points in of_codec.items()} for codec, of_codec in curves.items()}


def mean_and_worst(rates, codec, measure):
    """Over the clips whose curves share a range; (None, None) for none."""
    known = [clip[codec][measure][0] for clip in rates if codec in clip and clip[codec][measure]]
    return (sum(known) / len(known), max(known)) if known else (None, None)
