#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""BD-rates of curves whose distance is known, and tables of made-up runs."""
import math
import os
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/bench/report"))
from curves import curves_svg, decades, ticks
from rates import bd_rate, compare, mean_and_worst, usable
from tables import PAPER, aligned, loss, machine_words, mean_of, of_equal_bytes, peers, pictures, rd, rd_means, second_halves, speedup, speedup_of


def curve(factor, shift=0):
    return [(factor * 1000 * 2 ** ((q - 30) / 4 + 0.02 * (q - 36) ** 2 / 6), q + shift) for q in (30.0, 33.5, 37.0, 40.0, 44.0)]


def line(factor, qualities):
    """Straight in log rate, so that other points lie on the same curve."""
    return [(factor * math.exp(q / 5), q) for q in qualities]


class BdRate(unittest.TestCase):
    def test_equal_curves_differ_by_nothing(self):
        percent, begin, end = bd_rate(curve(1), curve(1))
        self.assertAlmostEqual(percent, 0, 9)
        self.assertEqual((begin, end), (30, 44))

    def test_a_factor_of_bits_is_that_factor(self):
        for anchor, test, percent in ((1, 2, 100), (2, 1, -50), (1, 0.8, -20)):
            self.assertAlmostEqual(bd_rate(curve(anchor), curve(test))[0], percent, 9)
        self.assertAlmostEqual(bd_rate(curve(1), curve(1.5)[::-1])[0], 50, 9)

    def test_a_factor_holds_on_any_range_and_sampling(self):
        percent, begin, end = bd_rate(line(1, (28, 33, 38, 43)), line(1.3, (31, 32, 36, 41, 46)), 32, 40)
        self.assertAlmostEqual(percent, 30, 9)
        self.assertEqual((begin, end), (32, 40))

    def test_curves_that_cross_in_the_middle_are_equal_on_average(self):
        # log rate q/5 and q/5 + (q - 35)/20: apart by -1/4 at 30 dB, by +1/4 at 40 dB.
        qualities = [30 + 2.5 * i for i in range(5)]
        crossing = [(math.exp(q / 5 + (q - 35) / 20), q) for q in qualities]
        self.assertAlmostEqual(bd_rate(line(1, qualities), crossing)[0], 0, 9)
        self.assertLess(bd_rate(line(1, qualities), crossing, 30, 34)[0], 0)
        self.assertGreater(bd_rate(line(1, qualities), crossing, 36, 40)[0], 0)

    def test_without_shared_quality_there_is_none(self):
        self.assertIsNone(bd_rate(curve(1), curve(1, 20)))
        self.assertIsNone(bd_rate(curve(1), curve(1), 50, 60))
        self.assertIsNone(bd_rate(curve(1), [(1000, 35)]))

    def test_points_that_others_undercut_are_left_out(self):
        points = [(300, 40), (100, 30), (250, 35), (200, 36), (400, 40), (900, math.inf), (0, 20)]
        self.assertEqual(usable(points), [(100, 30), (200, 36), (300, 40)])


def rd_run():
    """Codec b needs half of a's bits."""
    clip = {"name": "clip", "width": 64, "height": 48, "frames": 2, "codecs": []}
    for factor in (1, 0.5):
        points = [{"bytes": factor * 4096 * 2**i, "psnr": {"y": 30 + 3 * i, "weighted": 32.5 + 2.25 * i}, "ssim": 1 - 0.1 / 2**i,
                   "encode_seconds": 1, "decode_seconds": 0.5} for i in range(5)]
        clip["codecs"].append({"codec": "a" if factor == 1 else "b", "points": points})
    return {"clips": [clip], "settings": {"anchor": "a", "range": [30, 44]}}


def speedup_run():
    """Two clips, two sizes, CPU and CUDA; the CPU's FFT is slower."""
    run = {"differences": [], "results": [], "settings": {"variant": "paper", "threads": 2, "frames_in_flight": 1, "runs": 1, "frames": 1}}
    for clip, factor in (("a", 1), ("b", 3)):
        for width in (320, 1920):
            for backend, engine, encode, decode in (("cpu", "direct", 100, 50), ("cpu", "fft", 150, 60), ("cuda", "direct", 10, 2)):
                times = {way: {"ms_per_frame": ms, "quartiles": [ms, ms], "stages": [{"name": "transform", "ms_per_frame": ms / 2}]}
                         for way, ms in (("encode", encode * factor), ("decode", decode))}
                run["results"].append({"clip": clip, "width": width, "height": 240, "backend": backend, "engine": engine, **times})
    return run


