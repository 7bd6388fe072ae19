"""Build steps beyond pyproject.toml: a wheel contains machine code, and so is for one platform."""

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
    """Copies the sources, and compiles the kernels of the copies, which will be installed."""

    def run(self) -> None:
        if self.editable_mode:  # sources may change, so kernels are compiled when needed
            super().run()
            return
        lib = Path(self.build_lib).resolve()
        for package in {name.partition(".")[0] for name in self.packages}:
            shutil.rmtree(lib / package, ignore_errors=True)  # left by an earlier build
        super().run()
        # In an isolated build, PYTHONPATH has the build requirements.
        path = os.pathsep.join(filter(None, (str(lib), os.environ.get("PYTHONPATH"))))
        subprocess.run([sys.executable, "-m", "engine.kernel.build", str(lib / _SHIPPED)], cwd=lib,
                       env={**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}, check=True)


class PlatformWheel(bdist_wheel):
    """A wheel for one platform and any Python version, which the machine code does not depend on."""

    def finalize_options(self) -> None:
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self) -> tuple[str, str, str]:
        name = super().get_tag()[2]
        if name.endswith("universal2"):  # a Python for both of Apple's architectures; the machine code is for this one
            name = f"macosx_11_0_{platform.machine()}"
        return "py3", "none", name


setup(cmdclass={"build_py": BuildWithKernels, "bdist_wheel": PlatformWheel})
