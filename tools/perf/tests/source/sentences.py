# SPDX-License-Identifier: GPL-2.0
# Sentences of a page in AsciiDoc that have too many words: sentences.py WORDS PAGE... A command in quotes counts as one word.
import re
import sys


def paragraphs(text):
    """(line, text) of each paragraph of prose: without examples, tables, titles and the names of options."""
    block, item, words, start = None, False, [], 0
    for number, line in enumerate(text.split("\n") + [""], 1):
        title = len(words) == 1 and re.fullmatch(r"[-=~^]{2,}", line) and abs(len(words[0]) - len(line)) <= 2
        fence = re.fullmatch(r"-{4,}|\.{4,}|\+{4,}|\[verse\]", line) and not title
        term = re.fullmatch(r"\s*(\S.*?)::(\s+(?P<rest>\S.*))?", line)
        point = re.match(r"\s*(?:\*+|-|\.)\s+(?=\S)", line)
        if block:
            block = None if line == ("" if block == "[verse]" else block) else block
            continue
        if words and (title or fence or term or point or not line.strip() or line == "+" or line.startswith(("|", "["))):
            if not title:
                yield start, " ".join(words)
            words = []
        if fence:
            block = line
        elif term:
            item = not term["rest"]
            if term["rest"]:
                start, words = number, [term["rest"]]
        elif line.strip() and line != "+" and not title and not line.startswith(("|", "[", "//")):
            if line[0] in " \t" and not words and not item and not point:
                continue  # an example
            if not words:
                start = number
            words.append(line[point.end():] if point else line.strip())
            item = False


def sentences(text):
    text = re.sub(r"`[^`]+`|(?<!\w)'[^']+'(?!\w)|\"[^\"]+\"", lambda quoted: re.sub(r"\s|[.?!](?=.)", "_", quoted[0]), text)
    return re.split(r"(?<=[.?!])['\")]*\s+", text)


def main():
    most, failed = int(sys.argv[1]), False
    for name in sys.argv[2:]:
        with open(name, encoding="utf-8") as page:
            for line, text in paragraphs(page.read()):
                if re.fullmatch(r"(\S+\(\d\),? ?)+", text):
                    continue  # SEE ALSO
                for sentence in sentences(text):
                    words = sum(1 for word in sentence.split() if re.search(r"\w", word))
                    if words > most:
                        failed = True
                        print(f"{name}:{line}: {words} words: {sentence}")
    return failed


sys.exit(main())
