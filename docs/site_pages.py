"""What `make docs` adds to the pages of this folder: those from elsewhere, links to them, links that open nets in the
browser, and a list for assistants.

MkDocs calls `on_files`, `on_page_markdown` and `on_post_build`.
"""

from __future__ import annotations

import base64
import json
import logging
import os
import re
import shutil
import zlib
from pathlib import Path, PurePosixPath
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[1]
ELSEWHERE: Final = {
    "README.md": "overview.md",
    "ARCHITECTURE.md": "architecture.md",
    "petri/native/INTERNALS.md": "internals.md",
}
INSTEAD: Final = {"nets/patterns": "docs/patterns.md"}
"""Folders without a page of their own, each with the page that describes it."""
PLAYGROUND: Final = ROOT / "build" / "playground"
NET_BLOCK: Final = re.compile(
    r"^<!-- (?P<what>file|net|result): (?P<name>[\w/]+)(?P<suffix>\.net)? -->\n```\w*\n(?P<text>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)
OF_LIBRARY: Final = re.compile(r"`(?:nets/)?([\w/]+?)(?:\.net)?`|\bpnsim run (\w+)\b(?!\.net)")
READS_A_FILE: Final = re.compile(r'"[^"\n]+\.(csv|pcap|pcapng|parquet)"')
LINK: Final = re.compile(r"(\]\(|src=\"|href=\")(?!\w+:|#|/)([^)\s\"#]+)")


def on_files(files: Any, config: Any) -> Any:
    """Add the pages that are elsewhere."""
    from mkdocs.structure.files import File

    for source, page in ELSEWHERE.items():
        files.append(File.generated(config, page, content=(ROOT / source).read_text("utf-8")))
    files.append(
        File.generated(config, "llms.txt", content=for_assistants((ROOT / "docs/README.md").read_text("utf-8")))
    )
    return files


def for_assistants(first_page: str) -> str:
    """Return the site's `llms.txt`: what pnsim is, the text that teaches it, and every page with a sentence on it."""
    about = first_page.split("\n\n")[1].replace("\n", " ")
    rows = re.findall(r"^\| \[[^]]+\]\(([^)#]+\.md)\)[^|]*\| (.+) \|$", first_page, re.MULTILINE)
    plain = [
        (site_path(os.path.normpath(f"docs/{path}")), re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", what))
        for path, what in rows
    ]
    pages = [("skill/SKILL.md", "the language for an assistant: read this first"), *plain]
    lines = [f"- [{path.removesuffix('.md')}]({path.removesuffix('.md')}.html): {what}" for path, what in pages]
    return "\n".join(["# pnsim", "", f"> {about}", "", "## Pages", "", *lines, ""])


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    path = page.file.src_uri
    sources = {there: source for source, there in ELSEWHERE.items()}
    return with_nets_to_open(with_links(markdown, sources.get(path, f"docs/{path}")), path)


def on_post_build(config: Any) -> None:
    """Put the playground beside the pages, where it has been made."""
    if (PLAYGROUND / "index.html").exists():
        shutil.copytree(PLAYGROUND, Path(config["site_dir"]) / "playground")
    else:
        said = (
            "the links `Open in the browser` lead nowhere: `make playground`, and then `make docs`, puts the page there"
        )
        logging.getLogger("mkdocs.hooks").info(said)


def with_nets_to_open(markdown: str, page: str) -> str:
    """Return the text of a page of the site with a link below each complete net, which opens it in the browser.

    A page of models has links to the nets of the library that it names below its title, and the first page one to the
    playground.
    """
    here = PurePosixPath(page).parent

    def link(name: str, text: str, label: str) -> str:
        return f'<a href="{os.path.relpath("playground/index.html", here)}{fragment(name, text)}">{label}</a>'

    linked: set[str] = set()

    def below(block: re.Match[str]) -> str:
        name, text = block["name"], block["text"]
        if block["what"] == "file":
            complete = block["suffix"] is not None and not READS_A_FILE.search(text)
        else:
            text = net_of_library(name)
            complete = block["suffix"] is None and text != ""
        if not complete or text in linked:
            return block[0]
        linked.add(text)
        return f"{block[0]}\n\n{link(name, text, 'Open in the browser')}"

    if page == "README.md":
        opened = f'<a href="{os.path.relpath("playground/index.html", here)}">Open pnsim in the browser</a>'
        return re.sub(r"\n\n(?=!\[)", lambda _: f"\n\n{opened}: there is nothing to install.\n\n", markdown, count=1)
    markdown = NET_BLOCK.sub(below, markdown)
    if not page.startswith("models/"):
        return markdown
    names = dict.fromkeys(one or other for one, other in OF_LIBRARY.findall(markdown))
    links = [link(name, text, name) for name in names if (text := net_of_library(name))]
    title, rest = markdown.split("\n", 1)
    return f"{title}\n\nOpen in the browser: {', '.join(links)}\n{rest}" if links else markdown


def net_of_library(name: str) -> str:
    """Return the text of a complete net of the library; empty if it has none of this name."""
    found = next((path for path in (ROOT / "nets").rglob("*.net") if path.stem == name.rpartition("/")[2]), None)
    return "" if found is None else found.read_text("utf-8")


def fragment(name: str, text: str) -> str:
    """Return the part of an address behind which the playground shows a net, as its button *Share* makes it."""
    packed = zlib.compress(json.dumps({"name": name, "text": text}, ensure_ascii=False).encode(), 9, wbits=-15)
    return "#" + base64.urlsafe_b64encode(packed).decode().rstrip("=")


def with_links(markdown: str, source: str) -> str:
    """Return the text of a file of the repository, with its links as they are between pages of the site.

    Links to files that are not pages, such as nets, become links to nothing, and so a warning.
    """
    here = PurePosixPath(site_path(source))

    def rewritten(found: re.Match[str]) -> str:
        target = os.path.normpath(PurePosixPath(source).parent / found[2])
        target = INSTEAD.get(target, target)
        return found[1] + os.path.relpath(site_path(target), here.parent)

    return LINK.sub(rewritten, markdown)


def site_path(path: str) -> str:
    """`language.md` of `docs/language.md`, `overview.md` of `README.md`; others stay outside, as `../nets/mm1.net`."""
    return ELSEWHERE.get(path) or os.path.relpath(path, "docs")
