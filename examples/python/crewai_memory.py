"""CrewAI with a memory: what the crew has found out is in the pad, and the next crew is told of it.

The model answers from a script, so this runs without a key."""
import os
import tempfile

os.environ.setdefault("CREWAI_DISABLE_TELEMETRY", "true")
os.environ.setdefault("OTEL_SDK_DISABLED", "true")

from crewai import Agent, BaseLLM, Crew, Task  # noqa: E402
from crewai.tools import tool  # noqa: E402

import jotter  # noqa: E402

folder = tempfile.TemporaryDirectory()
os.environ.setdefault("CREWAI_STORAGE_DIR", folder.name)
pad = jotter.open("files:" + os.path.join(folder.name, "pad"))


@tool("remember")
def remember(key: str, text: str) -> str:
    """Keep a text for later, under a short key."""
    return pad.tool("scratchpad_write", {"key": key, "content": text}).text


class Scripted(BaseLLM):
    """First remembers something, then says whether it was told of it."""

    def call(self, messages, *more, **named):
        said = messages if isinstance(messages, str) else "\n".join(str(m["content"]) for m in messages)
        if "ann likes soup" in said:
            return "Thought: I now can give a great answer\nFinal Answer: soup, as ann likes it"
        return ('Thought: worth keeping\nAction: remember\nAction Input: {"key": "likes", "text": "ann likes soup"}'
                if "remembered" not in said and "wrote" not in said else "Thought: done\nFinal Answer: I remembered it")

    def supports_function_calling(self):
        return False


def crew(what):
    cook = Agent(role="cook", goal="cook", backstory=pad.context(2000).text, tools=[remember], llm=Scripted(model="script"))
    return Crew(agents=[cook], tasks=[Task(description=what, expected_output="a sentence", agent=cook)]).kickoff().raw


print(crew("ann says what she likes: soup"))
print(pad["likes"])
print(crew("what shall we cook?"))
pad.close()
