#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Rules of the repository that a compiler does not check.

usage: rules.py ROOT          prints each violation; exit status 1 if there is any
       rules.py --self-test   plants violations in empty trees and expects each to be named
"""
import os
import re
import subprocess
import sys
import tempfile

# Folders from the bottom up, and the folders each may include; its own and codec/include always. None includes upwards.
UTIL, DSP, MODEL, FORMAT = "codec/util", "codec/dsp", "codec/model", "codec/format"
CONTROL, BACKEND = "codec/control", "codec/backend"
ROOMS = {
    "codec/include": [],
    "codec/transport": [],
    UTIL: [],
    DSP: [UTIL],
    FORMAT: [UTIL, DSP],
    MODEL: [UTIL, FORMAT],
    CONTROL: [UTIL, DSP, FORMAT],
    BACKEND: [UTIL, DSP, MODEL, FORMAT],
    "codec/entropy": [UTIL, DSP, MODEL, FORMAT],
    "codec/config": [UTIL, DSP, FORMAT, CONTROL, BACKEND],
    "cpu": [UTIL, DSP, MODEL, FORMAT, CONTROL, BACKEND],
    "cuda": [UTIL, DSP, MODEL, FORMAT, CONTROL, BACKEND],
    "codec/backends.hpp": [BACKEND],
    "codec/backends.cpp": ["codec/backends.hpp", UTIL, BACKEND, "cpu", "cuda"],
    "codec/pipeline": [UTIL, DSP, MODEL, "codec/entropy", FORMAT, CONTROL, BACKEND, "codec/config", "codec/backends.hpp"],
    "codec/api": ["codec"],
    "codec/simulcast": [UTIL, FORMAT, "codec/config", "codec/pipeline", "codec/api"],
    "tools": [],
    "tools/ctcat": [UTIL, FORMAT, "tools"],
    "tools/dev": ["codec", "cpu", "cuda"],
    "tests/reference": [UTIL, DSP, MODEL, FORMAT, CONTROL, BACKEND],
    "tools/bench/lab": ["codec", "cpu", "cuda"],
    "tests": ["codec", "cpu", "cuda", "tests/reference"],
    "tests/fuzz": ["codec", "tests", "tools"],
    "tests/tools": ["tests", "tools"],
    "tests/bench": ["codec", "cpu", "tests", "tests/reference", "tools", "tools/bench/lab"],
}
# The classes of codec/backend, and the calls of its class Backend that work on planes. Each is a stage with the same
# files in cpu and cuda; the first has the interface. Other files there need no partner.
STAGES = {
    "PictureTransfer": "picture/picture_transfer picture/colour picture/chroma",
    "LevelTransfer": "entropy/level_transfer",
    "MotionEstimator": "motion/estimator motion/search motion/far_search motion/half_samples motion/field motion/decide_skips",
    "SlopeEstimator": "transform/slope_estimator",
    "SubbandPredictor": "transform/subband_prediction",
    "TransformCoder": "transform/transform_coder transform/wavelet transform/slope_lifting transform/laplacian "
                      "transform/directional transform/directed_bands transform/quantise",
    "ResidualCoder": "residual/residual_coder",
    "DistortionMeter": "picture/squared_error",
    "find_still": "motion/skip",
    "skip_by_ssd": "motion/skip",
    "merge_skip_vectors": "motion/skip_squares",
    "compensate": "motion/compensate",
    "filter": "picture/loop_filter",
    "filter_changes": "picture/loop_filter",
    "quantise": "transform/rdoq",
}
TOP_LEVEL = re.compile(r"\..*|CMakeLists\.txt|CMakePresets\.json|LICENSE|THIRD-PARTY\.txt|"
                       r"(README|CHANGELOG|CONTRIBUTING|SECURITY)\.md|codec|cuda|cpu|tools|tests|data|docs")
BANNED = re.compile(r"\b(lent|lend(?:s|er|ers|ing)?|takeovers?|whoever|the house|the waist|score of|nobody|likewise)\b", re.I)
# Turns of phrase that read as translated: see docs/style.md, Prose. `beside` is allowed as a name in code.
TICS = re.compile(r"(?<![`\w])(in the place of|so many|for it is|foretold|foreseen?|the way back from|"
                  r"beside(?![\w(:`]|\.png)|Of (?=[a-z]))")
README_LINES = 90
SOURCE = re.compile(r"\.(c|h|cpp|hpp|cu|cuh|inc|js|mjs|css|html|sh|cmake|py)$|CMakeLists\.txt$|^\.ci/run$")
CODE = re.compile(r"\.(c|h|cpp|hpp|cu|cuh|inc|js|mjs)$")
TEXT = re.compile(SOURCE.pattern + r"|\.(md|txt|json|in|yml|svg|map)$|^(LICENSE|\.clang-\w+|\.git\w+|\.editorconfig)$")
INCLUDE = re.compile(r'\s*#\s*include\s*["<]((?:codec|cpu|cuda|tools|tests)/[^">]+)[">]')


def files():
    """Tracked files and new ones that git does not ignore; without git everything but build folders."""
    git = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], capture_output=True, text=True)
    names = git.stdout.split("\0") if git.returncode == 0 else [
        os.path.relpath(os.path.join(folder, name)) for folder, _, there in os.walk(".") for name in there
        if not re.match(r"\./(build|out|\.git/)", folder + "/")]
    return sorted(name for name in set(names) if os.path.isfile(name))


def room_of(path):
    return max((room for room in ROOMS if (path + "/").startswith(room + "/")), key=len, default=None)


def includes(name, number, line):
    match = INCLUDE.match(line)
    if not match or match[1].startswith("codec/include/"):
        return
    here, there = room_of(name), room_of(match[1])
    if here and there and here != there and not any(
            there == may or (may in ("codec", "tests", "tools") and there.startswith(may + "/")) for may in ROOMS[here]):
        yield f"{name}:{number}: {here} must not include {match[1]}"


def source(name, lines):
    if not any("SPDX-License-Identifier: BSD-3-Clause" in line for line in lines[:3]):
        yield f"{name}: no SPDX line at the top"
    if len(lines) > 400 and name not in ("codec/include/ctv/ctv.h", "codec/include/ctv/net.h"):  # books to read
        yield f"{name}: {len(lines)} lines, at most 400"
    if re.search(r"\.(h|hpp|cuh)$", name) and not any(re.match(r"\s*(//|/\*)", line) for line in lines[1:2]):
        yield f"{name}: no comment below the SPDX line that says what the header is for"
    for number, line in enumerate(lines, 1):
        if CODE.search(name):
            yield from includes(name, number, line)
            if re.match(r"(codec|cpu|cuda)/", name) and re.match(r"\s*(static )?thread_local (const )?std::(vector|string|map|unique_ptr|shared_ptr|function)", line):
                yield f"{name}:{number}: a thread_local with a destructor: glibc ends the process if it cannot be registered"
            if "__reduce_" in line and name != "cuda/runtime/warp.cuh":
                yield f"{name}:{number}: __reduce_ needs compute capability 8.0; cuda/runtime/warp.cuh has it for all"
        comment = re.search(r"//.*|^\s*/?\*.*" if CODE.search(name) else r"#.*", line)
        if comment and name != "tests/rules.py":
            yield from language(name, number, comment[0])


def language(name, number, text):
    for word in BANNED.findall(text):
        yield f"{name}:{number}: '{word}' (see docs/glossary.md)"
    for words in TICS.findall(text):
        yield f"{name}:{number}: '{words.strip()}' (see docs/style.md)"


def clean(name, text):
    if text and not text.endswith("\n"):
        yield f"{name}: no newline at the end"
    if text.endswith("\n\n"):
        yield f"{name}: blank line at the end"
    for number, line in enumerate(text.split("\n"), 1):
        if re.search(r"\t|\r| $", line):
            yield f"{name}:{number}: tab, carriage return or blank at a line's end"


def document(name, text):
    """Every path that a document names exists: links, and words in ` ` that begin with a folder's name."""
    paths = re.findall(r"`(?:\./)?((?:codec|cpu|cuda|tools|tests|data|docs|\.ci)/[\w./-]*)`", text)
    paths += [link for link in re.findall(r"\]\(([^) ]+)\)", text) if not re.match("https?:|#|mailto:", link)]
    paths += re.findall(r"(?<![\w/.-])tools/dev/\w+\.sh", text)
    for path in sorted({path.split("#")[0] for path in paths}):
        if not os.path.exists(path) and not os.path.exists(os.path.join(os.path.dirname(name), path)):
            yield f"{name}: names {path}, which does not exist"
    if name not in ("docs/glossary.md", "CHANGELOG.md"):  # they list what words replace
        for number, line in enumerate(text.split("\n"), 1):
            yield from language(name, number, line)


