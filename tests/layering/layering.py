"""Checks that the modules keep to their layers: layering.py SOURCE_FOLDER

A module is a folder below src/ whose CMakeLists.txt calls trainsight_module();
its headers for others are in the folder of the same name below
include/trainsight/. Each breach is one line `path:line: what`, and exit code 1:

  * DEPS name modules that stand earlier in the list in src/CMakeLists.txt, so
    that the one direction has no cycle;
  * an #include of another module's header needs that module in DEPS, directly
    or through another; headers in src/ are for their own module only;
  * a third-party header, or library in LIBS, stays in the modules allowed to
    use it, and out of every header below include/, with its names;
  * pure modules neither print nor read a clock or the environment.
"""

import pathlib
import re
import sys

# Third-party library: (its headers, its names in code, CMake targets,
# modules that may use it). None as modules: every one.
LIBRARIES = {
    "CLI11": (r"CLI/", r"\bCLI::", {"ts::cli11"}, {"cli"}),
    "simdjson": (r"simdjson", r"\bsimdjson::", {"ts::simdjson"},
                 {"scan", "records", "chat", "tokenize"}),
    "nlohmann-json": (r"nlohmann/", r"\bnlohmann::", {"ts::json"},
                      {"manifest", "report", "pulse"}),
    "yaml-cpp": (r"yaml-cpp/", r"\bYAML::", {"ts::yaml_cpp"},
                 {"manifest", "pipeline", "cli", "trainers"}),
    "spdlog": (r"spdlog/", r"\bspdlog::", {"ts::spdlog"},
               {"io", "pipeline", "pulse", "cli"}),
    "fmt": (r"fmt/", r"\bfmt::", {"ts::fmt"}, None),
    "PCRE2": (r"pcre2", r"\bpcre2_\w+", {"ts::pcre2"}, {"tokenize"}),
    "utf8proc": (r"utf8proc", r"\butf8proc_\w+", {"ts::utf8proc"},
                 {"text", "chat", "tokenize"}),
    "zlib": (r"zlib\.h", r"\bz_stream\b", {"ts::zlib"}, {"io", "scan"}),
    "zstd": (r"zstd", r"\bZSTD_\w+", {"ts::zstd"}, {"io", "scan"}),
    "snappy": (r"snappy", r"\bsnappy::", {"ts::snappy"}, {"io", "scan"}),
    "cpp-httplib": (r"httplib\.h", r"\bhttplib::", {"ts::httplib"},
                    {"pulse"}),
    "ncurses": (r"(ncurses|curses)\.h", r"\bWINDOW\b", {"ts::ncurses"},
                {"pulse"}),
    "Catch2": (r"catch2/", r"\bCatch::", {"Catch2::Catch2"}, set()),
}

# Modules that may touch the world; all others are pure.
EDGES = {"io", "pipeline", "cli", "pulse/collect", "pulse/serve", "pulse/top"}
IMPURE = {
    "prints": r"<iostream>|\bstd::c(out|err|log)\b|\b(std::)?f?printf\s*\("
              r"|\b(std::)?puts\s*\(|\bfmt::print\b",
    "reads a clock": r"\b(system|steady|high_resolution)_clock::now\b"
                     r"|\bclock_gettime\b|\bgettimeofday\b",
    "reads the environment": r"\b(secure_)?getenv\s*\(",
}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]')


class Module:
    def __init__(self, folder, name, deps, libs, path):
        self.folder, self.name, self.path = folder, name, path
        self.deps, self.libs = deps, libs


def words(text):
    """The words of a CMake text, comments removed."""
    return re.sub(r"#.*", "", text).replace("(", " ( ").replace(
        ")", " ) ").split()


def read_module(path, folder):
    """The Module that a list declares, or None."""
    tokens = words(path.read_text())
    if "trainsight_module" not in tokens:
        return None
    start = tokens.index("trainsight_module") + 2
    lists, key = {"SOURCES": [], "DEPS": [], "LIBS": []}, None
    for token in tokens[start + 1:tokens.index(")", start)]:
        if token in lists:
            key = token
        else:
            lists[key].append(token)
    return Module(folder, tokens[start], lists["DEPS"], lists["LIBS"], path)


