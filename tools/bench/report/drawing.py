# SPDX-License-Identifier: BSD-3-Clause
"""What sections of the page are made of: figures as SVG whose colours are CSS variables, tables, cards."""
import html
import io
import re
import sys

try:
    import matplotlib
    matplotlib.use("svg")
    from matplotlib import pyplot, ticker
except ImportError:
    sys.exit("ctbench report: python3 has no matplotlib (apt-get install python3-matplotlib)")

# Stand-ins that become CSS variables; no real colour is written into a plot.
INK, GRID, PAPER = "#010203", "#040506", "#070809"
SERIES = ["#0a0001", "#0a0002", "#0a0003", "#0a0004", "#0a0005", "#0a0006", "#0a0007", "#0a0008"]
CSS = """
:root { color-scheme: light dark; --ink: #1c1c1a; --soft: #62625c; --page: #fbfbf9; --card: #ffffff;
  --line: #deded8; --paper: #9a9a93; --c0: #2a6fd0; --c1: #e0662b; --c2: #12936a; --c3: #b98a00;
  --c4: #8a4fc0; --c5: #d0404a; --c6: #0f90a8; --c7: #6d7480; }
@media (prefers-color-scheme: dark) { :root { --ink: #ececE6; --soft: #a3a39b; --page: #161615; --card: #1f1f1d;
  --line: #3a3a36; --paper: #85857e; --c0: #6aa5f4; --c1: #f08a55; --c2: #3fc094; --c3: #ddb23a;
  --c4: #b58ae4; --c5: #f0777e; --c6: #4fc0d6; --c7: #a2a9b5; } }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.55 system-ui, sans-serif; }
main { max-width: 1080px; margin: 0 auto; padding: 32px 20px 64px; }
h1 { font-size: 30px; line-height: 1.2; margin: 0 0 6px; } h2 { font-size: 22px; margin: 48px 0 4px; }
h3 { font-size: 16px; margin: 28px 0 6px; } p { margin: 6px 0; max-width: 75ch; }
.soft { color: var(--soft); font-size: 14px; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(220px, 1fr)); gap: 14px; margin: 22px 0; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 14px 16px; }
.card b { display: block; font-size: 32px; line-height: 1.2; font-variant-numeric: tabular-nums; }
figure { background: var(--card); border: 1px solid var(--line); border-radius: 10px; margin: 14px 0;
  padding: 12px; } figcaption { color: var(--soft); font-size: 14px; padding: 4px 4px 0; }
.pictures { display: grid; grid-template-columns: repeat(auto-fit, minmax(330px, 1fr)); gap: 14px; }
.pictures figure { margin: 0; } .pictures img { width: 100%; image-rendering: pixelated; display: block; }
svg { width: 100%; height: auto; display: block; } svg text { font-family: system-ui, sans-serif !important; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: 14px; margin: 10px 0; }
td, th { padding: 4px 12px; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap;
  font-variant-numeric: tabular-nums; } td:first-child, th:first-child { text-align: left; }
th { font-weight: 600; } td .soft { white-space: normal; } summary { cursor: pointer; color: var(--soft); } tr.own td { font-weight: 600; }
"""


class Html(str):
    """Text that is HTML already."""


def esc(text):
    return text if isinstance(text, Html) else Html(html.escape(str(text)))


def svg_of(figure):
    """The figure as inline SVG, its stand-in colours replaced."""
    out = io.StringIO()
    figure.savefig(out, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    pyplot.close(figure)
    svg = out.getvalue()
    svg = svg[svg.index("<svg"):]
    svg_of.count += 1  # ids must differ between the plots of a page
    svg = re.sub(r'(id="|url\(#|href="#)', lambda m: m.group(1) + f"f{svg_of.count}-", svg)
    names = {INK: "ink", GRID: "line", PAPER: "paper", **{c: f"c{i}" for i, c in enumerate(SERIES)}}
    for colour, name in names.items():
        svg = svg.replace(colour, f"var(--{name})")
    return svg


svg_of.count = 0


def figure_html(figure, caption):
    return f"<figure>{svg_of(figure)}<figcaption>{caption}</figcaption></figure>"


def table_html(head, rows, own=()):
    cells = "".join(f"<th>{esc(c)}</th>" for c in head)
    out = f'<div class="scroll"><table><tr>{cells}</tr>'
    for row in rows:
        mark = ' class="own"' if row[0] in own else ""
        out += f"<tr{mark}>" + "".join(f"<td>{esc(c)}</td>" for c in row) + "</tr>"
    return out + "</table></div>"


def folded(words, inside):
    """For what is long and seldom read."""
    return f"<details><summary>{esc(words)}</summary>{inside}</details>"


def plots(rows, columns, width=11, height=3.6):
    figure, axes = pyplot.subplots(rows, columns, figsize=(width, height * rows), squeeze=False)
    return figure, axes.flatten()


def legend(axis, below=-0.14):
    """Below the plot, where it covers nothing."""
    axis.legend(frameon=False, fontsize=9, ncol=5, loc="upper left", bbox_to_anchor=(-0.02, below))


def plain_log(axis, which):
    """A logarithmic axis labelled 1, 10, 100, not in powers."""
    getattr(axis, f"set_{which}scale")("log")
    low, high = getattr(axis, f"get_{which}lim")()
    subs = (1, 2, 5) if high < 1000 * low else (1,)
    getattr(axis, f"{which}axis").set_major_locator(ticker.LogLocator(subs=subs))
    getattr(axis, f"{which}axis").set_major_formatter(ticker.FuncFormatter(lambda v, _: f"{v:g}"))
    getattr(axis, f"{which}axis").set_minor_formatter(ticker.NullFormatter())


def card(value, words):
    return f'<div class="card"><b>{esc(value)}</b>{esc(words)}</div>'


def colour_of(name):
    """Of a runner, the same in every plot of the page."""
    known = ["cpu direct", "cuda direct", "cuda fft", "cpu fft"]
    return SERIES[known.index(name)] if name in known else SERIES[len(known) + sum(map(ord, name)) % (len(SERIES) - len(known))]


def machine_html(run):
    """What a run was made on, unless the page has said so at its head; and whether it was whole."""
    m = run["machine"]
    words = "; ".join([m["cpu"]] + [d["name"] for d in m["devices"]] + [m["compiler"], f"commit {m['commit']}"])
    machine_html.known = machine_html.known or words
    return ("" if words == machine_html.known else f'<p class="soft">{esc(words)}.</p>') + (
        "" if run["complete"] else "<p><b>Interrupted:</b> some is missing.</p>")


machine_html.known = None


pyplot.rcParams.update({
    "svg.fonttype": "none", "text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": GRID,
    "axes.titlecolor": INK, "xtick.color": INK, "ytick.color": INK, "grid.color": GRID, "axes.grid": True,
    "axes.axisbelow": True, "axes.spines.top": False, "axes.spines.right": False, "font.size": 10,
    "axes.titlesize": 11, "axes.titleweight": "bold", "figure.constrained_layout.use": False,
    "legend.labelcolor": INK, "svg.hashsalt": "ctv", "savefig.bbox": "tight"})
