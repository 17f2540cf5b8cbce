# SPDX-License-Identifier: BSD-3-Clause
"""What sections of the page are made of: tables, and figures as SVG."""
import html
import io
import re
import sys

try:
    import matplotlib
    matplotlib.use("svg")
    from matplotlib import pyplot
except ImportError:
    sys.exit("ctbench report: python3 has no matplotlib (apt-get install python3-matplotlib)")

CSS = """
body { margin: 0; background: #fbfbf9; color: #1c1c1a; font: 16px/1.55 system-ui, sans-serif; }
main { max-width: 1080px; margin: 0 auto; padding: 32px 20px 64px; }
h1 { font-size: 30px; line-height: 1.2; margin: 0 0 6px; } h2 { font-size: 22px; margin: 48px 0 4px; }
p { margin: 14px 0 6px; max-width: 75ch; } .soft, figcaption { color: #62625c; font-size: 14px; }
figure { background: white; border: 1px solid #deded8; border-radius: 10px; margin: 14px 0; padding: 12px; }
.pictures { display: grid; grid-template-columns: repeat(auto-fit, minmax(330px, 1fr)); gap: 14px; }
.pictures figure { margin: 0; } .pictures img { width: 100%; image-rendering: pixelated; display: block; }
svg { width: 100%; height: auto; display: block; } svg text { font-family: system-ui, sans-serif !important; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: 14px; margin: 10px 0; }
td, th { padding: 4px 12px; border-bottom: 1px solid #deded8; text-align: right; white-space: nowrap; }
td:first-child, th:first-child { text-align: left; } th { font-weight: 600; }
"""

esc = html.escape


def block_html(block):
    """A block of tables.py."""
    caption, head, rows = block
    out = "<p>" + re.sub(r"\*\*(.*?)\*\*", r"<b>\1</b>", esc(caption)) + "</p>"
    if not rows:
        return out
    cells = "".join(f"<th>{esc(c)}</th>" for c in head)
    body = "".join("<tr>" + "".join(f"<td>{esc(str(c))}</td>" for c in row) + "</tr>" for row in rows)
    return out + f'<div class="scroll"><table><tr>{cells}</tr>{body}</table></div>'


def colour_of(name):
    """Of a runner or codec, the same in every plot of the page; what is the paper's is grey."""
    if name.startswith("paper,"):
        return "#9a9a93"
    known = ["cpu direct", "cuda direct", "cuda fft", "cpu fft"]
    return f"C{known.index(name) if name in known else len(known) + sum(map(ord, name)) % 6}"


def lines(panels, caption, log, labels=("", "")):
    """A plot as inline SVG for each panel (title, {name: [(x, y)]}); x is a number or a word. `log`: the logarithmic axis."""
    figure, axes = pyplot.subplots(-(-len(panels) // 2), 2, figsize=(11, 3.6 * -(-len(panels) // 2)), squeeze=False)
    for axis in axes.flatten()[len(panels):]:
        axis.set_visible(False)
    for axis, (title, series) in zip(axes.flatten(), panels):
        for name, points in series.items():
            known = [(x, y) for x, y in points if x and y]
            if known:
                axis.plot(*zip(*known), color=colour_of(name), marker="o", markersize=4, label=name)
        axis.set(**{f"{log}scale": "log"}, xlabel=labels[0], ylabel=labels[1])
        getattr(axis, f"{log}axis").set_major_formatter("{x:g}")  # 1, 10, 100, not powers
        axis.set_title(title, loc="left")
    figure.tight_layout()
    axes[-1][0].legend(frameon=False, fontsize=9, ncol=5, loc="upper left", bbox_to_anchor=(-0.02, -0.2))
    out = io.StringIO()
    figure.savefig(out, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    pyplot.close(figure)
    return f"<figure>{out.getvalue()[out.getvalue().index('<svg'):]}<figcaption>{esc(caption)}</figcaption></figure>"


pyplot.rcParams.update({"svg.fonttype": "none", "axes.grid": True, "grid.color": "#deded8", "axes.axisbelow": True,
                        "axes.spines.top": False, "axes.spines.right": False, "axes.titleweight": "bold", "font.size": 10,
                        "axes.titlesize": 11, "svg.hashsalt": "ctv", "savefig.bbox": "tight"})