def headings(text):
    """Numbers of a document's sections, and its anchors as GitHub makes them."""
    titles = re.findall(r"(?m)^#+ (.*)", re.sub(r"(?ms)^```.*?^```", "", text))
    anchors = {re.sub(r"[^\w -]", "", re.sub(r"\[(.*?)\]\([^)]*\)", r"\1", title)).strip().lower().replace(" ", "-") for title in titles}
    return {match[1] for match in map(re.compile(r"(\d+(?:\.\d+)?)\b").match, titles) if match}, anchors


def sections(name, text, documents):
    """Every section that a text cites exists, "docs/bitstream.md, 6.1" or "section 6.1 of docs/bitstream.md", and so does
    every anchor of a link. Section numbers without a document's name are those of the text itself, if it is a document."""
    flat = re.sub(r"\n[ \t]*(//+|\*|#)?[ \t]*", " ", text)
    numbers = r"(\d+(?:\.\d+)?(?:(?:,| to| and) \d+(?:\.\d+)?)*)"
    cited = [(document, found) for document, found in re.findall(rf"(\w[\w-]*\.md)[`)]*, (?:sections? )?{numbers}", flat)]
    cited += [(document, found) for found, document in re.findall(rf"[Ss]ections? {numbers} of (?:docs/)?(\w[\w-]*\.md)", flat)]
    if name == "docs/bitstream.md":
        cited += [("bitstream.md", found) for found in re.findall(rf"\bsections? {numbers}", flat)]
    for document, found in cited:
        for number in re.findall(r"\d+(?:\.\d+)?", found):
            if document in documents and number not in documents[document][0]:
                yield f"{name}: cites section {number} of {document}, which does not exist"
    if name.endswith(".md"):
        for link, anchor in re.findall(r"\]\(([^)# ]*)#([^) ]+)\)", text):
            target = os.path.basename(link or name)
            if "://" not in link and target in documents and anchor not in documents[target][1]:
                yield f"{name}: links to {target}#{anchor}, which does not exist"


