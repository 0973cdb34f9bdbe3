"""What the tests of the binding share: a pad of their own in a directory of their own."""

import os
import shutil
import signal
import tempfile
import unittest

import jotter


def in_child(run):
    """What `run` returned in a forked child, as text."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        signal.alarm(60)
        try:
            said = run()
        except BaseException as error:
            said = f"{type(error).__name__}: {error}"
        os.write(writer, said.encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as f:
        said = f.read()
    os.waitpid(pid, 0)
    return said


class PadCase(unittest.TestCase):
    """Each test has an empty pad, `self.pad`, and the means to open it again.  It is run where it may leave files, two
    directories deep, because some try the path ../x."""

    engine = "files"

    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="jotter-python-")
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)
        here = os.path.join(self.dir, "a", "b")
        os.makedirs(here)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(here)
        name = {"files": "notes", "sqlite": "pad.db"}[self.engine]
        self.url = f"{self.engine}:{os.path.join(self.dir, name)}"
        self.pad = self.open(as_="ann")

    def open(self, **options):
        pad = jotter.open(self.url, **options)
        self.addCleanup(pad.close)
        return pad
