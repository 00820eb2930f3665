#!/usr/bin/env python3
"""Compares our Jinja interpreter with Python's jinja2, as transformers uses it.

Two uses:
  jinja_differential.py --write
      renders the snippets below and tests/unit/chat/templates/*.jinja with
      jinja2 and writes tests/unit/chat/jinja_golden.jsonl, which the unit test
      chat reads. Needs the package jinja2 (3.1).
  jinja_differential.py --renderer BIN [--random N] [--seed S]
      also runs BIN (the program chat_render) on all of them, and on N random
      templates made of the snippets' parts, and lists every difference. Exit 1
      when there is one. A construct that BIN refuses as unsupported is counted,
      not compared.

The environment is the one of transformers (utils/chat_template_utils.py):
an immutable sandbox, trim_blocks, lstrip_blocks, loop controls, a tojson that
does not escape, raise_exception, strftime_now; here with a fixed date.
"""
import argparse
import datetime
import json
import pathlib
import random
import subprocess
import sys

import jinja2
import jinja2.ext
import jinja2.sandbox

HERE = pathlib.Path(__file__).resolve().parent
UNIT = HERE.parent / "unit" / "chat"
NOW = datetime.datetime(2026, 7, 4, 15, 5, 9)
KIND_UNSUPPORTED = 3  # ErrorKind::kUnsupported


class GenerationTag(jinja2.ext.Extension):
    """{% generation %}: prints its body; what it marks is not compared here."""

    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        call = self.call_method("_render")
        return jinja2.nodes.CallBlock(call, [], [], body).set_lineno(line)

    def _render(self, caller):
        return caller()


def environment():
    env = jinja2.sandbox.ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True,
        extensions=[GenerationTag, jinja2.ext.loopcontrols])

    def raise_exception(message):
        raise jinja2.exceptions.TemplateError(message)

    def tojson(x, ensure_ascii=False, indent=None, separators=None,
               sort_keys=False):
        return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent,
                          separators=separators, sort_keys=sort_keys)

    env.filters["tojson"] = tojson
    env.globals["raise_exception"] = raise_exception
    env.globals["strftime_now"] = lambda form: NOW.strftime(form)
    return env


VARIABLES = {
    "messages": [
        {"role": "system", "content": "You are brief."},
        {"role": "user", "content": "  Name a colour.\n"},
        {"role": "assistant", "content": "<think>\nHm.\n</think>\n\nBlue – «bleu» 蓝.",
         "tool_calls": None},
        {"role": "user", "content": [{"type": "image"},
                                     {"type": "text", "text": "And this?"}]},
        {"role": "assistant", "content": None, "tool_calls": [
            {"type": "function", "id": "call_0001", "function": {
                "name": "look", "arguments": {"x": 1, "y": [1.5, True, None]}}}]},
        {"role": "tool", "name": "look", "content": "{\"seen\": \"a \\\"cat\\\"\"}"},
        {"role": "assistant", "content": "A cat 🐈."},
    ],
    "tools": [{"type": "function", "function": {
        "name": "look", "description": "Looks at x < y & \"z\"\u00e9",
        "parameters": {"type": "object", "properties": {
            "x": {"type": "integer", "description": "where"},
            "y": {"type": "array", "items": {"type": "number"}}},
            "required": ["x"]}}}],
    "documents": None, "add_generation_prompt": True,
    "bos_token": "<s>", "eos_token": "</s>",
    "s": "Hello, World", "u": "Grüße, 世界! ", "e": "", "w": "  \t pad ded \n",
    "n": 7, "m": -3, "f": 2.5, "g": 1e20, "z": 0, "t": True, "no": False,
    "xs": [3, 1, 2], "names": ["b", "A", "c", "a"], "none_value": None,
    "d": {"b": 2, "a": 1, "C": 3}, "nested": [[1, 2], [3], []],
    "rows": [{"k": "x", "v": 2, "o": {"p": 1}}, {"k": "y", "v": 1, "o": {"p": 2}},
             {"k": "X", "v": 3}],
    "lines": "one\n\n  two\r\nthree\n",
}

