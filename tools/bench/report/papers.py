# SPDX-License-Identifier: BSD-3-Clause
"""The section of `ctbench papers`: the papers' tables with this machine's figures."""
from drawing import esc, folded, machine_html, table_html

LONG = 12  # rows; longer tables are folded


def papers_section(run):
    s = run["settings"]
    out = "<h2>The papers' kernels</h2>" + machine_html(run)
    out += (f"<p>Medians of {s['runs']} runs, {s['threads']} CPU threads; {esc(run['gpu'] or run['no_gpu'])}. "
            f"{sum(c['passed'] for c in run['checks'])} of {len(run['checks'])} checks passed: all variants of a kernel "
            "compute the same.</p>")
    for table in run["tables"]:
        head = [""] + table["columns"]
        rows = [[r["label"]] + r["cells"] + ["-"] * (len(table["columns"]) - len(r["cells"])) for r in table["rows"]]
        shown = table_html(head, rows, [r["label"] for r in table["rows"] if r["here"]])
        out += (f"<h3>{esc(table['paper'])}, {esc(table['title'])}</h3>"
                + (shown if len(rows) <= LONG else folded(f"{len(rows)} rows", shown)) + "".join(f'<p class="soft">{esc(n)}</p>' for n in table["notes"]))
    return out
