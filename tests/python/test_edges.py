"""Wrong arguments, closed pads, forks, wrong libraries: an exception with a sentence, never a crash."""

import ctypes
import ctypes.util
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import threading
import time
import unittest

import jotter
from case import PadCase, in_child


class Edges(PadCase):
    def test_wrong_types_are_refused_with_a_sentence(self):
        for call in (
            lambda: self.pad.write(7, "x"),
            lambda: self.pad.write(None, "x"),
            lambda: self.pad.write("k", 7),
            lambda: self.pad.write("k", None),
            lambda: self.pad.write("k", ["x"]),
            lambda: self.pad.read(b"k"),
            lambda: self.pad.search(7),
            lambda: self.pad.edit("k", 1, 2),
            lambda: self.pad.task.add(id="t", priority=object()),
            lambda: self.pad.artifact.write("a", "b", float("nan")),
            lambda: self.pad.task.add(id="t\0"),
            lambda: self.pad.write("k\0", "x"),
            lambda: self.pad.update("k", lambda text: 5),
            lambda: self.pad.update("k", "x"),
            lambda: self.pad.update("k", str, attempts=0),
            lambda: self.pad.update("k", str, attempts="3"),
            lambda: self.pad.read("k", lines="many"),
            lambda: self.pad.lease("k", ttl="long"),
            lambda: self.pad.context("large"),
            lambda: self.pad.evidence("x", 1),
            lambda: jotter.open("mem:", pool=0),
            lambda: jotter.open("mem:", pool=2),
        ):
            with self.assertRaises(jotter.Invalid) as caught:
                call()
            self.assertGreater(len(str(caught.exception)), 10)
        self.assertEqual(list(self.pad), [])

    def test_a_closed_pad_says_so(self):
        self.pad.close()
        self.pad.close()
        for call in (lambda: self.pad.read("k"), lambda: list(self.pad), self.pad.where,
                     lambda: self.pad.task.list(), lambda: self.pad.lease("k")):
            with self.assertRaises(jotter.Closed) as caught:
                call()
            self.assertIn("closed", str(caught.exception))

    def test_closing_waits_for_calls_under_way(self):
        pad = self.open(as_="ann", pool=4)
        errors = []

        def write(i):
            try:
                for n in range(50):
                    pad.write(f"k{i}", str(n))
            except jotter.Closed:
                pass
            except BaseException as error:
                errors.append(error)

        threads = [threading.Thread(target=write, args=(i,)) for i in range(8)]
        for t in threads:
            t.start()
        pad.close()
        for t in threads:
            t.join()
        self.assertEqual(errors, [])

    def test_ctrl_c_ends_a_wait_for_a_lease(self):
        code = f"""if True:
            import jotter
            pad = jotter.open({self.url!r}, as_="child")
            try:
                print("waits", flush=True)
                pad.lease("plan", wait=3600)
            except KeyboardInterrupt:
                pad["k"] = "goes on"
                print("ended")
            """
        with self.pad.lease("plan"):
            child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
            try:
                self.assertEqual(child.stdout.readline(), "waits\n")
                child.send_signal(signal.SIGINT)
                self.assertEqual(child.communicate(timeout=600)[0], "ended\n")
            finally:
                child.kill()
                child.communicate()
        self.assertEqual(self.pad["k"], "goes on")

    if sys.version_info >= (3, 10):  # 3.9 looks for signals before any step, also between a block's end and its lock's release
        def test_ctrl_c_at_any_moment_leaves_a_pad_that_can_be_used(self):
            code = f"""if True:
                import faulthandler, random, signal
                import jotter
                faulthandler.dump_traceback_later(300, exit=True)
                signal.signal(signal.SIGALRM, signal.default_int_handler)
                pads = [jotter.open('mem:'), jotter.open({self.url!r}, pool=2)]
                for pad in pads:
                    pad["k"] = "x"
                for n in range(600):
                    pad = pads[n % 2]
                    try:
                        signal.setitimer(signal.ITIMER_REAL, 0.00001 + random.random() * 0.0004)
                        while True:
                            pad.read("k")
                    except KeyboardInterrupt:
                        assert pad["k"] == "x"
                print("as good as ever")
                """
            done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.assertEqual(done.stdout, "as good as ever\n")

    def test_who_waits_for_a_lease_lets_other_threads_use_the_pad(self):
        other, taken = self.open(as_="bob"), []
        with other.lease("plan"):
            waiter = threading.Thread(target=lambda: taken.append(self.pad.lease("plan", wait=3600)))
            waiter.start()
            for i in range(20):
                self.pad["k"] = str(i)
                time.sleep(0.01)
            self.assertEqual(taken, [])
        waiter.join()
        self.pad["plan"] = "mine"
        taken[0].release()

    def test_leases_taken_and_released_by_many_threads_at_once_are_the_pads_own(self):
        pad, errors = self.open(as_="ann", pool=8), []

        def use(i):
            try:
                for n in range(20):
                    with pad.lease(f"k{i}") as held:
                        pad.write(f"k{i}", str(n))
                        held.check()
                    pad.write(f"k{i}", "free")
            except BaseException as error:
                errors.append(error)

        interval = sys.getswitchinterval()
        sys.setswitchinterval(1e-6)
        try:
            threads = [threading.Thread(target=use, args=(i,)) for i in range(8)]
            for t in threads:
                t.start()
            for t in threads:
                t.join()
        finally:
            sys.setswitchinterval(interval)
        self.assertEqual((errors, pad.leases()), ([], []))

    def test_a_pad_used_after_a_fork_says_so(self):
        self.pad["k"] = "x"
        said = in_child(lambda: self.pad["k"])
        self.assertIn("Closed", said)
        self.assertIn("open it again", said)
        self.assertEqual(self.pad["k"], "x")

    def test_a_fork_in_the_middle_of_calls_of_other_threads_hangs_nobody(self):
        stop = threading.Event()

        def write():
            while not stop.is_set():
                self.pad.write("busy", os.urandom(8).hex())

        writer = threading.Thread(target=write)
        writer.start()
        try:
            for _ in range(10):
                self.assertIn("Closed", in_child(lambda: self.pad["busy"]))

                def fresh():
                    with jotter.open(self.url, as_="child") as pad:
                        pad["child"] = "was here"
                        return pad["child"]

                self.assertEqual(in_child(fresh), "was here")
        finally:
            stop.set()
            writer.join()

    def test_multiprocessing_may_open_the_pad_in_each_process(self):
        context = multiprocessing.get_context("fork")
        with context.Pool(3) as pool:
            pool.starmap(append, [(self.url, str(i)) for i in range(30)])
        self.assertEqual(sorted(self.pad["all"].split()), sorted(str(i) for i in range(30)))

    def test_a_note_that_is_not_there_is_a_key_error_with_a_sentence(self):
        with self.assertRaises(KeyError) as caught:
            self.pad["nothing"]
        self.assertEqual(str(caught.exception), "scratchpad[nothing] not found")

    def test_a_text_beyond_the_limit_is_too_big(self):
        with self.assertRaises(jotter.TooBig):
            self.pad.write("k", b"x" * (16 * 1024 * 1024 + 1))

    def test_a_pad_that_is_not_there_is_not_made_unless_asked(self):
        with self.assertRaises(jotter.NotFound):
            jotter.open("files:" + os.path.join(self.dir, "none"), existing=True)
        with self.assertRaises(jotter.Error):
            jotter.open("nonsense:x")

    def test_a_read_only_pad_refuses_writes(self):
        self.pad["k"] = "x"
        pad = self.open(read_only=True)
        self.assertEqual(pad["k"], "x")
        with self.assertRaises(PermissionError):
            pad["k"] = "y"

    def test_random_calls_end_in_a_result_or_an_error_of_ours(self):
        chance = random.Random(os.environ.get("JOT_TEST_SEED", "1"))
        values = ["", "k", "a/b", "../x", "\0", "\ud800", "é" * 200, b"", b"\xff", 0, -1, 2**70, 1.5,
                  None, True, [], {}, ["a"], {"a": 1}, "x" * 5000, "~1", "2026-01-01", object()]
        calls = [getattr(self.pad, name) for name in dir(self.pad)
                 if not name.startswith("_") and name not in ("close", "watch", "list", "history", "changes")]
        verbs = [getattr(noun, verb) for noun in calls if not callable(noun)
                 for verb in dir(noun) if not verb.startswith("_")]
        allowed = (jotter.Error, TypeError, ValueError, ctypes.ArgumentError, AttributeError,
                   OverflowError)
        for _ in range(3000):
            call = chance.choice([c for c in calls if callable(c)] + verbs)
            arguments = [chance.choice(values) for _ in range(chance.randrange(4))]
            try:
                call(*arguments)
            except allowed:
                pass
        self.pad["still"] = "alive"
        self.assertEqual(self.pad["still"], "alive")


def append(url, text):
    with jotter.open(url, as_=f"child{text}") as pad:
        pad.append("all", text, line=True)


class Library(unittest.TestCase):
    """Run in a process of its own, because a library is loaded once."""

    def said(self, library):
        code = "import jotter\ntry:\n jotter.open('mem:')\nexcept jotter.NoLibrary as e:\n print(e)"
        return subprocess.run([sys.executable, "-c", code], check=True, text=True,
                              stdout=subprocess.PIPE,
                              env={**os.environ, "JOTTER_LIBRARY": library}).stdout

    def test_a_library_that_is_not_there_is_named(self):
        self.assertIn("cannot use '/nowhere/libjotter.so'", self.said("/nowhere/libjotter.so"))

    def test_a_library_of_another_kind_is_refused(self):
        self.assertIn("as libjotter", self.said(ctypes.util.find_library("c") or "libc.so.6"))

    def test_a_library_of_another_version_is_refused(self):
        other = os.environ.get("JOTTER_TEST_OTHER_LIBRARY")
        self.assertTrue(other, "the test's own library of another version was not built")
        self.assertIn("this package was made for", self.said(other))
