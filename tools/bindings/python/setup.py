# SPDX-License-Identifier: BSD-3-Clause
"""pip install ./tools/bindings/python: CMake builds the module with the library of this checkout inside."""
import os
import pathlib
import shutil
import subprocess
import sys

import pybind11
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parents[3]


class BuildByCMake(build_ext):

    def build_extension(self, ext):
        if not (ROOT / "codec" / "include" / "ctv" / "ctv.h").exists():
            sys.exit("tools/bindings/python is built inside a checkout of ctv only")
        if shutil.which("cmake") is None:
            sys.exit("cmake is missing; tools/dev/ctv.sh setup python installs what is needed")
        module = pathlib.Path(self.get_ext_fullpath(ext.name)).resolve()
        build = pathlib.Path(self.build_temp).resolve()
        subprocess.run([
            "cmake", "-S", ROOT, "-B", build, *(["-G", "Ninja"] if shutil.which("ninja") else []),
            "-DCMAKE_BUILD_TYPE=Release", "-DBUILD_SHARED_LIBS=OFF", "-DCTV_PYTHON=ON", "-DCTV_TOOLS=OFF",
            "-DCTV_INSTALL=OFF", "-DCTV_CUDA=OFF", "-DCTV_GSTREAMER=OFF", "-DCTV_WARNINGS_AS_ERRORS=OFF",
            f"-DPython_EXECUTABLE={sys.executable}", f"-Dpybind11_DIR={pybind11.get_cmake_dir()}",
            *os.environ.get("CMAKE_ARGS", "").split()
        ], check=True)
        jobs = str(os.cpu_count())
        subprocess.run(["cmake", "--build", build, "--target", "ctv_python", "--parallel", jobs], check=True)
        module.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(build / "python" / "ctv" / module.name, module)


setup(ext_modules=[Extension("ctv._ctv", [])], cmdclass={"build_ext": BuildByCMake})