def stages(texts):
    """The backend's interface, the table of stages, and the files of both backends agree."""
    headers = "".join(text for name, text in texts.items() if re.match(r"codec/backend/.*\.hpp$", name))
    if not headers:
        return
    declared = set(re.findall(r"virtual ~(\w+)", headers))
    backend = re.search(r"^class Backend\b.*?^};", headers, re.M | re.S)
    declared |= set(re.findall(r"virtual Status (\w+)\([^;]*?(?:PlaneView|SkipPlanes|UnfilteredPlane|SubbandLayout)[^;]*;",
                               backend[0] if backend else ""))
    for stage in sorted(declared ^ set(STAGES)):
        yield (f"codec/backend: {stage} is a stage, but not in the table of tests/rules.py" if stage in declared else
               f"tests/rules.py: has a stage {stage}, which codec/backend does not declare")
    stems = {name.rsplit(".", 1)[0] for name in texts}
    for side in ("cpu", "cuda"):
        for stage, parts in STAGES.items():
            for part in parts.split():
                if f"{side}/{part}" not in stems:
                    yield f"{side}/{part}: is missing; it has a part of the stage {stage}"


def options(texts):
    """Every option of the build is documented and read, and the document names no other."""
    build = {name: text for name, text in texts.items() if re.search(r"(^|/)CMakeLists\.txt$|\.cmake$", name)}
    declared = r"(?m)^ *(?:option\((CTV_\w+)|set\((CTV_\w+) [^\n]*CACHE (?!INTERNAL))"
    names = {a or b for text in build.values() for a, b in re.findall(declared, text)}
    documented = set(re.findall(r"`(CTV_\w+)`", texts.get("docs/packaging.md", "")))
    for name in sorted(names):
        if name not in documented:
            yield f"docs/packaging.md: does not name the option {name}"
        if sum(len(re.findall(rf"\b{name}\b", text)) for text in build.values()) < 2:
            yield f"CMakeLists.txt: nothing reads the option {name}"


