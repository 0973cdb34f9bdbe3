// The same from CommonJS.
import jotter = require("jotter");
import langgraph = require("jotter/langgraph");

async function main(): Promise<string> {
  const pad: jotter.Pad = await jotter.open("files:notes");
  const doc: jotter.Doc = await pad.read("plan");
  console.log(new langgraph.JotterSaver(pad), doc.text);
  return jotter.version;
}
void main();
