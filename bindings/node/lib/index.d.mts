// The same for `import`.
import * as jotter from "./index.js";

export * from "./index.js";
export default jotter;