class Tables(unittest.TestCase):
    def test_curves_are_compared_with_the_anchor(self):
        run = rd_run()
        rates = compare(run["clips"][0], "a", run["settings"])
        for measure in ("y", "yuv", "ssim"):
            self.assertAlmostEqual(rates["a"][measure][0], 0, 9)
            self.assertAlmostEqual(rates["b"][measure][0], -50, 9)
        self.assertEqual(rates["b"]["y"][2], 42)
        self.assertEqual(mean_and_worst([rates], "c", "y"), (None, None))
        self.assertIsNone(compare(run["clips"][0], "c", run["settings"])["a"]["y"])
        self.assertEqual(rd_means({**run, "settings": {**run["settings"], "anchor": "c"}}), [])
        self.assertNotIn("mean", "\n".join(map(aligned, rd(run))))  # of one clip
        run["clips"] *= 2
        text = "\n".join(map(aligned, rd(run)))
        self.assertIn("| **mean, Y**     | +0.0 % | -50.0 % |", text)
        self.assertIn("| b         | +100.0 % |", text)  # a against b

    def test_second_halves_at_equal_bits_stand_together(self):
        run = rd_run()
        self.assertEqual(second_halves(run), [])
        for codec in run["clips"][0]["codecs"]:
            for point in codec["points"][:2]:
                point["setting"] = 300
                point["second_half"] = {"kilobits_per_second": 299.6, "psnr": {"y": 31, "u": 40}, "ssimulacra2": 55.55}
        (_, head, rows), = second_halves(run)
        self.assertEqual(head, ["clip", "codec", "asked kb/s", "kb/s", "SSIMULACRA2", "Y", "U", "V"])
        self.assertEqual([row[1] for row in rows], ["a", "b", "a", "b"])
        self.assertEqual(rows[0], ["clip", "a", "300", "300", "55.5", "31.00", "40.00", "-"])
        self.assertIn("second half", "\n".join(map(aligned, rd(run))))

    def test_a_clip_has_a_curve_for_each_codec(self):
        clip = {**rd_run()["clips"][0], "frame_rate": [25, 1]}
        svg = curves_svg(clip, "y")
        self.assertEqual(svg.count("<polyline"), 2)
        points = sum(len(c["points"]) for c in clip["codecs"])
        self.assertEqual(svg.count("<circle"), points)
        rate = 8 * clip["codecs"][1]["points"][0]["bytes"] / 1000 / (clip["frames"] / 25)
        self.assertIn(f"<title>b: {rate:.0f} kb/s, {clip['codecs'][1]['points'][0]['psnr']['y']:.2f} dB</title>", svg)
        clip["codecs"] = [{**c, "points": c["points"][:1]} for c in clip["codecs"]]
        self.assertEqual(curves_svg(clip, "y"), "")
        self.assertEqual(decades(90, 2100), [100, 200, 500, 1000, 2000])
        self.assertEqual(ticks(28.3, 46.1), [30, 35, 40, 45])

    def test_unequal_bytes_are_marked(self):
        row = {"setting": "", "psnr_y": 30, "ssim": 0.9}
        run = {"transforms": False, "clip": "c", "width": 64, "height": 48, "frame": 1, "frames": 2, "results": [
            {**row, "codec": codec, "bytes": size} for codec, size in (("source", 9000), ("default", 1000), ("slopes", 80), ("a", 1040),
                                                                       ("b", 900), ("paper", 19200))]}
        self.assertEqual(of_equal_bytes(run), ["", "", "", "", "0.9 times as many", "19 times as many"])
        (_, _, rows), = pictures(run)
        self.assertEqual([r[2] for r in rows[-2:]], ["900 **0.9 times as many**", "19200 **19 times as many**"])

    def test_rgb_has_no_luma(self):
        run = rd_run()
        for point in (p for codec in run["clips"][0]["codecs"] for p in codec["points"]):
            point["psnr"]["r"] = point["psnr"].pop("y")
        rates = compare(run["clips"][0], "a", run["settings"])
        self.assertIsNone(rates["b"]["y"])
        self.assertAlmostEqual(rates["b"]["yuv"][0], -50, 9)

    def test_the_paper_agrees_with_itself(self):
        for figures in PAPER.values():
            for way in ("encode", "decode"):
                self.assertAlmostEqual(figures[f"{way}_cpu"] / figures[f"{way}_gpu"], figures[f"{way}_speedup"], delta=0.003)

    def test_clips_are_averaged_and_the_fastest_engine_counts(self):
        run = speedup_run()
        self.assertEqual(mean_of(run, "320x240", "cpu direct", "encode"), 200)
        self.assertEqual(speedup_of(run, "320x240", "encode"), 10)
        self.assertEqual(speedup_of(run, "1920x240", "decode"), 25)
        self.assertIsNone(speedup_of(run, "64x64", "encode"))

    def test_no_speedup_where_bytes_differ(self):
        run = speedup_run()
        self.assertEqual([len(rows) for _, _, rows in speedup(run)], [10, 4])
        run["differences"].append("a 320x240: cpu direct and cuda direct made different bytes")
        self.assertIsNone(speedup_of(run, "320x240", "encode"))
        self.assertEqual([caption[:20] for caption, _, _ in speedup(run)], ["**Backends differ**:", "**Time per frame, pr"])

    def test_calls_are_averaged_over_seeds(self):
        call = {"clip": "a", "codec": "ctv", "loss": 0.05, "burst": 1, "round_trip_ms": 50, "playout_ms": 0, "seconds": 2, "psnr": 38,
                "damaged_percent": 10, "delay_ms": {"p50": 26, "p95": 29, "p99": 31}, "bandwidth": [], "queue_ms": 200,
                "datagrams": 100, "lost_datagrams": 4, "key_frames": 1,
                "bytes": {"levels": 100000, "parity": 25000, "repeated": 0, "feedback": 9000}}
        rows = [{**call, "seed": seed, "frozen_percent": frozen} for seed, frozen in ((1, 0.5), (2, 1.5))]
        run = {"settings": {"frames": 60, "bitrate": 400, "preset": "default"}, "results": rows + [{**rows[0], "loss": 0.2}]}
        (caption, _, table), = loss(run)
        self.assertIn("mean of 2 seeds", caption)
        self.assertEqual(table[0], ["ctv", "5 %", "1", "50", "0", "1.00", "10.0", "38.00", "26 / 29 / 31", "500", "100", "0"])
        self.assertEqual(len(table), 2)
        run["results"] = [{**call, "seed": 1, "frozen_percent": 1, "bandwidth": [[0, kilobits]]} for kilobits in (400, 900)]
        (_, head, table), = loss(run)
        self.assertEqual(head[-4:], ["bandwidth", "queue", "% lost", "key frames"])
        self.assertEqual([row[-4:] for row in table], [["400", "200", "4.0", "1"], ["900", "200", "4.0", "1"]])

    def test_every_machine_is_named_once(self):
        machine = {"cpu": "A", "cores": 2, "memory_bytes": 2**33, "devices": [], "driver": "", "device_clocks": "", "compiler": "gcc",
                   "commit": "c", "load": 0.5}
        runs = [{"kind": "rd", "machine": {**machine, **other}} for other in ({}, {"cpu": "B"}, {"load": 1.5, "device_clocks": "9 MHz"})]
        self.assertEqual(machine_words(runs), "A, 2 cores, 8 GiB, load 0.5 to 1.5 when runs began; no CUDA device; gcc; commit c; and "
                                              "B, 2 cores, 8 GiB, load 0.5 when runs began; no CUDA device; gcc; commit c")

    def test_a_quality_out_of_reach_is_shown_as_measured(self):
        row = {"codec": "a", "how": "1 thread", "psnr_y": 38.25, "bytes": 4000, "bytes_per_frame": None, "encode": {"ms_per_frame": 2},
               "decode": {"ms_per_frame": 1}}
        run = {"clip": "c", "width": 64, "height": 48, "frames": 4, "key_interval": 10, "decibels": 60, "results": [row]}
        (caption, head, rows), = peers(run)
        self.assertIn("nearest to 60 dB", caption)
        self.assertEqual(head[1:4], ["luma dB", "bytes a frame", "at 60 dB"])
        self.assertEqual(rows, [["a, 1 thread", "38.25", "1000", "-", "2.00", "1.00"]])

    def test_markdown_is_aligned(self):
        self.assertEqual(aligned(("what", ["codec", "a", "long head"], [["x", 1, 22], ["yy", "", "3"]])),
                         "what\n\n"
                         "| codec |   a | long head |\n"
                         "|-------|----:|----------:|\n"
                         "| x     |   1 |        22 |\n"
                         "| yy    |     |         3 |\n")


if __name__ == "__main__":
    unittest.main()