# Expressions: each is printed, and the parts of random templates.
EXPRESSIONS = r"""
1 + 2 * 3 - 4
2 ** 3 ** 2
-2 ** 2
7 // 2 ~ '|' ~ -7 // 2 ~ '|' ~ -7 % 3 ~ '|' ~ 7 % -3
7 / 2
7.5 // 2
-7.5 % 2
1e16
1e15
0.1 + 0.2
1e-5
123456789.125
100000000000000000.0
f * 2
g
1 / 3
n * 'ab'
'ab' * 3
s[0] ~ s[-1] ~ s[1:4] ~ s[::-1] ~ s[::2]
u[1:4] ~ u[-2] ~ u[::-1] ~ (u | length)
xs[1:] ~ xs[::-1] ~ xs[-2:]
xs[5] is undefined
d.a ~ d['b'] ~ d.get('C') ~ d.get('x', 9) ~ d.get('x')
d.items() | list
d.keys() | list
d.values() | list
d | dictsort
d | dictsort(true)
d | dictsort(by='value', reverse=true)
d | items | list
d | length ~ (d | list)
messages[0].role ~ messages[0]['content']
messages[0].items is callable
tools[0].function.parameters.properties.y['items'].type
missing
missing is defined
missing.x
missing['x']
missing | default('dflt')
missing | default
e | default('x') ~ '|' ~ e | default('x', true)
none_value | default('x')
missing == none_value
missing | length
missing | list
missing ~ 'x'
missing + 'x'
missing | tojson
not missing
s.upper() ~ s.lower() ~ s.title() ~ s.capitalize() ~ s.swapcase()
s | upper ~ s | lower ~ s | title ~ s | capitalize
'hello wORLD-foo (bar)' | title
"they're bill's" | title ~ "they're bill's".title()
u.lower()
w.strip() ~ '|' ~ w.lstrip() ~ '|' ~ w.rstrip() ~ '|' ~ w | trim
'xxhixx'.strip('x') ~ 'abcab'.lstrip('ab') ~ 'abcab'.rstrip('ab') ~ '..a..' | trim('.')
'\u00a0 nbsp\u3000'.strip()
s.split(', ') ~ s.split('o', 1) ~ w.split() ~ 'a  b c '.split(none, 1) ~ 'a,b,,c'.split(',')
'a b  c d'.rsplit(none, 2) ~ 'a,b,c'.rsplit(',', 1) ~ 'abc'.split('x')
''.split() ~ ''.split(',')
lines.splitlines() ~ lines.splitlines(true)
s.startswith('Hello') ~ s.endswith(('x', 'World')) ~ s.startswith('')
s.replace('l', 'L') ~ s.replace('l', 'L', 1) ~ s | replace('o', '0') ~ s | replace('o', '0', 1)
'abc'.replace('', '-') ~ 'abc'.replace('', '-', 2) ~ ''.replace('', 'x')
s.find('o') ~ s.rfind('o') ~ s.find('x') ~ u.find('世') ~ s.index('W') ~ s.count('l') ~ u.count('')
s.index('x')
'-'.join(['a', 'b']) ~ '-'.join('abc')
'-'.join([1])
'abc'.removeprefix('a') ~ 'abc'.removesuffix('c') ~ 'abc'.removeprefix('x')
'a=b=c'.partition('=') ~ 'a=b=c'.rpartition('=') ~ 'abc'.partition('x')
'12'.isdigit() ~ 'a1'.isalnum() ~ 'ab'.isalpha() ~ 'AB'.isupper() ~ 'ab'.islower() ~ ' '.isspace() ~ '1'.islower()
'7'.zfill(3) ~ '-7'.zfill(4) ~ 'ab'.ljust(4) ~ '|' ~ 'ab'.rjust(4, '.') ~ 'ab'.center(5, '*') ~ 'abc'.center(6, '*')
'x' | center(4) ~ '|'
xs | sort ~ xs | sort(reverse=true) ~ names | sort ~ names | sort(case_sensitive=true)
rows | sort(attribute='v') | map(attribute='k') | join(',')
rows | sort(attribute='k,v') | map(attribute='v') | list
rows | map(attribute='o.p', default='-') | list
rows | selectattr('k', 'equalto', 'x') | list
rows | selectattr('o') | map(attribute='v') | list
rows | rejectattr('o') | map(attribute='v') | list
rows | selectattr('v', '>', 1) | map(attribute='k') | list
rows | selectattr('o', 'defined') | list | length
xs | select('odd') | list ~ xs | reject('odd') | list ~ [0, 1, '', 'a'] | select | list
xs | map('string') | join('+')
names | map('upper') | list
names | unique | list ~ [1, 1.0, true, 2] | unique | list
xs | first ~ xs | last ~ xs | min ~ xs | max ~ xs | sum ~ s | first ~ s | last
rows | sum(attribute='v') ~ (rows | max(attribute='v')).k
[] | first is undefined
[] | max is undefined
xs | reverse | list ~ s | reverse ~ u | reverse
xs | map('abs') | length
(xs | reverse) | length
xs | list ~ s | list ~ (u | list)
xs | join ~ xs | join(', ') ~ rows | join('-', attribute='k') ~ [none_value, true, 1.5] | join('|')
'42' | int ~ '42.7' | int ~ 'x' | int ~ 'x' | int(5) ~ '0x1F' | int(0, 16) ~ 3.9 | int ~ -3.9 | int ~ none_value | int ~ '1_000' | int ~ ' 12 ' | int
'4.5' | float ~ 'x' | float ~ 3 | float ~ '1e3' | float ~ 'inf' | float
m | abs ~ -2.5 | abs ~ 2.5 | round ~ 3.5 | round ~ 2.675 | round(2) ~ 2.1 | round(0, 'ceil') ~ 7 | round
1 | string ~ none_value | string ~ true | string ~ 1.0 | string
lines | indent ~ '|' ~ lines | indent(2, true) ~ '|' ~ lines | indent('> ', blank=true)
tools | tojson
tools | tojson(indent=4)
tools[0] | tojson(indent=2, ensure_ascii=true)
d | tojson(sort_keys=true) ~ d | tojson(separators=(',', ':'))
[1, 1.0, 1e20, 1e-7, true, none_value, 'a"b\\c\n\t\x01é🐈', (1, 2), [], {}] | tojson
{1: 2, none: 3, true: 4, 1.5: 5} | tojson
'é🐈\x7f' | tojson(ensure_ascii=true)
messages[4].tool_calls[0].function.arguments | tojson
{'a': [1, 'x"y', "it's", 'both \' and "', 1.5, none, true, {'b': ()}], 'c': (1,)}
[1, 'é', '\n', '\x7f', '\u200b', '🐈', '\\']
(1, 2) ~ () ~ (1,) ~ [] ~ {}
[1, 2] + [3] ~ (1,) + (2, 3)
[1, 2] == [1, 2] ~ (1, 2) == [1, 2] ~ {'a': 1} == {'a': 1.0} ~ 1 == true ~ 'a' == 'a' ~ none == none
1 < 2 < 3 ~ 1 < 3 < 2 ~ 'a' < 'b' ~ [1, 2] < [1, 3] ~ 2 >= 2 != 3
1 < 'a'
'ell' in s ~ 'x' not in s ~ 2 in xs ~ 'a' in d ~ 'z' not in d ~ 2 in (1, 2) ~ '' in s
1 in s
2 in none_value
2 in missing
t and 'x' or 'y'
no or e or 'last'
t and no
not t or t
'yes' if t else 'no'
'yes' if no
('a' if no else 'b') if t else 'c'
n is number ~ n is integer ~ f is float ~ t is boolean ~ t is integer ~ t is number ~ s is string
d is mapping ~ xs is mapping ~ xs is sequence ~ d is sequence ~ s is sequence ~ s is iterable ~ n is iterable ~ missing is iterable ~ missing is sequence
d.items() is sequence ~ d.items() is iterable ~ (xs | map('abs')) is sequence ~ range(3) is sequence
none_value is none ~ none_value is not none ~ t is true ~ t is false ~ n is true ~ 1 is true
n is odd ~ n is even ~ n is divisibleby 7 ~ n is divisibleby(2) ~ n is eq 7 ~ n is ne(7) ~ n is gt 3 ~ n is in xs ~ 3 is in [3]
'abc' is lower ~ 'ABC' is upper ~ 'upper' is filter ~ 'odd' is test ~ 'nope' is filter
s is sameas s
none is sameas none ~ t is sameas true
messages[2].content is string and '</think>' in messages[2].content
messages[2].content.split('</think>')[-1].lstrip('\n')
messages | selectattr('role', 'equalto', 'user') | list | length
messages | map(attribute='role') | join(' ')
messages[-1].content ~ messages[1:][0].role ~ messages[::-1][0].role
messages[99].role
messages[0].nothing is defined
messages[0].nothing.more
range(3) | list ~ range(1, 7, 2) | list ~ range(3, 0, -1) | list ~ range(5)[1] ~ (range(4) | length)
range(200000)
dict(a=1, b='x') ~ dict({'a': 1}, c=2)
namespace(x=1).x
namespace(x=1).y is defined
strftime_now('%d %b %Y') ~ strftime_now('%A, %B %d, %Y %H:%M:%S %I%p %j %y %a %-d %%')
raise_exception('no ' ~ n)
nofunction(1)
s.nomethod
s.nomethod()
none_value.x is defined
none_value[0] is defined
n.x is defined
xs.append(4)
d.update({'x': 1})
xs.index(2) ~ xs.count(1) ~ (1, 2).index(2)
xs.0 ~ nested[0].1 ~ nested.1
1 if missing else 2
"a" "b" 'c'
'esc: \n \t \\ \' \" \x41 \u00e9 \U0001f408 \101 \q'
"tab\there"
1_000 + 0x1f + 0b11 + 0o17
1.5e3 ~ 1E2 ~ 2.0
true ~ True ~ false ~ False ~ none ~ None
s | length + 1
-m | abs
(-3) | abs
- 3 | abs
s | trim | upper | length
[s, u] | map('length') | list
[[1, 2], [3, 4]] | map('first') | list
[[1, 2], [3, 4]] | sum(start=[]) 
nested | map('length') | sum
x.y.z if false else 'short'
missing or 'fallback'
[missing, 1] | tojson
(d | items | first)[0]
1 in [1.0]
'b' > 'a' > 'A'
s == 'Hello, World' and u != s
''.join(names) | lower
names | join | lower
e | safe
s | safe
'<a>' | escape
'<a href="x">&\'' | e
('<b>' | safe) | length
s | string | list | length
1 == 1.0 ~ 9007199254740993 == 9007199254740992.0 ~ 9007199254740993 > 9007199254740992.0
(1, 'a', none)[1]
[1, 2, 3][-1:] ~ [1, 2, 3][:-1] ~ [1, 2, 3][5:] ~ [1, 2, 3][-9:2] ~ 'abc'[3:1]
[1, 2, 3][::0]
t[:3]
d[:1]
missing[:1]
s['a':]
xs[none:2]
(xs | reverse)[:1]
range(9)[2:6:2] | list
1 / 0
1 // 0
1 % 0
'a' - 'b'
'a' + 1
[1] + (2,)
none + 1
{'a': 1}['a'] ~ {'a': {'b': 2}}.a.b
{'get': 1}.get is callable ~ {'get': 1}['get']
{}.x is defined ~ {}['x'] is defined
{[]: 1}
{'x': 1, 'x': 2}
loop is defined
self is defined
caller is defined
varargs is defined
'%s' is string
lines.split('\n')[0] ~ lines.split('\r\n') | length
(s | list)[2:4] | join
xs | sort | first ~ (xs | sort | last)
not 1 == 2
not (1 in xs) ~ (not 5 in xs)
1 + 1 ~ 'x' + 'y'
1 ~ 2 + 3
2 * 3 ~ 4
f | int + 1
g | int
10 ** 3 ~ 2 ** 0
0 ** 0
9223372036854775807
-9223372036854775807 - 1
3 is not divisibleby 2
3 is not none and 3 is not undefined
s is not string
messages is iterable and messages is not mapping
[1, [2, [3]]] == [1, [2, [3]]]
{'a': 1, 'b': 2} == {'b': 2, 'a': 1}
t == 1 ~ no == 0 ~ t + t
(t, no) | sum
names | sort | join ~ (names | sort(reverse=true) | join)
['é', 'E', 'f'] | sort | join
rows | map(attribute='missing') | list
rows | map(attribute='missing', default=0) | list
rows | map('tojson') | join(' ')
xs | map('nofilter') | list
xs | select('notest') | list
xs | batch
s | nofilter
s is notest
""".strip("\n").split("\n")

