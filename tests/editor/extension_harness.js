"use strict";
// Runs the extension with a stand-in for the editor, and prints what it did as JSON.
const { spawn } = require("node:child_process");
const { readFileSync } = require("node:fs");
const Module = require("node:module");
const [source, program, net] = process.argv.slice(2);
const done = { commands: [], tasks: [], pages: [], titles: [], opened: [], errors: [], server: null };
const uri = (path) => ({ scheme: "file", fsPath: path, toString: () => `file://${path}` });
const commands = {};
let changed;
let client;
let asked = 0;
let text = readFileSync(net, "utf-8");
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
      return { webview, onDidDispose: () => ({}), set title(text) { done.titles.push(text); } };
    },
  },
  workspace: {
    textDocuments: [],
    getConfiguration: () => ({ get: () => program }),
    onDidChangeTextDocument: (action) => { changed = action; return {}; },
    onDidChangeConfiguration: () => ({}),
  },
};
/** Speaks with the real server, as the client of the editor does: the text is what was typed. */
class LanguageClient {
  constructor(id, name, server, options) {
    done.server = { ...server, selector: options.documentSelector };
    this.waiting = new Map();
    this.read = Buffer.alloc(0);
    client = this;
  }
  async start() {
    this.process = spawn(done.server.command, done.server.args, { stdio: ["pipe", "pipe", "ignore"] });
    this.process.stdout.on("data", (piece) => this.receive(piece));
    await this.ask("initialize", { processId: process.pid, rootUri: null, capabilities: {} });
    this.send({ method: "initialized", params: {} });
    const textDocument = { uri: `file://${net}`, languageId: "pnsim", version: 0, text };
    this.send({ method: "textDocument/didOpen", params: { textDocument } });
  }
  async stop() {
    await this.ask("shutdown", null);
    this.send({ method: "exit" });
  }
  typed(now) {
    text = now;
    const textDocument = { uri: `file://${net}`, version: ++this.version };
    this.send({ method: "textDocument/didChange", params: { textDocument, contentChanges: [{ text }] } });
    changed({ document: { uri: uri(net) } });
  }
  sendRequest(method, params) {
    asked += 1;
    return this.ask(method, params);
  }
  ask(method, params) {
    const id = ++this.number;
    this.send({ id, method, params });
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
  }
  send(message) {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    this.process.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }
  receive(piece) {
    this.read = Buffer.concat([this.read, piece]);
    for (;;) {
      const end = this.read.indexOf("\r\n\r\n");
      const length = end < 0 ? NaN : Number(/Content-Length: (\d+)/i.exec(this.read.subarray(0, end))[1]);
      if (!(this.read.length >= end + 4 + length)) return;
      const { id, method, result, error } = JSON.parse(this.read.subarray(end + 4, end + 4 + length));
      this.read = this.read.subarray(end + 4 + length);
      if (method || !this.waiting.has(id)) continue;  // a note, or a question of the server
      const { resolve, reject } = this.waiting.get(id);
      if (error) reject(new Error(error.message));
      else resolve(result);
    }
  }
  number = 0;
  version = 0;
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
  for (const name of ["pnsim.run", "pnsim.check", "pnsim.step", "pnsim.why", "pnsim.live"]) await commands[name](uri(net));
  await commands["pnsim.draw"]();
  const written = text, until = async (there) => { while (!there()) await new Promise((then) => setTimeout(then, 10)); };
  for (let key = 1; key <= 5; key++) client.typed(`${written}\nplace more${"e".repeat(key)}`);  // asked for when they rest
  await until(() => done.pages.length === 2);
  client.typed(`${written}\nplace place`);
  await until(() => done.titles.at(-1).endsWith("(before the errors)"));
  client.typed(written);
  await until(() => done.pages.length === 3);
  changed({ document: { uri: uri("another.net") } });
  done.asked = asked;
  await commands["pnsim.play"]();
  await extension.deactivate();
  console.log(JSON.stringify(done));
})();
