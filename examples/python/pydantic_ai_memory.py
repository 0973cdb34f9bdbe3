"""Pydantic AI with a memory: the pad's tools for the model, and its context as instructions.

The model answers from a script, so this runs without a key; give Agent a model's name instead of FunctionModel and it is
the real thing."""
import os
import tempfile

from pydantic_ai import Agent, Tool
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

import jotter


def script(messages, info):
    """First remember something, then answer."""
    if len(messages) == 1:
        return ModelResponse(parts=[ToolCallPart("scratchpad_write", {"key": "likes", "content": "ann likes soup"})])
    return ModelResponse(parts=[TextPart("I will remember it.")])


def tools_of(pad, profiles=None):
    """The pad's tools, as the framework has tools."""
    def made(tool):
        return Tool.from_schema(lambda **args: pad.tool(tool["name"], args).text, name=tool["name"],
                                description=tool["description"], json_schema=tool["inputSchema"])
    return [made(tool) for tool in pad.tools(profiles)]


with tempfile.TemporaryDirectory() as folder, jotter.open("files:" + os.path.join(folder, "pad")) as pad:
    agent = Agent(FunctionModel(script), tools=tools_of(pad), instructions=lambda: pad.context(2000).text)
    print(agent.run_sync("I like soup").output)
    print(pad["likes"])