# Whole templates: statements, scopes and white space.
TEMPLATES = [
    "a\n{% if t %}\nb\n{% endif %}\nc\n",
    "a\n  {% if t %}\n  b\n  {% endif %}  \n  c",
    "a {% if t %} b {% endif %} c",
    "a\n  {%- if t -%}  \n  b  \n  {%- endif -%}  \n  c",
    "a\n  {%+ if t %}\n  b\n  {%+ endif +%}\n  c\n\n",
    "  {{ s }}\n  {{- s -}}  \n  {{ s }}\n",
    "{# c #}\na\n  {# c #}\nb {#- c -#} \n c\n  {#+ c +#}\nd",
    "{% raw %}{{ x }}{% if %}{% endraw %}|\n{%- raw -%}  a  {%- endraw -%}  b",
    "x\r\ny\rz\n",
    "\n\n{% if t %}\n\n{% endif %}\n\n",
    "{% if t %}\n    {{ 'a' }}\n{% endif %}{% if t %}b{% endif %}",
    "{%if t%}a{%elif no%}b{%else%}c{%endif%}{%if no%}a{%elif t%}b{%else%}c{%endif%}"
    "{%if no%}a{%elif no%}b{%else%}c{%endif%}",
    "{{ {'a': {'b': 1}} }}{{ {'a': {'b': 1}}['a']['b'] }}",
    "{% for x in xs %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}"
    "{{ loop.revindex0 }}{{ loop.first }}{{ loop.last }}{{ loop.length }}"
    "{{ loop.previtem }}{{ loop.nextitem }}{{ loop.cycle('a','b') }}"
    "{{ loop.changed(x > 1) }}{{ loop.depth }};{% endfor %}",
    "{% for x in xs if x > 1 %}{{ x }}{{ loop.index }}{{ loop.last }}{{ loop.length }},{% else %}none{% endfor %}",
    "{% for x in [] %}a{% else %}empty{{ x }}{% endfor %}",
    "{% for x in missing %}a{% else %}empty{% endfor %}",
    "{% for x in none_value %}a{% endfor %}",
    "{% for x in n %}a{% endfor %}",
    "{% for c in u %}[{{ c }}]{% endfor %}",
    "{% for k in d %}{{ k }}{% endfor %}{% for k, v in d.items() %}{{ k }}={{ v }};{% endfor %}"
    "{% for k, v in d | items %}{{ k }}{{ v }}{% endfor %}{% for k, v in d | dictsort %}{{ k }}{% endfor %}",
    "{% set v %}{{ s }}{% endset %}{% set s = 1 %}{{ v }}{{ s }}",
    "{{ s }}{% set v %}{{ s }}{% endset %}{% set s = 1 %}{{ v }}{{ s }}",
    "{% for x in xs %}{{ s }}{% endfor %}{% set s = 1 %}",
    "{% for x in xs %}{{ s }}{% endfor %}{% if t %}{% set s = 1 %}{% endif %}{{ s }}",
    "{% for x in xs %}{{ s }}{% endfor %}{% if t %}{% set s = 1 %}{% else %}{% set s = 2 %}{% endif %}{{ s }}",
    "{% for x in xs %}{{ s }}{% endfor %}{% if no %}{% set s = 1 %}{% elif t %}{% set s = 2 %}{% else %}{% set s = 3 %}{% endif %}{{ s }}",
    "{% for x in xs %}{% for y in xs %}{{ s }}{% endfor %}{% set s = x %}{% endfor %}{{ s }}",
    "{% macro m() %}{{ s }}{% endmacro %}{{ m() }}{% set s = 1 %}{{ m() }}",
    "{% macro m() %}{% for x in xs %}{{ s }}{% endfor %}{% set s = 1 %}{% endmacro %}{{ m() }}",
    "{% for a, (b, c) in [(1, (2, 3))] %}{{ a }}{{ b }}{{ c }}{% endfor %}",
    "{% for a, b in [(1, 2, 3)] %}{{ a }}{% endfor %}",
    "{% for x in 1, 2, 3 %}{{ x }}{% endfor %}",
    "{% for x in xs %}{% if x == 1 %}{% continue %}{% endif %}{{ x }}{% if x == 2 %}{% break %}{% endif %}{% endfor %}",
    "{% for x in xs %}{% for y in xs %}{% if y == 1 %}{% break %}{% endif %}{{ x }}{{ y }} {% endfor %}{{ loop.index }}{% endfor %}",
    "{% for x in xs %}{% for y in xs %}{{ loop.index }}{{ x }}{{ y }} {% else %}{% endfor %}{{ loop.index }};{% endfor %}",
    "{% set x = 1 %}{% for i in xs %}{% set x = x + i %}{{ x }},{% endfor %}{{ x }}",
    "{% set x = 1 %}{% if t %}{% set x = 2 %}{% endif %}{{ x }}",
    "{% if no %}{% set y = 2 %}{% endif %}{{ y }}{{ y is defined }}",
    "{% if no %}{% set s = 2 %}{% endif %}{{ s }}",
    "{% for i in xs %}{{ q }}{% set q = i %}{{ q }}{% endfor %}{{ q is defined }}",
    "{% set q = 0 %}{% for i in xs %}{{ q }}{% set q = i %}{{ q }}{% for j in xs %}{{ q }}{% set q = j %}{% endfor %}{{ q }};{% endfor %}{{ q }}",
    "{% for i in xs %}{% for j in xs %}{{ w2 }}{% endfor %}{% set w2 = i %}{% endfor %}",
    "{% set ns = namespace(x=0, l=[]) %}{% for i in xs %}{% set ns.x = ns.x + i %}{% set ns.l = ns.l + [i] %}{% endfor %}{{ ns.x }}{{ ns.l }}",
    "{% set ns = namespace() %}{% set ns.a = 1 %}{{ ns.a }}{{ ns.b is defined }}",
    "{% set d.x = 1 %}",
    "{% set a, b = 1, 2 %}{{ a }}{{ b }}{% set (c, e2) = [3, 4] %}{{ c }}{{ e2 }}",
    "{% set a, b = 1 %}",
    "{% set a = 1, 2 %}{{ a }}",
    "{% set x %}a {{ n }} b{% endset %}{{ x }}{{ x | length }}",
    "{% set x | upper | trim %} ab {{ n }} {% endset %}[{{ x }}]",
    "{% set x %}{% set y = 1 %}{{ y }}{% endset %}{{ x }}{{ y is defined }}",
    "{% filter upper %}a{{ s }}{% endfilter %}{% filter replace('a', 'b') | trim %} aa {% endfilter %}",
    "{% with a = 1, b = n %}{{ a }}{{ b }}{% set a = 5 %}{{ a }}{% endwith %}{{ a is defined }}",
    "{% set a = 1 %}{% with a = 2, b = a %}{{ a }}{{ b }}{% endwith %}{{ a }}",
    "{% macro m(a, b=2, c=a) %}[{{ a }}{{ b }}{{ c }}]{% endmacro %}{{ m(1) }}{{ m(1, 3) }}{{ m(b=5, a=4) }}{{ m() }}",
    "{% macro m(a) %}{{ a }}{% endmacro %}{{ m(1, 2) }}",
    "{% macro m(a) %}{{ a }}{% endmacro %}{{ m(x=2) }}",
    "{% macro m(a) %}{{ a }}{% endmacro %}{{ m(1, a=2) }}",
    "{% set x = 1 %}{% macro m() %}{{ x }}{% set x = 5 %}{{ x }}{% endmacro %}{{ m() }}{% set x = 2 %}{{ m() }}{{ x }}",
    "{% macro fact(k) %}{% if k > 1 %}{{ k }}*{{ fact(k - 1) }}{% else %}1{% endif %}{% endmacro %}{{ fact(5) }}",
    "{% macro m() %}{{ caller() }}-{{ caller() }}{% endmacro %}{% call m() %}x{{ n }}{% endcall %}",
    "{% macro m(l) %}{% for i in l %}{{ caller(i) }}{% endfor %}{% endmacro %}{% call(v) m(xs) %}<{{ v }}>{% endcall %}",
    "{% macro m() %}a{% endmacro %}{% call m() %}x{% endcall %}",
    "{% macro m() %}{{ caller is defined }}{% endmacro %}{{ m() }}{% call m() %}x{% endcall %}",
    "{% macro m() %}x{% endmacro %}{{ m }}",
    "{% macro m(x) %}{{ x | upper }}{% endmacro %}{% set r = m('a') %}{{ r }}{{ r | length }}{{ r + 'b' }}",
    "{% for i in xs %}{% macro m() %}{{ i }}{{ loop.index }}{% endmacro %}{{ m() }}{% endfor %}",
    "{% set f = s.upper %}{{ f() }}{% set j = joiner('; ') %}{{ j() }}a{{ j() }}b{{ j() }}c",
    "{% set c = cycler('a', 'b') %}{{ c.next() }}{{ c.next() }}{{ c.current }}{{ c.next() }}{{ c.reset() }}{{ c.current }}",
    "{% set g2 = xs | map('abs') %}{{ g2 | list }}{{ g2 | list }}{% if g2 %}t{% endif %}",
    "{% set g2 = xs | reverse %}{% for x in g2 %}{{ x }}{% break %}{% endfor %}{{ g2 | list }}",
    "{% for x in xs | reverse %}{{ x }}{{ loop.last }}{{ loop.length }}{% endfor %}",
    "{% generation %}a{{ n }}{% set v = 1 %}{% endgeneration %}{{ v is defined }}",
    "{% print 1, 'a' %}",
    "{{ 1, 'a' }}{{ () }}{{ (1) }}{{ (1,) }}",
    "{% if xs %}a{% endif %}{% if [] %}b{% endif %}{% if {} %}c{% endif %}{% if '' %}d{% endif %}{% if 0.0 %}e{% endif %}{% if missing %}f{% endif %}{% if 'x' %}g{% endif %}",
    "{{ s }}{{ '{{ not a tag }}' }}{{ '%}' }}{% set x = '{% x %}' %}{{ x }}",
    "{{ 'a' if t }}{{ 'a' if no }}|{{ ('a' if no) is defined }}",
    "{% for m2 in messages %}{{ m2.role }}:{{ m2.content if m2.content is string else m2.content | tojson }}\n{% endfor %}",
    "{% if messages[0]['role'] == 'system' %}{% set sys = messages[0]['content'] %}{% set rest = messages[1:] %}{% else %}{% set sys = '' %}{% set rest = messages %}{% endif %}{{ sys }}|{{ rest | length }}",
    "{% for m2 in messages %}{%- if loop.first %}F{% endif %}{%- if loop.last %}L{% endif %}{%- if loop.previtem is defined and loop.previtem.role == 'user' %}p{% endif %}{{ loop.nextitem.role if loop.nextitem is defined }},{% endfor %}",
    "{% set x = 1 -%}\n   y{{- ' z' }}\n\n{%- set w3 = 2 %}\nend",
    "{%- for x in xs -%}\n  {{ x }}\n{%- endfor -%}\n",
    "   {% set x = 1 %}\n   {{ x }}   {% set x = 2 %}   \n{{ x }}",
    "\t{% if t %}\n\t\ta\n\t{% endif %}\n",
    "{% if t %}{% endif %}\n\n{{ 'x' }}\n{% if t %}\n{% endif %}",
    "a{{ '\n' }}b{{ \"\\n\" }}c",
    "{{ s }}}}{{ '}}' }}",
    "{{ s", "{% if t %}", "{{ }}", "{% for %}", "{% endfor %}", "{{ 1 + }}", "{% set 1 = 2 %}",
    "{{ (1 }}", "{# open", "{% raw %}", "{{ 'open }}", "{% break %}", "{{ a b }}", "{{ 007 }}",
    "{% if t %}a{% else %}b{% else %}c{% endif %}", "{{ x is is y }}", "{% set true = 1 %}",
    "{{ [1, 2", "{{ {1} }}", "{{ s | }}", "{{ s.[0] }}", "{% unknown %}", "{% include 'x' %}",
    "{{ loop.index }}", "{% macro m(a=1, b) %}{% endmacro %}",
]