def inventories(texts):
    """SECURITY.md names each fuzz target, THIRD-PARTY.txt each tool."""
    lists = (("SECURITY.md", r"tests/fuzz/fuzz_\w+\.cpp", lambda name: name),
             ("THIRD-PARTY.txt", r"tools/(ct\w+)/main\.cpp", lambda name: name.split("/")[1]))
    for inventory, pattern, word in lists:
        for name in sorted(texts):
            if re.fullmatch(pattern, name) and not re.search(rf"\b{word(name)}\b", texts.get(inventory, "")):
                yield f"{inventory}: does not name {word(name)}"


def subjects():
    """Subjects of the commits that the main branch, or CTV_BASE, does not have yet."""
    for base in [os.environ.get("CTV_BASE"), "origin/main", "main"]:
        log = subprocess.run(["git", "log", "--no-merges", "--format=%h %s", f"{base}..HEAD", "--"], capture_output=True, text=True)
        if base and log.returncode == 0:
            for commit, subject in (line.split(" ", 1) for line in log.stdout.splitlines()):
                if len(subject) > 72:
                    yield f"{commit}: a subject of {len(subject)} characters, at most 72: {subject}"
            return


def program(text, begin, end):
    found = re.search(begin + r"[^\n]*\n(.*?)[^\n]*" + end, text, re.S)
    return re.sub(r"^ \*|//[^\n]*|\s", "", found[1], flags=re.M) if found else None


# Programs that documents print, and the tests that run them.
PRINTED = (("README.md", "```cpp", "```", "tests/api/hpp_test.cpp", "README"),
           ("codec/include/ctv/ctv.h", "@code", "@endcode", "tests/api/c_example.c", "ctv.h"),
           ("docs/calls.md", "```cpp", "```", "tests/api/call.cpp", "call.hpp"),
           ("docs/calls.md", r"```c(?=\n)", "```", "tests/api/net_call.c", "calls.md"))


def violations():
    names = files()
    texts = {name: open(name, encoding="utf-8").read() for name in names if TEXT.search(name)}
    order = list(ROOMS)
    for room, may in ROOMS.items():
        for other in may:
            if other in ROOMS and order.index(other) > order.index(room):
                yield f"tests/rules.py: {room} may include {other}, which stands above it"
    for entry in sorted({name.split("/")[0] for name in names}):
        if not TOP_LEVEL.fullmatch(entry):
            yield f"{entry}: does not belong on the top level"
    documents = {os.path.basename(name): headings(text) for name, text in texts.items() if name.endswith(".md")}
    if len(texts.get("README.md", "").splitlines()) > README_LINES:
        yield f"README.md: {len(texts['README.md'].splitlines())} lines, at most {README_LINES}"
    public = texts.get("codec/include/ctv/ctv.hpp", "")
    types = set(re.findall(r"^(?:class|struct) (\w+)", public, re.M))
    for name, text in texts.items():
        yield from clean(name, text)
        if SOURCE.search(name):
            yield from source(name, text.splitlines())
        if name.endswith(".md"):
            yield from document(name, text)
        if name != "tests/rules.py":
            yield from sections(name, text, documents)
        if re.match(r"(codec/(?!include)|cpu/|cuda/).*\.(hpp|cpp|cu|cuh)$", name):
            for word in types & set(re.findall(r"^(?:class|struct) (\w+)\s*(?:[:{;]|$|final)", text, re.M)):
                yield f"{name}: ctv.hpp has a class {word} too; a program that links both would get one of the two"
    yield from stages(texts)
    yield from options(texts)
    yield from inventories(texts)
    yield from subjects()
    for printed, begin, end, test, mark in PRINTED:
        if printed in texts and test in texts:
            if program(texts[printed], begin, end) != program(texts[test], mark + ": begin", mark + ": end"):
                yield f"{printed}: its program differs from the one in {test}"


