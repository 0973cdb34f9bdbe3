// The same for `import`: one module in a process, whichever way it came.
import jotter from "./index.js";

export default jotter;
export const {
  Cancelled, Closed, Conflict, Corrupt, Denied, Doc, Failed, Fenced, Held, IdReused, Invalid, JotterError,
  Leased, Merge, NoAddon, NotFound, Pad, ReadOnly, TooBig, Unavailable, Unknown, Unsupported, open, prompt, tokens, version,
} = jotter;
