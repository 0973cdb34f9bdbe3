// jotter/openai-agents for `import`.
import session from "./openai-agents.js";

export const { JotterSession } = session;
