#!/usr/bin/env python3
"""Lists English that is probably hard to read, in comments, test titles, messages, and articles.

    english.py            fails if a text has a negated noun, such as "is no file" in place of "isn't a file"
    english.py --all      also lists sentences without a subject, such as "Also if …", and sentences above 40 words.
                          These are only worth a look: many of them read well.
"""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parents[3]
# "There is no …" and "is no longer …" are good English. "It is none of …" is, too.
negated = re.compile(
    r"(?<!there )(?<!there may )(?<!there can )\b(is|are|was|were|be) (no|none)\b(?! (longer|more|less|of|matter)\b)",
    re.IGNORECASE)
fragment = re.compile(r"(Also|By|With|Of which|Nor|As|Else)\b[^,:]*[.]?$")
longest = 40


def comments(lines):
    """Yields the line and the text of each block of comments. Code in a doc comment is left out."""
    block, start, is_code = [], 0, False
    for number, line in enumerate([*lines, ""], 1):
        text = re.match(r"\s*//[/!]? ?(.*)", line)
        if text and text[1].startswith("```"):
            is_code = not is_code
        elif text and text[1] and not is_code:
            if block and text[1].lstrip().startswith("- "):
                yield start, " ".join(block)
                block = []
            start = start if block else number
            block.append(text[1].lstrip("- "))
        elif not is_code:
            if block:
                yield start, " ".join(block)
            block = []
        if not text:
            is_code = False


def messages(lines):
    """Yields the line and the text of each string literal that reads like a sentence."""
    for number, line in enumerate(lines, 1):
        if not line.lstrip().startswith("//"):
            for text in re.findall(r'"((?:[^"\\]|\\.)*)"', line):
                if text.count(" ") > 2:
                    yield number, text


def titles(lines):
    """Yields the line and the title of each test and suite."""
    for title in re.finditer(r'@(?:Test|Suite)\(\s*"((?:[^"\\]|\\.)*)"', text := "\n".join(lines)):
        yield text[: title.start()].count("\n") + 1, title[1]


def paragraphs(lines):
    """Yields the line and the text of each paragraph, list item, and row of an article, without its code."""
    block, start, is_code = [], 0, False
    for number, line in enumerate([*lines, ""], 1):
        if line.lstrip().startswith("```"):
            is_code = not is_code
            line = ""
        if is_code:
            continue
        if block and (not line.strip() or re.match(r"\s*([-*#|<]|\d+\.)", line)):
            yield start, " ".join(block)
            block = []
        if line.strip():
            start = start if block else number
            block.append(re.sub(r"^([-*]|\d+\.) ", "", line.strip()))


def texts():
    for pattern in ("Sources/**/*", "Tests/**/*", "Playgrounds/**/*", ".github/*.md", "*.md", "Package.swift"):
        for path in sorted(root.glob(pattern)):
            if ".build" in path.parts or not path.is_file():
                continue
            if path.suffix in (".swift", ".h", ".c"):
                lines = path.read_text().split("\n")
                readers = [comments, titles if path.is_relative_to(root / "Tests") else messages]
            elif path.suffix == ".md":
                lines = path.read_text().split("\n")
                readers = [paragraphs]
            else:
                continue
            for reader in readers:
                for number, text in reader(lines):
                    yield f"{path.relative_to(root)}:{number}", text


def main():
    faults, looks = [], []
    for place, text in texts():
        text = re.sub(r"`[^`]*`|“[^”]*”", "X", re.sub(r"\s+", " ", text))
        for sentence in re.split(r"(?<=[.!?]) +(?=[A-Z“`X])", text):
            if negated.search(sentence):
                faults.append(f"{place}: a negated noun: {sentence}")
            if fragment.match(sentence) and sentence.endswith("."):
                looks.append(f"{place}: perhaps without a subject: {sentence}")
            if "|" not in sentence and len(sentence.split()) > longest:
                looks.append(f"{place}: {len(sentence.split())} words: {sentence}")
    print("\n".join(faults + (looks if "--all" in sys.argv else [])) or "no negated nouns")
    print(f"{len(looks)} sentences to look at, which --all lists")
    sys.exit(bool(faults))


main()
