#!/usr/bin/env python3
"""Creates the light and dark pictures of a report from the current output of `pledge`. Run it after you change the report.

    python3 Tests/RepositoryTests/Documentation/pictures.py      # needs a debug build, and Chromium for the page
"""
import html
import os
import pathlib
import subprocess
import tempfile

root = pathlib.Path(__file__).resolve().parents[3]
folder = root / "Sources/PledgeCommand/PledgeCommand.docc/Resources"
tool = root / ".build/debug/pledge"
lines = 31


def report(*arguments):
    environment = {"PATH": os.environ["PATH"], "COLUMNS": "80", "LANG": "C.UTF-8"}
    return subprocess.run([tool, "report", "--demo", *arguments], env=environment, check=True, capture_output=True, text=True).stdout


def terminal(text, ink, paper):
    rows = [
        f'<text x="16" y="{28 + 19 * row}" xml:space="preserve">{html.escape(line)}</text>'
        for row, line in enumerate(text.split("\n")[:lines]) if line
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="720" height="{24 + 19 * lines}" role="img">\n'
        f'<title>pledge report, in a terminal</title>\n<rect width="100%" height="100%" rx="8" fill="{paper}"/>\n'
        f'<g font-family="ui-monospace, Menlo, Consolas, \'DejaVu Sans Mono\', monospace" font-size="14" fill="{ink}">\n'
        + "\n".join(rows) + "\n</g>\n</svg>\n")


def page(source, name, scheme):
    with tempfile.TemporaryDirectory() as scratch:
        file = pathlib.Path(scratch, "page.html")
        file.write_text(source)
        subprocess.run(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=900,700",
             f"--blink-settings=preferredColorScheme={scheme}", f"--user-data-dir={scratch}/profile",
             f"--screenshot={folder / name}", file.as_uri()],
            check=True, capture_output=True)


folder.mkdir(exist_ok=True)
text = report()
(folder / "terminal.svg").write_text(terminal(text, "#1f2328", "#f6f8fa"))
(folder / "terminal~dark.svg").write_text(terminal(text, "#e6edf3", "#161b22"))
markup = report("--html", "-")
page(markup, "page.png", 1)
page(markup, "page~dark.png", 0)
