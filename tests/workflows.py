#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The workflows of .github/workflows: YAML, commands that shellcheck accepts, verbs and options that are there.

usage: workflows.py ROOT      exit status 77 (skipped) without PyYAML or shellcheck
"""
import itertools
import re
import shutil
import subprocess
import sys
from pathlib import Path

try:
    import yaml
except ImportError:
    sys.exit(77)
if shutil.which("shellcheck") is None:
    sys.exit(77)

ROOT = Path(sys.argv[1])
SCRIPT = (ROOT / "tools/dev/ctv.sh").read_text()
SETUP = (ROOT / "tools/dev/setup.sh").read_text()
VERBS = {v.replace("_", "-") for v in re.findall(r"^verb_(\w+)\(\)", SCRIPT, re.M)}
NEEDS = set(re.search(r"usage: setup.sh \[([\w|]+)\]", SETUP).group(1).split("|"))
failures = []


def commands(job):
    """Each step's command, for each entry of the job's matrix."""
    entries = job.get("strategy", {}).get("matrix", {}).get("include", [{}])
    for entry, step in itertools.product(entries, job["steps"]):
        if "run" in step:
            yield re.sub(r"\$\{\{ matrix\.(\w+) \}\}", lambda m: entry[m.group(1)], step["run"])


count = 0
for path in sorted((ROOT / ".github/workflows").glob("*.yml")):
    for name, job in yaml.safe_load(path.read_text())["jobs"].items():
        where = f"{path.name}, {name}"
        if "timeout-minutes" not in job:
            failures.append(f"{where}: no timeout-minutes")
        for command in commands(job):
            count += 1
            checked = subprocess.run(["shellcheck", "-s", "bash", "-"], input=command, text=True, capture_output=True)
            if checked.returncode != 0:
                failures.append(f"{where}: {command}\n{checked.stdout}")
            verb = re.match(r"tools/dev/ctv\.sh ([\w-]+) ?([\w-]*)", command)
            if verb and verb.group(1) not in VERBS:
                failures.append(f"{where}: ctv.sh has no verb {verb.group(1)}")
            if verb and verb.group(1) == "setup" and verb.group(2) not in NEEDS:
                failures.append(f"{where}: ctv.sh setup has no {verb.group(2)}")
if count == 0:
    failures.append("no command was found")
print("\n".join(failures) or f"{count} commands of workflows")
sys.exit(1 if failures else 0)
