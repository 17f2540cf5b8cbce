# SPDX-License-Identifier: BSD-3-Clause
"""The package beside other packages in C++ in one process."""
import importlib.util
import os
import shutil
import subprocess
import sys

import ctv
import pytest

DRAW = """
import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
plt.figure().text(0, 0, "text")
plt.savefig("figure.png")
"""
CODE = """
import numpy as np
packet = ctv.Encoder(width=64, height=48, format="gray", backend="cpu").encode(np.zeros((48, 64), np.uint8))
"""


def test_module_exports_its_entry_only():
    # The C++ run-time inside a module, once exported, is mixed with that of others.
    if shutil.which("nm") is None:
        pytest.skip("nm is missing")
    symbols = subprocess.run(["nm", "-D", "--defined-only", ctv._ctv.__file__], check=True, capture_output=True, text=True)
    assert [line.split()[-1] for line in symbols.stdout.splitlines()] == ["PyInit__ctv"]


@pytest.mark.parametrize("code", [
    "import ctv" + DRAW + CODE,
    "import ctv" + CODE + DRAW,
    DRAW + "import ctv" + CODE,
])
def test_matplotlib_draws_in_a_process_with_ctv(code, tmp_path):
    # Not imported here: what is in this process would be no test.
    if importlib.util.find_spec("matplotlib") is None:
        pytest.skip("matplotlib is missing")
    # A folder of its own: fonts are read only where no list of them is kept.
    done = subprocess.run([sys.executable, "-X", "faulthandler", "-c", code], cwd=tmp_path, capture_output=True, text=True,
                          env={**os.environ, "MPLCONFIGDIR": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "figure.png").stat().st_size > 0
