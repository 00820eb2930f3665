"""Checks a JSON document against the part of JSON Schema 2020-12 that our
schema uses. A keyword that is not known here is an error, so that nothing in
the schema goes unchecked in silence."""
import json
import re

ANNOTATIONS = {"$schema", "$id", "$defs", "$comment", "title", "description",
               "default", "examples"}
TYPES = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "boolean": lambda v: isinstance(v, bool),
    "null": lambda v: v is None,
    "integer": lambda v: (isinstance(v, int) and not isinstance(v, bool)
                          or isinstance(v, float) and v.is_integer()),
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
}


def parse_strictly(text):
    """RFC 8259, and no member twice."""
    def constant(name):
        raise ValueError(f"{name} is not JSON")

    def members(pairs):
        found = dict(pairs)
        if len(found) != len(pairs):
            raise ValueError(f"a member stands twice among {sorted(found)}")
        return found

    return json.loads(text, parse_constant=constant, object_pairs_hook=members)


def equal(a, b):
    return a == b and isinstance(a, bool) == isinstance(b, bool)


class Validator:
    def __init__(self, schema):
        self.root = schema

    def errors(self, value):
        """What is wrong with the document, in its order; [] when nothing."""
        return list(self.check(self.root, value, "$"))

    def resolve(self, reference):
        node = self.root
        for step in reference.removeprefix("#/").split("/"):
            node = node[step]
        return node

    def check(self, schema, value, at):
        if schema is True:
            return
        if schema is False:
            yield f"{at}: not allowed"
            return
        for keyword, rule in schema.items():
            if keyword in ANNOTATIONS:
                continue
            method = getattr(self, "check_" + keyword.lstrip("$"), None)
            if method is None:
                raise ValueError(f"unknown schema keyword {keyword}")
            yield from method(rule, value, at, schema)

    def check_ref(self, rule, value, at, _):
        yield from self.check(self.resolve(rule), value, at)

    def check_type(self, rule, value, at, _):
        names = rule if isinstance(rule, list) else [rule]
        if not any(TYPES[name](value) for name in names):
            yield f"{at}: not of type {' or '.join(names)}"

    def check_const(self, rule, value, at, _):
        if not equal(value, rule):
            yield f"{at}: not {rule!r}"

    def check_enum(self, rule, value, at, _):
        if not any(equal(value, one) for one in rule):
            yield f"{at}: {value!r} is none of {rule}"

    def check_anyOf(self, rule, value, at, _):
        tried = [list(self.check(one, value, at)) for one in rule]
        if all(tried):
            yield f"{at}: none of {len(rule)} forms: {tried[-1][0]}"

    def check_required(self, rule, value, at, _):
        if isinstance(value, dict):
            for name in rule:
                if name not in value:
                    yield f"{at}: no member {name}"

    def check_properties(self, rule, value, at, _):
        if isinstance(value, dict):
            for name, schema in rule.items():
                if name in value:
                    yield from self.check(schema, value[name], f"{at}.{name}")

    def check_patternProperties(self, rule, value, at, _):
        if isinstance(value, dict):
            for pattern, schema in rule.items():
                for name in value:
                    if re.search(pattern, name):
                        yield from self.check(schema, value[name],
                                              f"{at}.{name}")

    def check_additionalProperties(self, rule, value, at, schema):
        if not isinstance(value, dict):
            return
        patterns = schema.get("patternProperties", {})
        for name, member in value.items():
            known = name in schema.get("properties", {}) or any(
                re.search(pattern, name) for pattern in patterns)
            if not known:
                yield from self.check(rule, member, f"{at}.{name}")

    def check_items(self, rule, value, at, _):
        if isinstance(value, list):
            for i, item in enumerate(value):
                yield from self.check(rule, item, f"{at}[{i}]")

    def check_minItems(self, rule, value, at, _):
        if isinstance(value, list) and len(value) < rule:
            yield f"{at}: fewer than {rule} items"

    def check_maxItems(self, rule, value, at, _):
        if isinstance(value, list) and len(value) > rule:
            yield f"{at}: more than {rule} items"

    def check_pattern(self, rule, value, at, _):
        if isinstance(value, str) and not re.search(rule, value):
            yield f"{at}: {value!r} does not match {rule}"

    def check_minimum(self, rule, value, at, _):
        if TYPES["number"](value) and value < rule:
            yield f"{at}: below {rule}"

    def check_maximum(self, rule, value, at, _):
        if TYPES["number"](value) and value > rule:
            yield f"{at}: above {rule}"
