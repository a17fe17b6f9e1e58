"""Makes random mistakes in the sources, to find mistakes that nobody thought of when the tests were written."""
import collections
import random
import re

# A mistake in one line of code: the path of the file, the number of the line, and the new line. The new line has the mistake
# behind a switch.
Drawn = collections.namedtuple("Drawn", "module name path number line")

# This code is added to each module. The function is public because inlinable functions can have mistakes, too. Each module has
# its own function, which hides those of imported modules.
switch = """import Foundation
private let chosen = ProcessInfo.processInfo.environment["PLEDGE_MUTANT"].flatMap { Int($0) }
public func mutant(_ number: Int) -> Bool { chosen == number }
"""

swaps = [
    (" == ", " != "), (" < ", " <= "), (" > ", " >= "), (" && ", " || "), (" + ", " - "), (" += ", " -= "),
    ("true", "false"), ("min", "max"), (".first", ".last"), (".now()", ".uptime()"),
]


def word(text):
    """Returns a pattern for the text. If the text begins or ends with a letter, the pattern matches only whole words."""
    return (r"(?<!\w)" if text[0].isalpha() else "") + re.escape(text) + (r"(?!\w)" if text[-1].isalpha() else "")


# Each kind of mistake has patterns, which are searched for in a line of code after literals and comments have been blanked out.
# The function after a pattern returns the code that replaces the match; its arguments are the match and its groups. If there is
# None instead of a function, the statement is dropped.
binding = r"(?!(?:.* )?(?:let|case|var) )"
kinds = {
    "another operator": [
        (word(one), lambda *_, other=other: other) for swap in swaps for one, other in (swap, swap[::-1])],
    "another end": [(r"\.\.<(?=\S)", lambda _: "..<1 + "), (r"\.\.\.(?=[\w(])", lambda _: "...(-1) + ")],
    "another number": [
        (r"(?<![\w.$])\d[\d_]*(?![\w.])", lambda found: str(int(found.replace("_", "")) + 1)),
        (r"(?<![\w.$])[1-9][\d_]*(?![\w.])", lambda found: str(int(found.replace("_", "")) - 1))],
    "negated": [
        (r"(?<![\w)!])!(?=[\w(])", lambda _: ""),
        (rf"(?:(?<=\bif )|(?<= where )){binding}[^,{{}}=]+(?= \{{)", "!({})".format),
        (rf"(?<=\bguard ){binding}[^,{{}}=]+(?= else)", "!({})".format)],
    "two arguments swapped": [
        (r"(?<!min)(?<!max)(?<!let )(?<!var )\(([\w.]+), ([\w.]+)\)", "({2}, {1})".format),
        (r"\((\w+): ([\w.]+), (\w+): ([\w.]+)\)", "({1}: {4}, {3}: {2})".format)],
    "a statement dropped": [
        (r"^(?:try )?(?:self\.)?[a-z][\w.?\[\]]*\([^{}]*\)$", None),
        (r"^(?:self\.)?[a-z][\w.?\[\]]* (?:[-+|]?=) [^{}]*[\w)\]]$", None)],
    "a defer dropped": [(r"(?<=^defer \{ ).*(?= \}$)", None)],
    "a guard dropped": [(rf"^(?:if|guard {binding})[^{{}}]* \{{ (?:return|continue|throw) ?[^{{}}]*\}}$", None)],
}
# A compilation condition with one of these words holds on this system, unless the condition is negated.
ours = re.compile("Linux|Glibc|Musl|FoundationNetworking|compiler|swift|DEBUG")
# Lines without a decision: declarations, imports, cases, and attributes. Assertions are skipped, too, because they only fail
# after another mistake.
skipped = re.compile(
    r"\s*(?://|@|assert\(|extension |import |package import|public import|internal import|case \w+[,(\s]?.*[^:]$|#|\*|\}$|$)")
