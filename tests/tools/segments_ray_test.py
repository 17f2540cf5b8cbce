# SPDX-License-Identifier: BSD-3-Clause
"""docs/python/segments_ray.py with two workers, one of which is killed, makes the bytes of one run.

usage: segments_ray_test.py FOLDER-OF-THE-TOOLS SCRATCH-FOLDER; exit status 77, skipped, where Python has no Ray
"""
import importlib.util
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "python" / "segments_ray.py"
OPTIONS = ["--qp", "24", "--keyint", "10", "--no-scenecut"]


def processes():
    """{process: (parent, title)} of all that can be read."""
    found = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            stat = pathlib.Path("/proc", entry, "stat").read_text()
            title = pathlib.Path("/proc", entry, "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue  # has just ended
        found[int(entry)] = int(stat.rpartition(")")[2].split()[1]), title
    return found


def workers_of(driver):
    """The processes below the driver that are in the middle of a task."""
    found = processes()

    def below(process):
        while process in found and process != driver:
            process = found[process][0]
        return process == driver

    return [process for process, (_, title) in found.items() if "ray::encode_segment" in title and below(process)]


def run(tools, *arguments):
    return subprocess.Popen([sys.executable, "-B", EXAMPLE, "clip.y4m", "--workers", "2", "--tools", tools, *arguments],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def main():
    if importlib.util.find_spec("ray") is None:
        print("skipped: this Python has no Ray (pip install ray)")
        return 77
    tools, work = os.path.abspath(sys.argv[1]), sys.argv[2]
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    os.chdir(work)
    subprocess.run([tools + "/ctgen", "clip.y4m", "--size", "320x240", "--frames", "630"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([tools + "/ctenc", "clip.y4m", "-o", "whole.ctv", "-q", *OPTIONS], check=True)

    driver = run(tools, "-o", "joined.ctv", "--segment", "100", "--", *OPTIONS)
    deadline = time.monotonic() + 120
    while len(workers := workers_of(driver.pid)) < 2:
        assert driver.poll() is None and time.monotonic() < deadline, "no two workers at work: " + driver.communicate()[1]
        time.sleep(0.002)
    os.kill(workers[0], signal.SIGKILL)
    said, errors = driver.communicate(timeout=240)
    assert driver.returncode == 0, errors
    lines = [line.split() for line in said.splitlines() if line.startswith("frames ")]
    assert sorted(int(line[1]) for line in lines) == list(range(0, 630, 100)), said
    assert not any(line[8] == f"{workers[0]};" for line in lines), f"worker {workers[0]} was not killed in a task:\n{said}"
    assert pathlib.Path("joined.ctv").read_bytes() == pathlib.Path("whole.ctv").read_bytes(), "other bytes than one run's"
    assert not os.path.exists("joined.ctv.parts")

    # What ctenc refuses ends the run, and what was complete before is not encoded again.
    os.mkdir("kept")
    shutil.copy("whole.ctv", "kept/000000000.ctv")
    driver = run(tools, "-o", "bad.ctv", "--segment", "400", "--folder", "kept", "--", "--qp", "99")
    said, errors = driver.communicate(timeout=240)
    assert driver.returncode == 1 and "--qp" in errors and "stays in" in errors, errors
    assert not os.path.exists("bad.ctv") and os.path.exists("kept/000000000.ctv")
    print("all well")
    return 0


if __name__ == "__main__":
    sys.exit(main())
