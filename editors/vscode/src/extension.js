"use strict";
// The client of `pnsim lsp`, and commands that run, check, draw and play the net of an editor.

const { execFile } = require("node:child_process");
const path = require("node:path");
const fs = require("node:fs/promises");
const os = require("node:os");
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;
let drawings; // the panel of drawings, made when it is first needed
let drawn; // the URI of the net that it shows
let waiting; // until the text has rested for a moment
const REST = 150; // milliseconds

function program() {
  return vscode.workspace.getConfiguration("pnsim").get("command", "pnsim");
}

async function startServer() {
  const server = { command: program(), args: ["lsp"] };
  const options = {
    documentSelector: [{ language: "pnsim" }],
    markdown: { isTrusted: false, supportHtml: false },
  };
  client = new LanguageClient("pnsim", "pnsim", server, options);
  try {
    await client.start();
  } catch (error) {
    vscode.window.showErrorMessage(
      `pnsim: the language server does not start (${error.message}). Install it with: pip install 'pnsim[lsp]', ` +
        "or set the path of the program in the setting pnsim.command.",
    );
  }
}

/** The saved file of a command's argument, or of the active editor. */
async function savedFile(argument) {
  const active = vscode.window.activeTextEditor?.document;
  const uri = argument ? vscode.Uri.parse(String(argument)) : active?.uri;
  if (!uri || uri.scheme !== "file") {
    vscode.window.showErrorMessage("pnsim: save the net in a file first.");
    return undefined;
  }
  const document = vscode.workspace.textDocuments.find((one) => one.uri.toString() === uri.toString());
  if (document?.isDirty) await document.save();
  return uri.fsPath;
}

/** Shows a command's output in a terminal. No shell reads the file's name. */
async function inTerminal(command, argument, ...more) {
  const file = await savedFile(argument);
  if (!file) return;
  const execution = new vscode.ProcessExecution(program(), [command, file, ...more], { cwd: path.dirname(file) });
  const name = `${command} ${path.basename(file)}`;
  const task = new vscode.Task({ type: "pnsim" }, vscode.TaskScope.Workspace, name, "pnsim", execution, []);
  await vscode.tasks.executeTask(task);
}

/** Why a transition is enabled at an instant, or not: the one under the cursor, unless another is written. */
async function why(argument) {
  const editor = vscode.window.activeTextEditor;
  const word = editor?.document.getWordRangeAtPosition(editor.selection.active);
  const value = word ? editor.document.getText(word) : "";
  const transition = await vscode.window.showInputBox({ prompt: "Transition; empty for all", value });
  if (transition === undefined) return;
  const time = await vscode.window.showInputBox({ prompt: "Instant, such as 3 ms; empty for the end of the run" });
  if (time === undefined) return;
  await inTerminal("why", argument, ...(transition ? [transition] : []), ...(time ? ["--at", time] : []));
}

function output(args, cwd) {
  return new Promise((resolve, reject) => {
    const limits = { cwd, maxBuffer: 64 * 2 ** 20, timeout: 120000 };
    execFile(program(), args, limits, (error, stdout, stderr) => {
      if (error) reject(new Error(stderr.trim() || error.message));
      else resolve(stdout);
    });
  });
}

/** A page that can show pictures and tables and do nothing else: no script, no connection. The server escapes texts. */
function page(inside) {
  return `<!DOCTYPE html><html><head>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<style>body { padding: 0; } .pnsim { min-height: 100vh; box-sizing: border-box; max-width: none; }</style>
</head><body>${inside}</body></html>`;
}

/** Shows the net as its text is now, saved or not. While it has errors, the last picture stays. */
async function showDrawing(uri) {
  try {
    const found = await client.sendRequest("pnsim/preview", { uri });
    if (!drawings && found) {
      const beside = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
      drawings = vscode.window.createWebviewPanel("pnsim.drawing", "Net", beside, { enableScripts: false });
      drawings.onDidDispose(() => {
        drawings = undefined;
        drawn = undefined;
      });
    }
    if (!found) {
      if (drawings) drawings.title = `${path.basename(vscode.Uri.parse(uri).fsPath)} (before the errors)`;
      else vscode.window.showErrorMessage("pnsim: the net has errors; it is drawn once they are mended.");
      return;
    }
    drawings.title = found.name;
    drawings.webview.html = page(found.html);
  } catch (error) {
    vscode.window.showErrorMessage(`pnsim: ${error.message.split("\n")[0]}`);
  }
}

async function draw(argument) {
  const uri = argument ? String(argument) : vscode.window.activeTextEditor?.document.uri.toString();
  if (!uri) return;
  await showDrawing(uri);
  if (drawings) drawn = uri;
}

/** Renews the drawing when the text has rested for a moment. */
function typed(uri) {
  if (!drawings || uri !== drawn) return;
  clearTimeout(waiting);
  waiting = setTimeout(() => showDrawing(uri), REST);
}

async function play(argument) {
  const file = await savedFile(argument);
  if (!file) return;
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), "pnsim-"));
  const target = path.join(folder, `${path.basename(file, ".net")}.html`);
  try {
    await output(["play", file, "--output", target], path.dirname(file));
    await vscode.env.openExternal(vscode.Uri.file(target));
  } catch (error) {
    vscode.window.showErrorMessage(`pnsim play: ${error.message.split("\n")[0]}`);
  }
}

async function activate(context) {
  const commands = {
    "pnsim.run": (uri) => inTerminal("run", uri),
    "pnsim.check": (uri) => inTerminal("check", uri),
    "pnsim.step": (uri) => inTerminal("step", uri),
    "pnsim.why": why,
    "pnsim.live": (uri) => inTerminal("live", uri),
    "pnsim.draw": draw,
    "pnsim.play": play,
    "pnsim.restart": async () => {
      await client?.stop().catch(() => undefined);
      await startServer();
    },
  };
  for (const [name, action] of Object.entries(commands)) {
    context.subscriptions.push(vscode.commands.registerCommand(name, action));
  }
  context.subscriptions.push(
    vscode.workspace.onDidChangeTextDocument(({ document }) => typed(document.uri.toString())),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("pnsim.command")) vscode.commands.executeCommand("pnsim.restart");
    }),
  );
  await startServer();
}

async function deactivate() {
  await client?.stop();
}

module.exports = { activate, deactivate };
