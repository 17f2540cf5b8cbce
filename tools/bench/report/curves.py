# SPDX-License-Identifier: BSD-3-Clause
"""Rate-distortion curves of the clips of `ctbench rd` as SVG."""
import html
import math

from rates import quality

COLOURS = ("#0b6bcb", "#c2410c", "#15803d", "#7c3aed", "#a16207", "#be185d", "#0f766e", "#525252")
WIDTH, HEIGHT, LEFT, BOTTOM = 520, 340, 46, 36
WORDS = {"y": "luma PSNR, dB", "ssim": "SSIM, -10 log10(1 - SSIM) dB"}


def curves_of(clip, measure):
    """[(codec, [(kb/s, dB)])] of the points that can be drawn."""
    seconds = clip["frames"] * clip["frame_rate"][1] / clip["frame_rate"][0]
    curves = [(c["codec"], sorted((8 * p["bytes"] / 1000 / seconds, quality(p, measure)) for p in c["points"])) for c in clip["codecs"]]
    return [(codec, kept) for codec, points in curves if len(kept := [p for p in points if math.isfinite(p[1]) and p[0] > 0]) > 1]


def ticks(low, high, most=8):
    """Round numbers from low to high."""
    step = 10 ** math.floor(math.log10((high - low) / most))
    step = next(step * m for m in (1, 2, 5, 10) if (high - low) / (step * m) <= most)
    return [i * step for i in range(math.ceil(low / step), math.floor(high / step) + 1)]


def decades(low, high):
    """1, 2, 5, 10, ... from low to high."""
    return [m * 10 ** e for e in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1) for m in (1, 2, 5)
            if low <= m * 10 ** e <= high]


def curves_svg(clip, measure):
    """Quality over the logarithm of the rate, a line for each codec; "" without two points of any."""
    curves = curves_of(clip, measure)
    if not curves:
        return ""
    rates, decibels = zip(*(p for _, points in curves for p in points))
    low, high = min(decibels) - 0.5, max(decibels) + 0.5
    first, last = math.log(min(rates)) - 0.1, math.log(max(rates)) + 0.1
    x = lambda rate: LEFT + (WIDTH - LEFT - 8) * (math.log(rate) - first) / (last - first)
    y = lambda dB: HEIGHT - BOTTOM - (HEIGHT - BOTTOM - 8) * (dB - low) / (high - low)
    out = ""
    for rate in decades(math.exp(first), math.exp(last)):
        out += (f'<path class="grid" d="M{x(rate):.1f} 8V{HEIGHT - BOTTOM}"/>'
                f'<text x="{x(rate):.1f}" y="{HEIGHT - BOTTOM + 15}" text-anchor="middle">{rate:g}</text>')
    for dB in ticks(low, high):
        out += (f'<path class="grid" d="M{LEFT} {y(dB):.1f}H{WIDTH - 8}"/>'
                f'<text x="{LEFT - 5}" y="{y(dB) + 4:.1f}" text-anchor="end">{dB:g}</text>')
    legend = ""
    for i, (codec, points) in enumerate(curves):
        colour, dash = COLOURS[i % len(COLOURS)], "" if i < len(COLOURS) else ' stroke-dasharray="5 3"'
        line = " ".join(f"{x(rate):.1f},{y(dB):.1f}" for rate, dB in points)
        out += f'<polyline points="{line}" stroke="{colour}"{dash}/>' + "".join(
            f'<circle cx="{x(rate):.1f}" cy="{y(dB):.1f}" r="3" fill="{colour}"><title>{html.escape(codec)}: {rate:.0f} kb/s, {dB:.2f} dB</title></circle>'
            for rate, dB in points)
        legend += f'<span><b style="color:{colour}">&#9679;</b> {html.escape(codec)}</span> '
    name = html.escape(f"{clip['name']}: {WORDS[measure]} over kb/s")
    return (f'<figure><svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{name}">{out}'
            f'<text x="{WIDTH - 8}" y="{HEIGHT - 4}" text-anchor="end">kb/s</text></svg><figcaption>{name}<br>{legend}</figcaption></figure>')
