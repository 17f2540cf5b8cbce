#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Encodes a clip by segments on a Ray cluster and joins them to one stream.

Each segment between key frames is a task: ctenc with --seek and --frames. Ray gives tasks to whatever workers there are,
and starts the task of a lost worker again. Clip, FOLDER and the tools lie where all machines see them. A part appears in
FOLDER only when it is complete, so a second run encodes only what is missing. Options behind -- are ctenc's:

    segments_ray.py clip.y4m -o clip.ctv --segment 240 -- --qp 28 --keyint 60 --no-scenecut
"""
import argparse
import contextlib
import hashlib
import os
import pathlib
import subprocess
import sys
import time

import ray

SAMPLES = {"420": 1.5, "422": 2, "444": 3, "mono": 1}  # per luma sample


def frames_of(path):
    """How many frames a .y4m file of 8 bits has."""
    with open(path, "rb") as file:
        header = file.readline(4096)
    fields = {word[:1]: word[1:] for word in header.decode("ascii", "replace").split()[1:]}
    chroma = next((n for name, n in SAMPLES.items() if fields.get("C", "420").startswith(name)), None)
    if not header.startswith(b"YUV4MPEG2") or chroma is None:
        raise SystemExit(f"{path}: no y4m file of 8 bits; give --frames")
    width, height = int(fields["W"]), int(fields["H"])
    across, down = (width + 1) // 2 if chroma < 3 else width, (height + 1) // 2 if chroma == 1.5 else height
    picture = width * height + (0 if chroma == 1 else 2 * across * down)
    return (os.path.getsize(path) - len(header)) // (picture + len(b"FRAME\n"))


def encode_segment(ctenc, clip, part, first, count, options):
    """Runs on a worker. Returns the part's first frame, its path, the seconds it took and the worker's process."""
    begin = time.monotonic()
    if not os.path.exists(part):
        # With several tasks on a machine, one thread each is fastest.
        done = subprocess.run([ctenc, clip, "-o", part, "-q", "--threads", "1", "--seek", str(first), "--frames", str(count),
                               *options], capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip() or f"ctenc ended with {done.returncode}")
    return first, part, time.monotonic() - begin, os.getpid()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clip")
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--segment", type=int, default=240, help="frames of a segment: a multiple of --keyint")
    parser.add_argument("--frames", type=int, help="of the clip; known of .y4m files")
    parser.add_argument("--folder", help="where parts are kept; default: OUTPUT.parts")
    parser.add_argument("--tools", default="", help="folder of ctenc and ctcat; default: PATH")
    parser.add_argument("--address", help="of a Ray cluster, such as auto; default: one on this machine")
    parser.add_argument("--workers", type=int, help="tasks at once on this machine; default: its cores")
    parser.add_argument("--gpus", type=float, default=0, help="GPUs of a task: 1, or 0.5 for two tasks on one")
    parser.add_argument("--retries", type=int, default=5, help="how often a task is started again")
    ours, options = sys.argv[1:], []
    if "--" in ours:
        ours, options = ours[:ours.index("--")], ours[ours.index("--") + 1:]
    arguments = parser.parse_args(ours)

    tools = os.path.join(os.path.abspath(arguments.tools), "") if arguments.tools else ""
    clip, output = os.path.abspath(arguments.clip), os.path.abspath(arguments.output)
    folder = pathlib.Path(arguments.folder or output + ".parts").absolute()
    folder.mkdir(parents=True, exist_ok=True)
    options += ["--backend", "cuda"] if arguments.gpus else []
    frames = arguments.frames or frames_of(clip)

    # Parts of a run that was stopped are used again, but not those of another clip, length or options.
    clip_state = os.stat(clip)
    run = repr((clip, clip_state.st_size, clip_state.st_mtime_ns, arguments.segment, frames, options))
    name = hashlib.sha256(run.encode()).hexdigest()[:12]

    # Ray shows a task CUDA_VISIBLE_DEVICES, so device 0 is its own.
    ray.init(address=arguments.address, num_cpus=None if arguments.address else arguments.workers,
             include_dashboard=False, log_to_driver=False)
    task = ray.remote(num_cpus=1, num_gpus=arguments.gpus, max_retries=arguments.retries)(encode_segment)
    waiting = [task.remote(tools + "ctenc", clip, str(folder / f"{name}-{first:09}.ctv"), first,
                           min(arguments.segment, frames - first), options) for first in range(0, frames, arguments.segment)]
    parts, begin = {}, time.monotonic()
    try:
        while waiting:
            [done], waiting = ray.wait(waiting)
            first, part, seconds, process = ray.get(done)
            parts[first] = part
            count = min(frames, len(parts) * arguments.segment)
            print(f"frames {first} to {min(first + arguments.segment, frames) - 1} in {seconds:.1f} s by process {process}; "
                  f"{count} of {frames}, {count / (time.monotonic() - begin):.1f} fps", flush=True)
    except (ray.exceptions.RayTaskError, ray.exceptions.WorkerCrashedError) as error:
        cause = getattr(error, "cause", None) or error
        sys.exit(f"segments_ray: {cause}; what is done stays in {folder}")
    subprocess.run([tools + "ctcat", *(parts[first] for first in sorted(parts)), "-o", output], check=True)
    for part in parts.values():
        os.unlink(part)
    with contextlib.suppress(OSError):  # it has parts of another run
        folder.rmdir()


if __name__ == "__main__":
    main()
