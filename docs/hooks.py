"""The pages of the site: the repository's documents under their own paths, and the picture.

So a link between two documents is the same on the site and in the repository, and the generated
references are included, not copied.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import graphviz
from mkdocs.structure.files import File, Files

from apps.reference import JOINS, PICTURE

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("apps", "ingest", "ingest/readers/*", "sql", "udfs", "tests/bench")
PAGES = ("*.md", "docs/**/*.md", *(f"{one}/README.md" for one in FOLDERS))
# what pages link to, and need
LINKED = ("sql/cookbook/*.sql", "apps/demo/*.ipynb", "docs/*.css")
MERMAID = re.compile(r"```mermaid\n.*?```", re.DOTALL)
PLACE = "<!-- the schema in a picture -->"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Return the documents and what they link to, and the files of the theme."""
    kept = [file for file in files if file.src_dir != config.docs_dir]
    found = sorted(path for pattern in (*PAGES, *LINKED) for path in ROOT.glob(pattern))
    named = [
        File.generated(config, path.relative_to(ROOT).as_posix(), abs_src_path=str(path))
        for path in found
    ]
    return Files([*kept, *named])


def on_page_markdown(markdown: str, **_: object) -> str:
    """Return a page with the picture of the schema drawn: as text it would need a script."""
    if not shutil.which("dot"):
        return markdown
    return MERMAID.sub(lambda _: drawn(), markdown).replace(PLACE, drawn())


def drawn() -> str:
    """Return the tables that files land in, and their joins, as SVG."""
    graph = graphviz.Digraph("schema", graph_attr={"rankdir": "LR"}, node_attr={"shape": "record"})
    for table, columns in PICTURE.items():
        graph.node(table, "|".join([table, columns.replace(" ", r"\l") + r"\l"]))
    for one, many, on in JOINS:
        graph.edge(one, many, label=on, arrowhead="crow")
    svg = graph.pipe(format="svg", encoding="utf-8")
    # A blank line would end the HTML.
    return f'<div class="picture">{svg[svg.index("<svg") :]}</div>'.replace("\n", "")