def all_cases():
    """(name, template, variables) of everything that is compared."""
    for i, expression in enumerate(EXPRESSIONS):
        yield f"expression {i + 1}", "{{ " + expression.strip() + " }}", VARIABLES
    for i, template in enumerate(TEMPLATES):
        yield f"template {i + 1}", template, VARIABLES
    for path in sorted((UNIT / "templates").glob("*.jinja")):
        source = path.read_text(encoding="utf-8")
        for change in ({}, {"add_generation_prompt": False}, {"tools": None},
                       {"messages": VARIABLES["messages"][1:3]},
                       {"messages": VARIABLES["messages"][:2]},
                       {"messages": [{"role": "user", "content": "Hi"}] * 2}):
            name = path.name + " " + ",".join(change)
            yield name.strip(), source, {**VARIABLES, **change}


def reference(env, template, variables):
    """The text, or None where jinja2 raises."""
    try:
        return env.from_string(template).render(**variables)
    except Exception:  # whatever jinja2, or Python below it, raises
        return None


class Renderer:
    """One chat_render process: templates in, texts out."""

    def __init__(self, binary):
        self.process = subprocess.Popen([binary], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)

    def __call__(self, template, variables):
        source = template.encode()
        values = json.dumps(variables, ensure_ascii=False).encode()
        header = f"{len(source)} {len(values)}\n".encode()
        self.process.stdin.write(header + source + values)
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("the renderer ended on: " + template)
        return json.loads(line)


