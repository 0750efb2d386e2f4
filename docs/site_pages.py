"""What `make docs` adds to the pages of this folder: those from elsewhere, links to them, and a list for assistants.

MkDocs calls `on_files` and `on_page_markdown`.
"""

from __future__ import annotations

import os
import re
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
    return with_links(markdown, sources.get(path, f"docs/{path}"))


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
