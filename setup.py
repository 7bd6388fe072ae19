"""What pyproject.toml cannot say: the package is built with its machine code in it, and so for one platform."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

_SHIPPED = "engine/kernel/shipped"


class BuildWithKernels(build_py):
    """Copies the sources, and compiles from the copies, which are what is installed."""

    def run(self) -> None:
        if self.editable_mode:  # a developer's sources change: kernels are compiled when they are needed
            super().run()
            return
        lib = Path(self.build_lib).resolve()
        for package in {name.partition(".")[0] for name in self.packages}:
            shutil.rmtree(lib / package, ignore_errors=True)  # what an earlier build left there
        super().run()
        # What is needed to build stands in PYTHONPATH when the build is an isolated one.
        path = os.pathsep.join(filter(None, (str(lib), os.environ.get("PYTHONPATH"))))
        subprocess.run([sys.executable, "-m", "engine.kernel.build", str(lib / _SHIPPED)], cwd=lib,
                       env={**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}, check=True)


class PlatformWheel(bdist_wheel):
    """A wheel for one platform, and for any Python: the machine code needs nothing of it."""

    def finalize_options(self) -> None:
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self) -> tuple[str, str, str]:
        name = super().get_tag()[2]
        if name.endswith("universal2"):  # a Python for both of Apple's architectures; the machine code is for one
            name = f"macosx_11_0_{platform.machine()}"
        return "py3", "none", name


setup(cmdclass={"build_py": BuildWithKernels, "bdist_wheel": PlatformWheel})
