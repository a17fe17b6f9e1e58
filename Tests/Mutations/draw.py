"""Mistakes drawn by chance from the sources: what nobody thought of when the tests were written."""
import collections
import random
import re

# A change of one line of code: its file, its number, and what it becomes.
Drawn = collections.namedtuple("Drawn", "module name path number line tests", defaults=[None])

swaps = [
    (" == ", " != "), (" < ", " <= "), (" > ", " >= "), (" && ", " || "), (" + ", " - "), (" += ", " -= "), ("..<", "..."),
    ("true", "false"), ("min(", "max("), (".first", ".last"), (".now()", ".uptime()"),
]


def word(text):
    """A pattern for the text, as a word where it is one."""
    return (r"(?<!\w)" if text[0].isalpha() else "") + re.escape(text) + (r"(?!\w)" if text[-1].isalpha() else "")


# Each kind finds places in a line of code, in which texts and comments are blank, and says what stands there instead.
kinds = {
    "another operator": [
        (word(one), lambda found, other=other: other) for swap in swaps for one, other in (swap, swap[::-1])],
    "another number": [
        (r"(?<![\w.$])\d[\d_]*(?![\w.])", lambda found: str(int(found[0].replace("_", "")) + 1)),
        (r"(?<![\w.$])[1-9][\d_]*(?![\w.])", lambda found: str(int(found[0].replace("_", "")) - 1))],
    "negated": [
        (r"(?<![\w)!])!(?=[\w(])", lambda found: ""),
        (r"(?<=\bif )[^,{}=]+(?= \{)", lambda found: f"!({found[0]})"),
        (r"(?<=\bguard )[^,{}=]+(?= else)", lambda found: f"!({found[0]})"),
        (r"(?<= where )[^,{}=]+(?= \{)", lambda found: f"!({found[0]})")],
    "a statement dropped": [
        (r"(?<=^)(?:try )?(?:self\.)?[a-z][\w.?\[\]]*\([^{}]*\)$", lambda found: ""),
        (r"(?<=^)(?:self\.)?[a-z][\w.?\[\]]* (?:[-+|]?=) [^{}]*[\w)\]]$", lambda found: "")],
    "a defer dropped": [(r"(?<=^)defer \{ .* \}$", lambda found: "")],
    "two arguments swapped": [
        (r"(?<=[(:] )?\b([\w.]+), ([\w.]+)(?=\))", lambda found: f"{found[2]}, {found[1]}"),
        (r"\b(\w+): ([\w.]+), (\w+): ([\w.]+)(?=[,)])",
         lambda found: f"{found[1]}: {found[4]}, {found[3]}: {found[2]}")],
    "a guard dropped": [(r"(?<=^)(?:if|guard) [^{}]* \{ (?:return|continue|throw) ?[^{}]*\}$", lambda found: "")],
}
# What is not a decision: declarations, imports, cases, attributes, what only a compiler for another system sees.
skipped = re.compile(r"\s*(?://|@|extension |import |package import|public import|internal import|case \w+[,(\s]?.*[^:]$|#|\*|\}$|$)")


def blanked(text):
    """The text with its literals and comments blank, each as long as it was."""
    def blank(found):
        return re.sub(r"[^\n]", " ", found[0])
    return re.sub(r'#?"""[\s\S]*?"""#?|#"[^\n]*?"#|"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*[\s\S]*?\*/', blank, text)


def mistakes(path, text, module):
    """All mistakes of a file, by their kind."""
    found = collections.defaultdict(list)
    code = blanked(text).splitlines()
    for number, (line, blank) in enumerate(zip(text.splitlines(), code)):
        if skipped.match(line):
            continue
        indentation = len(line) - len(line.lstrip())
        for kind, rules in kinds.items():
            for pattern, change in rules:
                for match in re.finditer(pattern, blank[indentation:].rstrip()):
                    # What stands there is taken from the line itself: a condition may hold a text.
                    start, end = match.start() + indentation, match.end() + indentation
                    if blank[start:end] != line[start:end]:
                        continue
                    after = line[:start] + change(match) + line[end:]
                    if after != line:
                        name = f"{kind}: `{line.strip()}` → `{after.strip() or 'nothing'}`"
                        found[kind].append(Drawn(module, name, path, number, after))
    return found


def draw(files, seed, module):
    """The mistakes of a module in an order that the seed decides; each kind comes as often as the others.

    `files` are its paths with their texts.
    """
    chance, found = random.Random(f"{seed} {module}"), collections.defaultdict(list)
    for path, text in files.items():
        for kind, some in mistakes(path, text, module).items():
            found[kind] += some
    for some in found.values():
        chance.shuffle(some)
    while found:
        kind = chance.choice(sorted(found))
        yield found[kind].pop()
        if not found[kind]:
            del found[kind]


def shares(sizes, count, seed):
    """How many of the mistakes each module has, by its size."""
    names = sorted(sizes)
    return collections.Counter(random.Random(seed).choices(names, [sizes[name] for name in names], k=count))
