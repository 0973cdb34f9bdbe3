"""What the tests of the binding share: a pad of their own in a directory of their own."""

import os
import shutil
import tempfile
import unittest

import jotter


class PadCase(unittest.TestCase):
    """Each test has an empty pad, `self.pad`, and the means to open it again."""

    engine = "files"

    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="jotter-python-")
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)
        name = {"files": "notes", "sqlite": "pad.db"}[self.engine]
        self.url = f"{self.engine}:{os.path.join(self.dir, name)}"
        self.pad = self.open(as_="ann")

    def open(self, **options):
        pad = jotter.open(self.url, **options)
        self.addCleanup(pad.close)
        return pad
