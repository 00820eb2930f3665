#!/usr/bin/env python3
"""Prints the tables of src/tokenize/reference_classes.cc, by asking.

Hugging Face's library is asked for each of the 1,112,064 scalar values what
its normalizers and pre-tokenizers do with it. Run with the library installed
(`pip install tokenizers==0.23.3`); takes some 20 seconds. The output is C++,
to be compared with the tables that stand in the file.
"""
from tokenizers import normalizers, pre_tokenizers

CODE_POINTS = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]


def ranges(code_points):
    result = []
    for c in code_points:
        if result and result[-1][1] == c - 1:
            result[-1][1] = c
        else:
            result.append([c, c])
    return result


def print_rows(declaration, rows):
    print(declaration)
    line = "   "
    for row in rows:
        if len(line) + len(row) + 2 > 80:
            print(line)
            line = "   "
        line += " " + row + ","
    print(line)
    print("};\n")


def print_class(name, belongs):
    members = [c for c in CODE_POINTS if belongs(chr(c))]
    rows = [f"{{0x{a:X}, 0x{b:X}}}" for a, b in ranges(members)]
    print_rows(f"constexpr Range {name}[] = {{", rows)


def bert(**only):
    options = dict(clean_text=False, handle_chinese_chars=False,
                   strip_accents=False, lowercase=False)
    return normalizers.BertNormalizer(**{**options, **only})


def lower_runs(lower):
    """(first, last, stride, delta) of code points with one lower-case form."""
    keys = sorted(lower)
    at = 0
    while at < len(keys):
        first = keys[at]
        delta = lower[first] - first
        count, stride = 1, 1
        for step in (1, 2):
            n = 1
            while (lower.get(first + n * step) == first + n * step + delta
                   and (step == 1 or first + n * step - 1 not in lower)):
                n += 1
            if n > count:
                count, stride = n, step
        last = first + (count - 1) * stride
        yield first, last, stride, delta
        at = keys.index(last) + 1


def main():
    clean = bert(clean_text=True)
    accents = bert(strip_accents=True)
    strip = normalizers.StripAccents()
    bert_words = pre_tokenizers.BertPreTokenizer()
    digits = pre_tokenizers.Digits(individual_digits=True)
    words = pre_tokenizers.Whitespace()

    def pieces(pre_tokenizer, text):
        return [piece for piece, _ in pre_tokenizer.pre_tokenize_str(text)]

    print_class("kRemoved", lambda s: clean.normalize_str(s) == "")
    print_class("kNonspacing", lambda s: accents.normalize_str(s) == "")
    print_class("kMark", lambda s: strip.normalize_str(s) == "")
    print_class("kPunctuation",
                lambda s: len(pieces(bert_words, "a" + s + "a")) == 3)
    print_class("kNumeric", lambda s: len(pieces(digits, "a" + s + "a")) == 3)
    print_class("kWord", lambda s: pieces(words, "a" + s) == ["a" + s])
    lower = normalizers.Lowercase()
    forms = {c: lower.normalize_str(chr(c)) for c in CODE_POINTS}
    single = {c: ord(f) for c, f in forms.items() if len(f) == 1 and ord(f) != c}
    print_rows("constexpr LowerRange kLower[] = {",
               [f"{{0x{a:X}, 0x{b:X}, {s}, {d}}}"
                for a, b, s, d in lower_runs(single)])
    for c, form in forms.items():
        if len(form) > 1:
            print(f"// U+{c:04X} becomes",
                  " ".join(f"U+{ord(x):04X}" for x in form))


if __name__ == "__main__":
    main()
