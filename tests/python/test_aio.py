"""The same for asyncio."""

import asyncio
import inspect
from unittest import mock

import jotter
import jotter.aio
from case import PadCase, in_child


class Aio(PadCase):
    def run_async(self, main):
        return asyncio.run(main())

    def test_the_names_are_those_of_a_pad(self):
        missing = {name for name in dir(jotter.Pad) if not name.startswith("_")} - set(dir(jotter.aio.Pad))
        self.assertEqual(missing, set())

    def test_a_note_is_written_read_listed_and_found(self):
        async def main():
            async with jotter.aio.open(self.url, as_="ann") as pad:
                await pad.write("plan", "ship it")
                self.assertEqual((await pad.read("plan")).text, "ship it")
                self.assertEqual([d.name async for d in pad.list()], ["plan"])
                self.assertEqual([d.seq async for d in pad.history("plan")], [1])
                self.assertEqual([h.name for h in await pad.search("ships")], ["plan"])
                self.assertEqual((await pad.task.add(id="t1"))["status"], "pending")
                with self.assertRaises(jotter.NotFound):
                    await pad.read("nothing")

        self.run_async(main)

    def test_lists_and_histories_page_by_themselves(self):
        async def main():
            async with jotter.aio.open(self.url, as_="ann") as pad:
                for i in range(1, 7):
                    await pad.write("n", str(i))
                for page in (1, 3, 6, 7):
                    with mock.patch.object(jotter._pad, "PAGE", page), mock.patch.object(jotter.aio, "PAGE", page):
                        self.assertEqual([d.seq async for d in pad.history("n")], [6, 5, 4, 3, 2, 1])
                        self.assertEqual([d.text async for d in pad.versions("n")], ["1", "2", "3", "4", "5", "6"])

        self.run_async(main)

    def test_tasks_that_update_one_note_lose_nothing(self):
        async def main():
            async with jotter.aio.open(self.url, as_="ann", pool=3) as pad:
                async def add(text):
                    await asyncio.sleep(0)
                    return str(int(text or 0) + 1)

                await asyncio.gather(*(pad.update("n", add, attempts=10000) for _ in range(20)))
                self.assertEqual((await pad.read("n")).text, "20")

        self.run_async(main)

    def test_a_lease_is_held_for_a_block(self):
        async def main():
            async with jotter.aio.open(self.url, as_="ann") as pad, \
                    jotter.aio.open(self.url, as_="bob") as other:
                async with pad.lease("plan") as held:
                    await pad.write("plan", "mine")
                    with self.assertRaises(jotter.Leased):
                        await other.lease("plan")
                    self.assertTrue((await held.check()).left > 0)
                theirs = await other.lease("plan")
                await theirs.release()

        self.run_async(main)

    def test_a_watch_lets_other_calls_go_on(self):
        async def main():
            async with jotter.aio.open(self.url, as_="ann") as pad:
                seen = asyncio.Event()
                ready = asyncio.Event()

                async def follow():
                    ready.set()
                    async for doc in pad.watch("notes/"):
                        self.assertEqual(doc.name, "news")
                        seen.set()
                        return

                follower = asyncio.create_task(follow())
                await ready.wait()
                while not seen.is_set():  # the watch may begin after the first of these
                    await pad.append("news", "x")
                    await asyncio.sleep(0.01)
                await follower

        self.run_async(main)

    def test_a_cancelled_call_happened_whole_or_not_at_all(self):
        async def main():
            async with jotter.aio.open(self.url, as_="ann") as pad:
                for i in range(40):
                    task = asyncio.create_task(pad.write("n", f"{i} " * 1000))
                    await asyncio.sleep(0.001 * (i % 4))
                    task.cancel()
                    try:
                        await task
                    except asyncio.CancelledError:
                        pass
                await pad.write("last", "x")
                async for version in pad.history("n"):
                    words = (await pad.read("n", version.version)).text.split()
                    self.assertEqual((len(words), len(set(words))), (1000, 1))

        self.run_async(main)

    def test_a_pad_that_is_not_open_says_so(self):
        async def main():
            with self.assertRaises(jotter.Invalid):
                await jotter.aio.open(self.url).read("k")

        self.run_async(main)

    def edges(self, pad):
        """What every public method of the pad and of its nouns gives, called with as many words as it needs."""
        nouns = [value for value in vars(pad).values() if type(value).__module__.endswith("_verbs_aio")]
        for owner in (pad, *nouns):
            for name, method in inspect.getmembers(owner, inspect.ismethod):
                if name.startswith("_") or name == "close":
                    continue
                needed = [p for p in inspect.signature(method).parameters.values() if p.default is p.empty]
                words = [str if p.name == "change" else "x" for p in needed if p.kind is not p.KEYWORD_ONLY]
                yield name, lambda m=method, w=words, n=needed: m(*w, **{p.name: "x" for p in n if p.kind is p.KEYWORD_ONLY})

    async def outcome(self, call):
        got = call()
        return [one async for one in got] if hasattr(got, "__aiter__") else await got

    def test_a_closed_pad_says_so_at_every_edge_and_closing_twice_is_fine(self):
        async def main():
            pad = await jotter.aio.open(self.url, as_="ann")
            await pad.close()
            await pad.close()
            edges = list(self.edges(pad))
            self.assertGreater(len(edges), 60)
            for name, call in edges:
                with self.assertRaises(jotter.Closed, msg=name):
                    await self.outcome(call)

        self.run_async(main)

    def test_a_call_that_waits_when_its_pad_is_closed_is_made_or_closed(self):
        async def main():
            for pool in (1, 3):
                pad = await jotter.aio.open(self.url, as_="ann", pool=pool)
                calls = [asyncio.ensure_future(pad.write(f"k{i}", "x")) for i in range(20)]
                await asyncio.sleep(0)
                await pad.close()
                for got in await asyncio.gather(*calls, return_exceptions=True):
                    self.assertIsInstance(got, (jotter.Doc, jotter.Closed))

        self.run_async(main)

    def test_a_pad_used_after_a_fork_says_so(self):
        async def opened():
            pad = await jotter.aio.open(self.url, as_="ann")
            await pad.write("k", "x")
            return pad

        pad = asyncio.run(opened())

        async def read():
            await pad.close()
            return (await pad.read("k")).text

        said = in_child(lambda: asyncio.run(read()))
        self.assertIn("Closed", said)
        self.assertIn("open it again", said)

    def test_who_waits_for_a_lease_keeps_nothing_from_others(self):
        async def main():
            async with jotter.aio.open(self.url, as_="ann") as pad, jotter.aio.open(self.url, as_="bob") as other:
                theirs = await other.lease("plan")

                async def wait():
                    async with pad.lease("plan", wait=3600):
                        return (await pad.read("k")).text

                waiting = asyncio.create_task(wait())
                await asyncio.sleep(0.05)
                await pad.write("k", "written meanwhile")  # the pad has one handle
                await theirs.release()
                self.assertEqual(await waiting, "written meanwhile")

        self.run_async(main)

    def test_a_lease_whose_taker_was_cancelled_is_free(self):
        async def main():
            async with jotter.aio.open(self.url, as_="ann") as pad, jotter.aio.open(self.url, as_="bob") as other:
                theirs = await other.lease("plan")

                async def take(wait):
                    async with pad.lease("plan", wait=wait):
                        await asyncio.sleep(3600)

                for wait in (0, 3600):
                    for i in range(20):
                        task = asyncio.create_task(take(wait))
                        await asyncio.sleep(0.001 * (i % 5))
                        if wait and i == 10:
                            await theirs.release()
                        task.cancel()
                        with self.assertRaises((asyncio.CancelledError, jotter.Leased)):
                            await task
                self.assertEqual(await pad.leases(), [])  # after all that was begun: the pad has one thread
                await (await other.lease("plan")).release()

        self.run_async(main)

    def test_wrong_numbers_are_refused_with_a_sentence(self):
        async def main():
            for pool in ("x", 0, 65, 10 ** 30, True, None):
                with self.assertRaises(jotter.Invalid):
                    await jotter.aio.open(self.url, pool=pool)
            async with jotter.aio.open(self.url, as_="ann") as pad:
                for wrong in ("x", -1, float("nan"), float("inf")):
                    with self.assertRaises(jotter.Invalid):
                        await pad.lease("k", wait=wrong)
                    with self.assertRaises(jotter.Invalid):
                        await self.outcome(lambda w=wrong: pad.watch(timeout=w))
                for change, attempts in (("x", 1), (str, 0), (str, "3")):
                    with self.assertRaises(jotter.Invalid):
                        await pad.update("k", change, attempts=attempts)

        self.run_async(main)