def random_template(rng):
    """A template of random parts: expressions, statements, white space."""
    def text():
        return rng.choice(["a", " ", "\n", "\n  ", "  \n", "x\n\n", "\t", ""])

    # jinja2 evaluates constants when it compiles: a bad one fails in code that
    # never runs, as no other error does.
    parts = [e for e in EXPRESSIONS if e != "{[]: 1}"]

    def expression():
        part = rng.choice(parts).strip()
        wrap = rng.choice(["{}", "({}) | string | length", "[{}] | tojson", "({}) == ({})",
                           "'x' if ({}) else 'y'", "({}) ~ 'z'", "({}) is defined",
                           "({}) | default('D')", "[{}][0]", "{{'k': ({})}}.k", "({}) | list",
                           "({}) | string | trim | upper", "({}) is string", "({}) in xs"])
        return wrap.replace("{}", part) if wrap.count("{}") != 1 else wrap.format(part)

    def open_tag():
        return "{%" + rng.choice(["", "-", "+", ""]) + " "

    def close_tag():
        return " " + rng.choice(["", "-", "+", ""]) + "%}"

    def block(depth):
        out = ""
        for _ in range(rng.randint(1, 4)):
            out += text()
            kind = rng.randint(0, 9 if depth < 3 else 4)
            if kind <= 2:
                out += "{{" + rng.choice(["", "-"]) + " " + expression() + " " + rng.choice(["", "-"]) + "}}"
            elif kind == 3:
                name = rng.choice(["v1", "v2", "s", "n"])
                out += open_tag() + f"set {name} = " + expression() + close_tag()
            elif kind == 4:
                out += "{{ " + rng.choice(["v1", "v2", "v1 is defined", "ns.c", "s", "i", "loop.index"]) + " }}"
            elif kind == 5:
                out += open_tag() + "if " + expression() + close_tag() + block(depth + 1)
                if rng.random() < 0.5:
                    out += open_tag() + "else" + close_tag() + block(depth + 1)
                out += open_tag() + "endif" + close_tag()
            elif kind == 6:
                condition = rng.choice(["", " if i != 1", " if loop_var is not defined"])
                out += (open_tag() + "for i in " + rng.choice(["xs", "names", "s[:3]", "d", "messages"])
                        + condition + close_tag() + block(depth + 1))
                if rng.random() < 0.3:
                    out += open_tag() + rng.choice(["break", "continue"]) + close_tag()
                out += open_tag() + "endfor" + close_tag()
            elif kind == 7:
                out += (open_tag() + "macro m1(i, v2=3)" + close_tag() + block(depth + 1) + open_tag()
                        + "endmacro" + close_tag() + "{{ m1(" + rng.choice(["1", "n, s", "v2=4", ""]) + ") }}")
            elif kind == 8:
                out += open_tag() + "set v1" + close_tag() + block(depth + 1) + open_tag() + "endset" + close_tag()
            else:
                out += "{% set ns = namespace(c=1) %}{% set ns.c = ns.c + 1 %}" + text()
        return out + text()

    return block(0)


