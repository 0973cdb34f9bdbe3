// jotter/langgraph for `import`.
import * as framework from "@langchain/langgraph-checkpoint";
import make from "./langgraph_make.js";

export const { JotterSaver, JotterStore } = make(framework);