def read_order(path):
    """The folders of the foreach(module ...) list, lowest first."""
    tokens = words(path.read_text())
    for i in range(len(tokens) - 2):
        if tokens[i:i + 3] == ["foreach", "(", "module"]:
            return tokens[i + 3:tokens.index(")", i)]
    return []


def closure(module, by_name):
    """The names of a module's DEPS and of theirs."""
    found, todo = set(), list(module.deps)
    while todo:
        name = todo.pop()
        if name in by_name and name not in found:
            found.add(name)
            todo += by_name[name].deps
    return found


def without_comments(text):
    """The lines of C++ text with comments blanked; strings are kept."""
    pattern = re.compile(
        r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
    return pattern.sub(
        lambda m: m.group() if m.group()[0] == '"'
        else "\n" * m.group().count("\n"), text).split("\n")


def owner(path, folders):
    """The longest module folder that the include path lies in, or None."""
    fitting = [f for f in folders if path.startswith(f + "/")]
    return max(fitting, key=len) if fitting else None


def allowed(folder, users):
    """Whether the module in `folder` is, or is part of, one of the users."""
    return users is None or folder in users or folder.split("/")[0] in users


def check_lists(modules, order, by_name):
    for module in modules.values():
        if module.folder not in order:
            yield module.path, 1, (
                f"module {module.folder} is not in src/CMakeLists.txt's list")
            continue
        for dep in module.deps:
            if dep not in by_name:
                yield module.path, 1, f"DEPS names no module: {dep}"
            elif (by_name[dep].folder in order and
                  order.index(by_name[dep].folder) >=
                  order.index(module.folder)):
                yield module.path, 1, (
                    f"{module.name} depends upward on {dep}")
        for library, (_, _, targets, users) in LIBRARIES.items():
            if targets & set(module.libs) and not allowed(module.folder,
                                                          users):
                yield module.path, 1, f"{module.name} may not link {library}"


def check_file(path, public, module, modules, by_name):
    may = closure(module, by_name) | {module.name}
    for number, line in enumerate(without_comments(path.read_text()), 1):
        match = INCLUDE.match(line)
        target = match.group(2) if match else ""
        if target.startswith("trainsight/"):
            other = owner(target[len("trainsight/"):], modules)
            if other is None:
                yield path, number, f"{target} belongs to no module"
            elif modules[other].name not in may:
                yield path, number, (
                    f"{module.name} includes {target} without "
                    f"{modules[other].name} in its DEPS")
        elif match and match.group(1) == '"':
            other = owner(target, modules)
            if other not in (None, module.folder):
                yield path, number, f"{target} is internal to {other}"
        for library, (headers, names, _, users) in LIBRARIES.items():
            included = re.match(headers, target) is not None
            if included and not allowed(module.folder, users):
                yield path, number, f"{module.name} may not use {library}"
            elif public and (included or re.search(names, line)):
                yield path, number, (
                    f"{library} does not belong in a header below include/")
        if module.folder not in EDGES:
            for what, pattern in IMPURE.items():
                if re.search(pattern, line):
                    yield path, number, f"{module.name} is pure but {what}"


def breaches(root):
    """Every breach in the tree as (path, line, what), and the module count."""
    source = root / "src"
    modules = {}
    for path in sorted(source.glob("**/CMakeLists.txt")):
        folder = path.parent.relative_to(source).as_posix()
        module = None if folder == "." else read_module(path, folder)
        if module:
            modules[folder] = module
    by_name = {m.name: m for m in modules.values()}
    found = list(check_lists(
        modules, read_order(source / "CMakeLists.txt"), by_name))
    for base, public in ((source, False), (root / "include/trainsight", True)):
        for path in sorted(base.glob("**/*")):
            if path.suffix not in (".h", ".cc") or path.parent == source:
                continue
            folder = owner(path.relative_to(base).as_posix(), modules)
            if folder:
                found += check_file(path, public, modules[folder], modules,
                                    by_name)
    return found, len(modules)


def main():
    root = pathlib.Path(sys.argv[1])
    found, count = breaches(root)
    for path, line, what in found:
        print(f"{path.relative_to(root)}:{line}: {what}")
    if count == 0:
        print(f"no module below {root}/src")
    print(f"{count} modules, {len(found)} breaches")
    sys.exit(1 if found or count == 0 else 0)


if __name__ == "__main__":
    main()
