"""The README's examples, as they stand there."""

import os
import re
import subprocess
import sys
import tempfile
import unittest

README = os.path.join(os.environ["PYTHONPATH"].split(":")[0], "README.md")


class Readme(unittest.TestCase):
    def test_every_example_of_the_readme_runs(self):
        with open(README) as f:
            examples = re.findall(r"^```python\n(.*?)^```", f.read(), re.M | re.S)
        self.assertEqual(len(examples), 2)
        for example in examples:
            with tempfile.TemporaryDirectory(prefix="jotter-python-") as folder:
                done = subprocess.run([sys.executable, "-c", example], cwd=folder, text=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                self.assertEqual(done.returncode, 0, done.stdout)
                self.assertIn("plan", done.stdout)
