// jotter/langgraph for `require`.
"use strict";

module.exports = require("./langgraph_make.js")(require("@langchain/langgraph-checkpoint"));