def write_golden(env):
    lines = []
    for name, template, variables in all_cases():
        changed = {k: v for k, v in variables.items() if VARIABLES.get(k) is not v}
        lines.append(json.dumps({"name": name, "template": template, "changed": changed,
                                 "text": reference(env, template, variables)},
                                ensure_ascii=False))
    head = json.dumps({"jinja2": jinja2.__version__, "variables": VARIABLES}, ensure_ascii=False)
    path = UNIT / "jinja_golden.jsonl"
    path.write_text(head + "\n" + "\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(lines)} cases written to {path}")


def compare(env, render, cases):
    total, refused, different = 0, {}, 0
    for name, template, variables in cases:
        total += 1
        expected = reference(env, template, variables)
        got = render(template, variables)
        if got.get("kind") == KIND_UNSUPPORTED and expected is not None:
            reason = got["error"].split(": ", 1)[-1]
            refused[reason] = refused.get(reason, 0) + 1
        elif got.get("text") != expected:
            different += 1
            print(f"DIFFERENT {name}\n  template {template!r}\n  jinja2   {expected!r}\n  ours     {got!r}")
    print(f"{total} compared, {different} different, {sum(refused.values())} refused")
    for reason, count in sorted(refused.items(), key=lambda item: -item[1]):
        print(f"  refused {count}: {reason}")
    return different


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--renderer")
    parser.add_argument("--random", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    env = environment()
    if args.write:
        write_golden(env)
    if not args.renderer:
        return 0
    render = Renderer(args.renderer)
    different = compare(env, render, all_cases())
    rng = random.Random(args.seed)
    print(f"random templates, seed {args.seed}")
    different += compare(env, render, ((f"random {i}", random_template(rng), VARIABLES)
                                       for i in range(args.random)))
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