# What an expression can follow, and what can follow an expression, apart from brackets and commas.
opens = re.compile(r"( [-+|]?= |\b(?:return|if|guard|while|switch|where|in|throw|case) |[^ ]: | [?:] )$")
closes = re.compile(r" [-+|]?= | else\b| where | in\b| [?:] |:$| \{(?!.*\})|;")
# Assignments that `InitializerTests` checks by reading the source text. A switch leaves them in the text, so the test notices
# nothing.
stored = re.compile(r"self\.(\w+) = \1$")
head = re.compile(r"(?:\} else )?(?:if|guard|while|for|switch) [^{]*$")
connectives = (" && ", " || ")


def blanked(text):
    """Returns the text with spaces instead of comments and quotation marks instead of literals. The length stays the same."""
    def blank(found):
        return re.sub(r"[^\n]", " " if found[0][0] == "/" else '"', found[0])
    return re.sub(r'#?"""[\s\S]*?"""#?|#"[^\n]*?"#|"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*[\s\S]*?\*/', blank, text)


def expression(code, start, end):
    """Returns the range of the expression around a place in a line; None if the expression continues in another line."""
    joined = code[start:end] in connectives
    depth = 0
    while start > 0:
        here = code[:start]
        if depth == 0 and (here[-1] in "([{," or opens.search(here) or (not joined and here[-4:] in connectives)):
            break
        depth += (here[-1] in ")]}") - (here[-1] in "([{")
        start -= 1
    depth, is_condition = 0, head.match(code[:start])
    while end < len(code):
        if depth == 0 and (
                code[end] in ")]}," or closes.match(code, end) or (is_condition and code[end:end + 2] == " {")
                or (not joined and code[end:end + 4] in connectives)):
            break
        depth += (code[end] in "([{") - (code[end] in ")]}")
        end += 1
    return None if depth else (start, end)


def mistakes(path, text, module):
    """Returns all possible mistakes in a file, by kind."""
    found = collections.defaultdict(list)
    code, elsewhere = blanked(text).split("\n"), []
    for number, (line, blank) in enumerate(zip(text.split("\n"), code)):
        if step := re.match(r"\s*#(if|else|endif)(.*)", line):
            was = step[1] == "if" or elsewhere.pop()
            if step[1] != "endif":
                other = bool(ours.search(step[2])) == ("!" in step[2][:2])
                elsewhere.append(not was if step[0].strip() == "#else" else other)
        if any(elsewhere) or skipped.match(line):
            continue
        margin = " " * (len(line) - len(line.lstrip(" ")))
        line, blank = line[len(margin):], blank[len(margin):].rstrip(" ")
        if module in ("ExistKit", "MyDataHelpsKit") and stored.match(line):
            continue
        for kind, pattern, change in [(kind, *rule) for kind, rules in kinds.items() for rule in rules]:
            for match in re.finditer(pattern, blank):
                start, end = match.span()
                # The old code is taken from the line itself, because literals are blanked out in `blank`.
                old = [line[slice(*match.span(group))] for group in range(match.re.groups + 1)]
                new = change(*old) if change else ""
                after = line[:start] + new + line[end:]
                if change:
                    if after == line or not (whole := expression(blank, start, end)):
                        continue
                    one, two = line[whole[0]:start] + new + line[end:whole[1]], line[slice(*whole)]
                    (start, end), switched = whole, f"(mutant(@) ? ({one.strip()}) : ({two.strip()})) "
                else:
                    switched = f"if !mutant(@) {{ {old[0]} }}"
                name = f"{kind}: `{line}` → `{after or 'nothing'}`"
                found[kind].append(Drawn(module, name, path, number, margin + line[:start] + switched + line[end:]))
    return found


def draw(files, count, seed, module):
    """Returns random mistakes in the files of a module, at most one for each line. All kinds are equally likely.

    The same seed leads to the same mistakes.
    """
    chance, found, taken = random.Random(f"{seed} {module}"), collections.defaultdict(list), {}
    for path, text in files.items():
        for kind, some in mistakes(path, text, module).items():
            found[kind] += some
    for some in found.values():
        chance.shuffle(some)
    while found and len(taken) < count:
        kind = chance.choice(sorted(found))
        edit = found[kind].pop()
        taken.setdefault((edit.path, edit.number), edit)
        if not found[kind]:
            del found[kind]
    return list(taken.values())
