#!/usr/bin/env python3
"""openai_sessions.py [SEED [CALLS]]: random calls to JotterSession and to the SDK's own SQLiteSession, which must answer
alike; a conversation by the SDK's runner with a model that answers from a script; and two who pop at once."""
import asyncio
import os
import random
import sys
import tempfile
import threading

from agents import Agent, ModelResponse, Runner, SQLiteSession, Usage, set_tracing_disabled
from agents.models.interface import Model
from openai.types.responses import ResponseOutputMessage, ResponseOutputText

import jotter
from jotter.openai_agents import JotterSession

set_tracing_disabled(True)


class Scripted(Model):
    """Says how many items it was shown."""

    async def get_response(self, system_instructions, input, *more, **named):
        text = ResponseOutputText(text=f"I see {len(input)}", type="output_text", annotations=[])
        message = ResponseOutputMessage(id="m", content=[text], role="assistant", status="completed", type="message")
        return ModelResponse(output=[message], usage=Usage(), response_id=None)

    def stream_response(self, *more, **named):
        raise NotImplementedError


async def compare(engine, folder, seed, count):
    chance = random.Random(seed)
    same = 0
    with jotter.open(f"{engine}:{os.path.join(folder, engine)}") as pad:
        pairs = [(SQLiteSession(name, os.path.join(folder, engine + ".theirs")), JotterSession(name, pad))
                 for name in ("one", "two/größe", "")]
        for i in range(count):
            theirs, ours = chance.choice(pairs)
            kind, limit = chance.choice("aaaagglpc"), chance.choice([0, 1, 2, 5, 100])
            items = [{"role": "user", "content": chance.choice(["hello", "ü", f"{i}\n"])} for _ in range(chance.choice([0, 1, 1, 3]))]
            if kind == "c" and chance.random() < 0.7:
                kind = "g"
            answers = []
            for session in (theirs, ours):
                answers.append(await (session.add_items(items) if kind == "a" else
                                      session.get_items() if kind == "g" else
                                      session.get_items(limit=limit) if kind == "l" else
                                      session.pop_item() if kind == "p" else session.clear_session()))
            same += answers[0] == answers[1]
            if answers[0] != answers[1]:
                print(f"  {kind} {limit}: {answers[1]}, not {answers[0]}")
    print(f"the SDK's SQLiteSession and JotterSession on {engine}, seed {seed}: {same} of {count} answers alike")
    return same == count


async def conversation(folder):
    agent = Agent(name="ann", model=Scripted())
    said = []
    for _ in range(3):
        session = JotterSession("talk", "files:" + os.path.join(folder, "talk"))
        said.append((await Runner.run(agent, "hello", session=session)).final_output)
    good = said == ["I see 1", "I see 3", "I see 5"]
    print(f"a conversation that is remembered: {int(good)} of 1" + ("" if good else f" {said}"))
    return good


def popped_once(folder):
    url = "files:" + os.path.join(folder, "pop")
    asyncio.run(JotterSession("s", url).add_items([{"n": n} for n in range(40)]))
    got = []

    def pop():
        session = JotterSession("s", url)
        for _ in range(10):
            got.append(asyncio.run(session.pop_item())["n"])

    threads = [threading.Thread(target=pop) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    good = sorted(got) == list(range(40))
    print(f"four who pop at once get each item once: {int(good)} of 1" + ("" if good else f" {sorted(got)}"))
    return good


if __name__ == "__main__":
    first = int(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("JOT_TEST_SEED") or random.SystemRandom().getrandbits(32))
    n = int(sys.argv[2]) if len(sys.argv) > 2 else 400
    with tempfile.TemporaryDirectory(prefix="jotter-sessions-") as place:
        results = [asyncio.run(compare("files", place, first, n)), asyncio.run(compare("sqlite", place, first + 1, n)),
                   asyncio.run(conversation(place)), popped_once(place)]
    sys.exit(not all(results))
