"""The same for asyncio."""

import asyncio

import jotter
import jotter.aio
from case import PadCase


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
