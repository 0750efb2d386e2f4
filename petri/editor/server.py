"""The language server: the questions of an editor, answered over the Language Server Protocol.

Each change of a text starts a check in a thread of its own, one at a time; if the text changes meanwhile, the next
check is of the newest text. A question waits for the check of the text that it is about.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import unquote, urlsplit

from lsprotocol import types
from pygls import uris
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from petri.diagnostics import LanguageError
from petri.editor import answers
from petri.editor.positions import Text
from petri.editor.publishing import diagnostics_by_path
from petri.editor.workspace import Checked, Workspace
from petri.live.preview import preview
from petri.version import VERSION

REQUEST_FAILED = -32803  # of the protocol: the request was understood but cannot be done
Result = TypeVar("Result")


class Server(LanguageServer):
    """The open nets, and where the checks run."""

    def __init__(self) -> None:
        super().__init__("pnsim", VERSION, text_document_sync_kind=types.TextDocumentSyncKind.Full)
        self.nets = Workspace()
        self.uris: dict[Path, str] = {}  # of the open texts, as the client writes them
        self.published: set[Path] = set()
        self._checks = ThreadPoolExecutor(1, "check")
        self._checking = False

    # ------------------------------------------------------------ paths and positions

    def path(self, uri: str) -> Path:
        """Return the file of a URI; a text that is not in a file yet gets a path in the first folder."""
        parts = urlsplit(uri)
        if parts.scheme == "file":
            return Path(uris.to_fs_path(uri) or parts.path).resolve()
        folder = self.nets.folders[0] if self.nets.folders else Path.cwd()
        return folder / (unquote(parts.path).replace("/", "_") or "untitled")

    def uri(self, path: Path) -> str:
        return self.uris.get(path) or str(uris.from_fs_path(str(path)))

    def text(self, path: Path) -> Text:
        encoding = str(getattr(self.workspace.position_encoding, "value", self.workspace.position_encoding) or "utf-16")
        return Text(self.nets.text(path), encoding)

    # ------------------------------------------------------------ checks

    async def apart(self, work: Callable[[], Result]) -> Result:
        """Do work in the thread of the checks."""
        return await asyncio.get_running_loop().run_in_executor(self._checks, work)

    async def current(self, uri: str) -> Checked:
        """Return the check of a net as its text is now."""
        path = self.path(uri)
        found = self.nets.fresh(path)
        return found if found is not None else await self.apart(lambda: self.nets.check(path))

    async def check_all(self) -> None:
        """Check the open nets until nothing has changed meanwhile, and show what was found."""
        if self._checking:
            return
        self._checking = True
        try:
            stamp = -1
            while stamp != self.nets.stamp:
                stamp = self.nets.stamp
                for path in list(self.uris):
                    if self.nets.fresh(path) is None:
                        await self.apart(lambda path=path: self.nets.check(path))  # type: ignore[misc]
                self.publish()
        finally:
            self._checking = False

    def publish(self) -> None:
        """Show the diagnostics of all open nets, and take back those of files that have none any more."""
        found = diagnostics_by_path(self.nets, self.uris)
        for path in self.published - set(found):
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(self.uri(path), []))
        for path, listed in found.items():
            text = self.text(path)
            shown = [answers.diagnostic(one, text, where, self.text, self.uri) for one, where in listed]
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(self.uri(path), shown))
        self.published = {path for path, listed in found.items() if listed}


def make_server() -> Server:
    """Return the server with all its answers."""
    server = Server()
    _follow_texts(server)
    _answer_questions(server)
    return server


def _follow_texts(server: Server) -> None:
    @server.feature(types.INITIALIZED)
    async def started(params: types.InitializedParams) -> None:
        folders = server.workspace.folders.values()
        roots = [folder.uri for folder in folders] or ([server.workspace.root_uri] if server.workspace.root_uri else [])
        server.nets.folders = [server.path(uri) for uri in roots]
        watching = (
            server.client_capabilities.workspace and server.client_capabilities.workspace.did_change_watched_files
        )
        if watching and watching.dynamic_registration:
            watched = types.FileSystemWatcher("**/*.{net,csv}")
            options = types.DidChangeWatchedFilesRegistrationOptions([watched])
            wanted = types.Registration("files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
            await server.client_register_capability_async(types.RegistrationParams([wanted]))

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def opened(params: types.DidOpenTextDocumentParams) -> None:
        path = server.path(params.text_document.uri)
        server.uris[path] = params.text_document.uri
        server.nets.open(path, params.text_document.text)
        await server.check_all()

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    async def changed(params: types.DidChangeTextDocumentParams) -> None:
        if params.content_changes:
            server.nets.open(server.path(params.text_document.uri), params.content_changes[-1].text)
            await server.check_all()

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    async def closed(params: types.DidCloseTextDocumentParams) -> None:
        path = server.path(params.text_document.uri)
        server.nets.close(path)
        server.uris.pop(path, None)
        await server.check_all()

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    async def on_disk(params: types.DidChangeWatchedFilesParams) -> None:
        server.nets.changed_on_disk()
        await server.check_all()


def _answer_questions(server: Server) -> None:
    for name, (answer, options) in _ANSWERS.items():
        server.feature(name, options)(_answering(server, answer))

    @server.feature(types.TEXT_DOCUMENT_FORMATTING)
    async def formatting(params: types.DocumentFormattingParams) -> list[types.TextEdit]:
        path = server.path(params.text_document.uri)
        return await server.apart(lambda: answers.formatted(server.text(path)))

    @server.feature("pnsim/preview")
    async def previewed(params: Any) -> dict[str, str] | None:
        """Return the net as its text is now, saved or not; None while it has errors.

        It is simulated in a thread of its own, so that questions need not wait.
        """
        checked = await server.current(params.uri)
        if checked.study is None or checked.study.net is None:
            return None
        return await asyncio.to_thread(preview, checked.study.net, checked.study.problems.sources)


def _answering(server: Server, answer: Callable[[answers.Asked, Any], Result]) -> Callable[[Any], Awaitable[Result]]:
    """Answers when the text as it is now has been checked; what checks other nets as well does so apart."""

    async def answered(params: Any) -> Result:
        checked = await server.current(params.text_document.uri)
        asked = answers.Asked(server.nets, checked, server.text, server.uri)

        def work() -> Result:
            return _or_refuse(lambda: answer(asked, params))

        return await server.apart(work) if answer in (answers.references, answers.rename) else work()

    return answered


_ANSWERS: dict[str, tuple[Callable[[answers.Asked, Any], Any], Any]] = {
    types.TEXT_DOCUMENT_HOVER: (answers.hover, None),
    types.TEXT_DOCUMENT_DEFINITION: (answers.definition, None),
    types.TEXT_DOCUMENT_REFERENCES: (answers.references, None),
    types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT: (answers.highlights, None),
    types.TEXT_DOCUMENT_PREPARE_RENAME: (answers.renamable, None),
    types.TEXT_DOCUMENT_RENAME: (answers.rename, types.RenameOptions(prepare_provider=True)),
    types.TEXT_DOCUMENT_COMPLETION: (answers.completion, types.CompletionOptions(trigger_characters=[".", '"', " "])),
    types.TEXT_DOCUMENT_SIGNATURE_HELP: (
        answers.signature,
        types.SignatureHelpOptions(trigger_characters=["(", ",", " "]),
    ),
    types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: (answers.symbols, None),
    types.TEXT_DOCUMENT_INLAY_HINT: (answers.hints, None),
    types.TEXT_DOCUMENT_CODE_ACTION: (
        answers.quick_fixes,
        types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix]),
    ),
    types.TEXT_DOCUMENT_CODE_LENS: (answers.lenses, None),
}


def _or_refuse(work: Callable[[], Result]) -> Result:
    """Return an answer, or what an editor shows where it was refused."""
    try:
        return work()
    except LanguageError as error:
        told = error.diagnostics[0]
        words = "; ".join((told.message, *told.notes, *told.hints))
        raise JsonRpcException(words, REQUEST_FAILED) from None
