#!/usr/bin/env python3
"""Writes the seeds of the file formats' fuzz corpora (not the crashers).

Columnar seeds are the smaller fixtures of tests/unit/scan/data, which their own
script makes. Needs python-zstandard. python3 make_corpus.py
"""
import gzip
import os
import shutil
import struct

import zstandard

HERE = os.path.dirname(os.path.abspath(__file__))
FIXTURES = os.path.join(HERE, "..", "unit", "scan", "data")


def seed(kind, name, data):
    folder = os.path.join(HERE, "corpus", kind)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "wb") as out:
        out.write(data)


def csv_seeds():
    seed("csv", "quotes", b'a,b\n"x, ""y""\n z",2\r\n\n"","q"r\n5" p,""""\n')
    seed("csv", "semicolons", b"\xef\xbb\xbfa;b\r\n1;2\r\n")
    seed("csv", "lone_cr", b"a,b\r1,2\r\"3\r4\",5\r")
    seed("csv", "tabs", b'text\tlabel\n"a\tb"\t1\n"say ""x"""\t2\n')
    seed("csv", "no_header", b"Is it so?\tno\nWhy \"not\"?\tyes\n\n")
    seed("csv", "open_quote", b"a,b\n1,2\n\"x,3\ny,\xff\x00\n")


def compressed_seeds():
    text = b'{"a": 1}\n{"a": 2}\n' * 20
    squeeze = zstandard.ZstdCompressor(write_checksum=True).compress
    skippable = struct.pack("<II", 0x184D2A50, 3) + b"xyz"
    for kind, pack in [("gzip", lambda t: gzip.compress(t, mtime=0)),
                       ("zstd", squeeze)]:
        seed(kind, "one", pack(text))
        seed(kind, "two", pack(text) + pack(b""))
        seed(kind, "garbage", pack(text) + b"garbage")
        seed(kind, "cut", pack(text)[:-5])
        seed(kind, "repeats", pack(b"ab" * 50000))
        seed(kind, "twice", pack(pack(text)))
    seed("zstd", "skippable", skippable + squeeze(text))


def megatron_seeds():
    lengths = [3, 0, 70000, -1]
    body = b"MMIDIDX\0\0" + struct.pack("<QBQQ", 1, 8, len(lengths), 2)
    body += struct.pack("<4i", *lengths) + struct.pack("<6q", *range(6))
    seed("megatron", "four", body)
    seed("megatron", "cut", body[:45])
    seed("megatron", "old", b"TNTIDX\0\0" + b"\0" * 40)


def columnar_seeds():
    for name in sorted(os.listdir(FIXTURES)):
        kind = {".parquet": "parquet", ".arrow": "arrow",
                ".arrows": "arrow"}.get(os.path.splitext(name)[1])
        path = os.path.join(FIXTURES, name)
        if kind and os.path.getsize(path) < 6000:
            folder = os.path.join(HERE, "corpus", kind)
            os.makedirs(folder, exist_ok=True)
            shutil.copyfile(path, os.path.join(folder, name))


if __name__ == "__main__":
    csv_seeds()
    compressed_seeds()
    megatron_seeds()
    columnar_seeds()