def self_test():
    spdx = "// SPDX-License-Identifier: BSD-3-Clause\n"
    planted = [
        ({"tools/a.cpp": spdx + '#include <ctv/ctv.h>\n#include "tools/b.hpp"\n'}, None),
        ({"cpu/a.cpp": spdx + '#include "cuda/b.hpp"\n'}, "cpu/a.cpp:2: cpu must not include cuda/b.hpp"),
        ({"tools/a.cpp": spdx + '#include "codec/dsp/b.hpp"\n'}, "tools must not include codec/dsp/b.hpp"),
        ({"codec/dsp/a.cpp": spdx + '#include "codec/pipeline/b.hpp"\n'}, "codec/dsp must not include codec/pipeline/b.hpp"),
        ({"codec/pipeline/a.cpp": spdx + '#include "cpu/b.hpp"\n'}, "codec/pipeline must not include cpu/b.hpp"),
        ({"codec/model/a.cpp": spdx + '#include "codec/entropy/b.hpp"\n'}, "must not include codec/entropy/b.hpp"),
        ({"codec/format/a.cpp": spdx + '#include "codec/model/b.hpp"\n'}, "must not include codec/model/b.hpp"),
        ({"tools/a.cpp": "int a;\n"}, "tools/a.cpp: no SPDX line"),
        ({"tools/a.hpp": spdx + "#pragma once\n"}, "tools/a.hpp: no comment below the SPDX line"),
        ({"tools/a.cpp": spdx + "//\n" * 400}, "tools/a.cpp: 401 lines"),
        ({"tools/a.cpp": spdx + "int a;  // the score of a\n"}, "tools/a.cpp:2: 'score of'"),
        ({"notes.log": "notes\n"}, "notes.log: does not belong on the top level"),
        ({"tools/a.cpp": spdx[:-1]}, "tools/a.cpp: no newline at the end"),
        ({"tools/a.cpp": spdx + "\n"}, "tools/a.cpp: blank line at the end"),
        ({"tools/a.cpp": spdx + "\tint a;\n"}, "tools/a.cpp:2: tab"),
        ({"tools/a.cpp": spdx + "int a; \n"}, "tools/a.cpp:2: tab, carriage return or blank"),
        ({"docs/a.md": "See `codec/nowhere.hpp`.\n"}, "docs/a.md: names codec/nowhere.hpp"),
        ({"docs/a.md": "See [there](nowhere.md).\n"}, "docs/a.md: names nowhere.md"),
        ({"docs/a.md": "It was lent.\n"}, "docs/a.md:1: 'lent'"),
        ({"tools/a.cpp": spdx + "// The caller lends it.\n"}, "tools/a.cpp:2: 'lends'"),
        ({"tools/a.cpp": spdx + "// A copy in the place of\n// a view.\n"}, "tools/a.cpp:2: 'in the place of'"),
        ({"tools/a.cpp": spdx + "// Copies so many bytes.\n"}, "tools/a.cpp:2: 'so many'"),
        ({"tools/a.cpp": spdx + "int a;  // Of the frame.\n"}, "tools/a.cpp:2: 'Of'"),
        ({"tools/a.cpp": spdx + "// The one beside it.\n"}, "tools/a.cpp:2: 'beside'"),
        ({"tools/a.sh": "# SPDX-License-Identifier: BSD-3-Clause\n# Not used, for it is slow.\n"}, "tools/a.sh:2: 'for it is'"),
        ({"tools/a.cpp": spdx + "// Cannot be foretold.\n"}, "tools/a.cpp:2: 'foretold'"),
        ({"tools/a.cpp": spdx + "// The way back.\n// It is the way back from a.\n"}, "tools/a.cpp:3: 'the way back from'"),
        ({"tools/a.cpp": spdx + "// Calls beside() and `beside`. beside: may be null.\n"}, None),
        ({"docs/a.md": "a in the place of b\n"}, "docs/a.md:1: 'in the place of'"),
        ({"docs/a.md": "Of these three are odd.\n"}, "docs/a.md:1: 'Of'"),
        ({"docs/a.md": "# A\n\n## 2. B\n\n### 2.1 C\n\n[b](#2-b) [c](a.md#21-c)\n",
          "tools/a.cpp": spdx + "// See docs/a.md,\n// sections 2 and 2.1, and section 2.1 of a.md.\n"}, None),
        ({"docs/a.md": "## 6.3 A\n", "tools/a.cpp": spdx + "// A (docs/a.md, 6.6).\n"}, "tools/a.cpp: cites section 6.6 of a.md"),
        ({"docs/a.md": "## 6.3 A\n", "tools/a.cpp": spdx + "// Section 6.4 of\n// docs/a.md.\n"}, "cites section 6.4 of a.md"),
        ({"docs/bitstream.md": "## 6.3 A\n\nAs in section 7.\n"}, "docs/bitstream.md: cites section 7 of bitstream.md"),
        ({"docs/a.md": "## 6.3 A\n\n[b](#b)\n"}, "docs/a.md: links to a.md#b"),
        ({"README.md": "a\n" * 91}, "README.md: 91 lines, at most 90"),
        ({"codec/backend/a.hpp": spdx + "// A\nvirtual ~Blur() = default;\n"}, "Blur is a stage, but not in the table"),
        ({"codec/backend/a.hpp": spdx + "// A\nclass Backend {\n  virtual Status blur(int,\n    PlaneView<Sample> a) = 0;\n};\n"},
         "codec/backend: blur is a stage, but not"),
        ({"codec/backend/a.hpp": spdx + "// A\n"}, "a stage quantise, which codec/backend does not"),
        ({"codec/backend/a.hpp": spdx + "// A\n", "cpu/motion/skip.cpp": spdx}, "cuda/motion/skip: is missing"),
        ({"cuda/runtime/a.cuh": spdx + "// A\n__reduce_min_sync(1);\n"}, "cuda/runtime/a.cuh:3: __reduce_ needs"),
        ({"cpu/a.cpp": spdx + "thread_local std::vector<int> a;\n"}, "cpu/a.cpp:2: a thread_local with a destructor"),
        ({"codec/include/ctv/ctv.hpp": spdx + "class Encoder {\n", "codec/dsp/a.hpp": spdx + "class Encoder {\n"},
         "codec/dsp/a.hpp: ctv.hpp has a class Encoder"),
        ({"README.md": "```cpp\nint a;\n```\n", "tests/api/hpp_test.cpp": spdx + "// README: begin\nint b;\n// README: end\n"},
         "README.md: its program differs"),
        ({"codec/include/ctv/ctv.h": spdx + "/*\n * @code{.c}\n * a();\n * @endcode\n */\n",
          "tests/api/c_example.c": spdx + "// ctv.h: begin\nb();\n// ctv.h: end\n"},
         "codec/include/ctv/ctv.h: its program differs"),
        ({"CMakeLists.txt": spdx.replace("//", "#") + 'option(CTV_DEAD "Does nothing" OFF)\n', "docs/packaging.md": "`CTV_DEAD`\n"},
         "nothing reads the option CTV_DEAD"),
        ({"CMakeLists.txt": spdx.replace("//", "#") + 'set(CTV_NEW AUTO CACHE STRING "New")\nif(CTV_NEW)\nendif()\n'},
         "does not name the option CTV_NEW"),
        ({"SECURITY.md": "tests/fuzz/fuzz_a.cpp\n", "tests/fuzz/fuzz_a.cpp": spdx, "tests/fuzz/fuzz_ab.cpp": spdx},
         "SECURITY.md: does not name tests/fuzz/fuzz_ab.cpp"),
        ({"THIRD-PARTY.txt": "ctb\n", "tools/cta/main.cpp": spdx}, "THIRD-PARTY.txt: does not name cta"),
        ({".git": ["x" * 80, "y" * 72]}, None),  # the first is the main branch's
        ({".git": ["x" * 80, "y" * 73]}, "a subject of 73 characters, at most 72: yyy"),
    ]
    failures = 0
    for tree, expected in planted:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            for branch, subject in zip(("main", "topic"), tree.pop(".git", ())):
                for command in ["init", "-q"], ["checkout", "-q", "-B", branch], ["commit", "-q", "--allow-empty", "-m", subject]:
                    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *command], check=True)
            for name, text in tree.items():
                os.makedirs(os.path.join(folder, os.path.dirname(name)), exist_ok=True)
                with open(os.path.join(folder, name), "w", encoding="utf-8") as out:
                    out.write(text)
            found = list(violations())
            if not any(expected in line for line in found) if expected else found:
                failures += 1
                print(f"expected {expected}, found: {found}")
            os.chdir("/")
    print(f"{len(planted) - failures} of {len(planted)} planted violations were named")
    return failures


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    os.chdir(sys.argv[1])
    found = list(violations())
    print("\n".join(found) if found else f"the repository's rules hold for {len(files())} files")
    return len(found)


if __name__ == "__main__":
    sys.exit(main() != 0)
