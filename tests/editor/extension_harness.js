"use strict";
// Runs the extension with a stand-in for the editor, and prints what it did as JSON.
const Module = require("node:module");
const [source, program, net] = process.argv.slice(2);
const done = { commands: [], tasks: [], pages: [], opened: [], errors: [], server: null };
const uri = (path) => ({ scheme: "file", fsPath: path, toString: () => `file://${path}` });
const commands = {};
let changed;
let asked = 0;
const vscode = {
  Uri: { parse: (text) => uri(text.replace("file://", "")), file: uri },
  ViewColumn: { Beside: -2 },
  TaskScope: { Workspace: 2 },
  ProcessExecution: class { constructor(command, args) { Object.assign(this, { command, args }); } },
  Task: class { constructor(definition, scope, name, origin, execution) { Object.assign(this, { name, execution }); } },
  commands: {
    registerCommand: (name, action) => { commands[name] = action; return {}; },
    executeCommand: (name) => commands[name](),
  },
  tasks: { executeTask: async (task) => done.tasks.push([task.execution.command, ...task.execution.args]) },
  env: { openExternal: async (page) => done.opened.push(page.fsPath) },
  window: {
    activeTextEditor: { document: { uri: uri(net), getWordRangeAtPosition: () => undefined }, selection: {} },
    showInputBox: async ({ prompt }) => (prompt.startsWith("Transition") ? "serve" : "3"),
    showErrorMessage: (message) => done.errors.push(message),
    createWebviewPanel: (kind, title, column, options) => {
      const webview = { set html(text) { done.pages.push({ scripts: options.enableScripts, text }); } };
      return { webview, onDidDispose: () => ({}) };
    },
  },
  workspace: {
    textDocuments: [],
    getConfiguration: () => ({ get: () => program }),
    onDidChangeTextDocument: (action) => { changed = action; return {}; },
    onDidChangeConfiguration: () => ({}),
  },
};
class LanguageClient {
  constructor(id, name, server, options) { done.server = { ...server, selector: options.documentSelector }; }
  async start() {}
  async stop() {}
  async sendRequest(method, { uri }) {  // the second time the text has errors
    asked += 1;
    return asked === 2 ? null : { name: `${method} ${asked} ${uri}`, svg: "<svg>", measures: "<table>", progress: "" };
  }
}
const load = Module._load;
Module._load = function (name, ...rest) {
  if (name === "vscode") return vscode;
  return name === "vscode-languageclient/node" ? { LanguageClient } : load.call(this, name, ...rest);
};
(async () => {
  const extension = require(source);
  await extension.activate({ subscriptions: [] });
  done.commands = Object.keys(commands).sort();
  for (const name of ["pnsim.run", "pnsim.check", "pnsim.step", "pnsim.why"]) await commands[name](uri(net));
  await commands["pnsim.draw"]();
  for (let n = 0; n < 2; n++) {  // keys follow each other: the net is asked for when they rest
    for (let key = 0; key < 5; key++) changed({ document: { uri: uri(net) } });
    await new Promise((then) => setTimeout(then, 250));
  }
  changed({ document: { uri: uri("another.net") } });
  done.asked = asked;
  await commands["pnsim.play"]();
  await extension.deactivate();
  console.log(JSON.stringify(done));
})();
