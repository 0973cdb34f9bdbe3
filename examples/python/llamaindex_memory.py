"""LlamaIndex with a memory: a chat store that keeps each conversation in a pad.

`ChatMemoryBuffer` takes it in the place of its own SimpleChatStore; the model is LlamaIndex' MockLLM, which repeats what it is
told, so this runs without a key."""
import json
import os
import tempfile
from typing import Any, List, Optional

from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms import ChatMessage, MockLLM
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.storage.chat_store.base import BaseChatStore
from pydantic import PrivateAttr

import jotter


class JotterChatStore(BaseChatStore):
    """Each key is an artifact, chat/KEY; every change is a version of it, and of two at once none is lost."""

    _pad: Any = PrivateAttr()

    def __init__(self, pad: jotter.Pad) -> None:
        super().__init__()
        self._pad = pad

    @classmethod
    def class_name(cls) -> str:
        return "JotterChatStore"

    def _change(self, key: str, change: Any) -> Any:
        out: List[Any] = []

        def made(text: Optional[str]) -> str:
            messages = json.loads(text or "[]")
            out[:] = [change(messages)]
            return json.dumps(messages, ensure_ascii=False, indent=2)

        self._pad.update(f"artifacts/chat/{key}", made)
        return out[0]

    def set_messages(self, key: str, messages: List[ChatMessage]) -> None:
        self._change(key, lambda all: all.__setitem__(slice(None), [json.loads(m.model_dump_json()) for m in messages]))

    def get_messages(self, key: str) -> List[ChatMessage]:
        try:
            return [ChatMessage.model_validate(m) for m in json.loads(self._pad[f"artifacts/chat/{key}"])]
        except jotter.NotFound:
            return []

    def add_message(self, key: str, message: ChatMessage) -> None:
        self._change(key, lambda all: all.append(json.loads(message.model_dump_json())))

    def delete_messages(self, key: str) -> Optional[List[ChatMessage]]:
        messages = self.get_messages(key)
        self._pad.purge(f"artifacts/chat/{key}")
        return messages

    def delete_message(self, key: str, idx: int) -> Optional[ChatMessage]:
        return ChatMessage.model_validate(self._change(key, lambda all: all.pop(idx)))

    def delete_last_message(self, key: str) -> Optional[ChatMessage]:
        return self.delete_message(key, -1)

    def get_keys(self) -> List[str]:
        return [doc.name[len("artifacts/chat/"):] for doc in self._pad.list("artifacts/chat/")]


with tempfile.TemporaryDirectory() as folder, jotter.open("files:" + os.path.join(folder, "pad")) as pad:
    for said in ("I like soup", "and cake"):  # two processes would do, too
        memory = ChatMemoryBuffer.from_defaults(chat_store=JotterChatStore(pad), chat_store_key="ann", token_limit=3000,
                                                tokenizer_fn=lambda text: text.split())
        SimpleChatEngine.from_defaults(llm=MockLLM(), memory=memory).chat(said)
    print([message.content for message in JotterChatStore(pad).get_messages("ann") if message.role == "user"])
    print(len(list(pad.history("artifacts/chat/ann"))), "versions")
