#!/usr/bin/env python3
"""Writes the Parquet and Arrow files of this folder, and what they hold.

fixtures.txt names each file and the .jsonl with its rows, one JSON value a
line, as trainsight's tests print a row: keys in the order of the schema, reals
as C's %.17g, binary values as arrays. The rows come from the tables that were
written, never from our own code.

Needs pyarrow (made with 18 or newer). The files are committed; run this only to
add one: python3 make_fixtures.py
"""
import datetime
import decimal
import json
import math
import os
import uuid

import pyarrow as pa
import pyarrow.parquet as pq

HERE = os.path.dirname(os.path.abspath(__file__))


def text_of(value):
    """A value as the tests print it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if math.isnan(value):
            return "nan"
        return "%.17g" % value
    if isinstance(value, decimal.Decimal):
        return "%.17g" % float(value)
    if isinstance(value, uuid.UUID):
        return json.dumps(str(value))
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, bytes):
        return "[" + ",".join(str(b) for b in value) + "]"
    if isinstance(value, list):
        return "[" + ",".join(text_of(v) for v in value) + "]"
    if isinstance(value, dict):
        return "{" + ",".join(json.dumps(k) + ":" + text_of(v)
                              for k, v in value.items()) + "}"
    raise TypeError(type(value))


def plain(value, kind):
    """A pyarrow value as the tests print it: times as stored integers, maps as
    lists of entries."""
    if value is None:
        return None
    if pa.types.is_map(kind):
        return [{"key": plain(k, kind.key_type), "value": plain(v, kind.item_type)}
                for k, v in value]
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or \
            pa.types.is_fixed_size_list(kind):
        return [plain(v, kind.value_type) for v in value]
    if pa.types.is_struct(kind):
        return {kind.field(i).name: plain(value[kind.field(i).name],
                                          kind.field(i).type)
                for i in range(kind.num_fields)}
    if pa.types.is_dictionary(kind):
        return plain(value, kind.value_type)
    if pa.types.is_temporal(kind):
        if pa.types.is_date32(kind):
            return (value - datetime.date(1970, 1, 1)).days
        raise TypeError("store times as integers in the expectation")
    if pa.types.is_floating(kind):
        return float(value)
    return value


def stored_integers(table):
    """Times as the integers that are stored."""
    for i, field in enumerate(table.schema):
        if pa.types.is_timestamp(field.type) or pa.types.is_time64(field.type) \
                or pa.types.is_duration(field.type):
            column = table.column(i).cast(pa.int64())
            table = table.set_column(i, field.name, column)
    return table


WRITTEN = {}  # rows as text: the file that has them
INDEX = []


def write_expected(name, table):
    table = stored_integers(table)
    kinds = {f.name: f.type for f in table.schema}
    rows = "".join(text_of({k: plain(v, kinds[k]) for k, v in row.items()}) + "\n"
                   for row in table.to_pylist())
    if rows not in WRITTEN:
        rows_name = name.split(".")[0] + ".jsonl"
        assert rows_name not in WRITTEN.values(), rows_name
        WRITTEN[rows] = rows_name
        with open(os.path.join(HERE, WRITTEN[rows]), "w",
                  encoding="utf-8") as out:
            out.write(rows)
    INDEX.append("%s %s\n" % (name, WRITTEN[rows]))


def parquet(name, table, **options):
    path = os.path.join(HERE, name + ".parquet")
    options.setdefault("compression", "none")
    pq.write_table(table, path, **options)
    write_expected(name + ".parquet", table)


WORDS = ["alpha", "beta", "gamma", "delta", "", "a longer text of some words",
         "caf\u00e9 \u4f60\u597d \U0001f600", "tab\tand\nline \"quoted\""]


def texts(n, every_null=0):
    return [None if every_null and i % every_null == 0
            else WORDS[i % len(WORDS)] + str(i % 13) for i in range(n)]


def sorted_texts(n):
    return ["https://example.org/data/part-%05d/item" % i for i in range(n)]


def chat_rows(n):
    rows = []
    for i in range(n):
        turns = [{"role": "user" if t % 2 == 0 else "assistant",
                  "content": None if (i + t) % 7 == 0 else WORDS[(i + t) % 8]}
                 for t in range(i % 5)]
        rows.append({
            "id": i,
            "messages": None if i % 11 == 3 else turns,
            "meta": None if i % 6 == 1 else {
                "source": WORDS[i % 8], "score": None if i % 4 == 0 else i / 8},
            "tags": [None if i % 3 == 0 and j == 1 else "t%d" % j
                     for j in range(i % 4)],
            "grid": [[i, j] if j % 2 else [] for j in range(i % 3)],
        })
    return rows


CHAT = pa.schema([
    ("id", pa.int64()),
    ("messages", pa.list_(pa.struct([("role", pa.string()),
                                     ("content", pa.string())]))),
    ("meta", pa.struct([("source", pa.string()), ("score", pa.float64())])),
    ("tags", pa.list_(pa.string())),
    ("grid", pa.list_(pa.list_(pa.int32()))),
])


def chat_table(n):
    return pa.Table.from_pylist(chat_rows(n), schema=CHAT)


def ids_table(n):
    return pa.table({
        "input_ids": pa.array([list(range(i * 3, i * 3 + i % 9))
                               for i in range(n)], pa.list_(pa.int32())),
        "attention_mask": pa.array([[1] * (i % 9) for i in range(n)],
                                   pa.list_(pa.int8())),
        "weights": pa.array([[j / 4 for j in range(i % 3)] for i in range(n)],
                            pa.list_(pa.float32())),
        "labels": pa.array([[None if j == 2 else -100 for j in range(i % 5)]
                            for i in range(n)], pa.list_(pa.int64())),
    })


def scalar_table(n):
    return pa.table({
        "flag": pa.array([None if i % 5 == 0 else i % 3 == 0 for i in range(n)]),
        "i8": pa.array([i % 256 - 128 for i in range(n)], pa.int8()),
        "u8": pa.array([i % 256 for i in range(n)], pa.uint8()),
        "i16": pa.array([-i for i in range(n)], pa.int16()),
        "u16": pa.array([65535 - i for i in range(n)], pa.uint16()),
        "i32": pa.array([(-1) ** i * i * 1000003 for i in range(n)], pa.int32()),
        "u32": pa.array([4294967295 - i for i in range(n)], pa.uint32()),
        "i64": pa.array([None if i % 7 == 0 else (-1) ** i * i * 10 ** 15
                         for i in range(n)], pa.int64()),
        "u64": pa.array([i * 10 ** 15 for i in range(n)], pa.uint64()),
        "f32": pa.array([i / 8 for i in range(n)], pa.float32()),
        "f64": pa.array([None if i % 4 == 1 else i / 3 for i in range(n)],
                        pa.float64()),
        "day": pa.array([i - 20 for i in range(n)], pa.date32()),
        "when": pa.array([i * 10 ** 9 for i in range(n)], pa.timestamp("us")),
    })


def binary_table(n):
    return pa.table({
        "bytes": pa.array([bytes([255, i % 256, 0]) for i in range(n)],
                          pa.binary()),
        "fixed": pa.array([bytes([i % 256, 200, 3, 4]) for i in range(n)],
                          pa.binary(4)),
        "amount": pa.array([decimal.Decimal(i - 3).scaleb(-2)
                            for i in range(n)], pa.decimal128(12, 2)),
    })


def map_table(n):
    return pa.table({
        "scores": pa.array([[("k%d" % j, j if j % 2 else None)
                             for j in range(i % 4)] for i in range(n)],
                           pa.map_(pa.string(), pa.int32())),
    })


def make_parquet():
    flat = pa.table({"text": texts(150, 9), "other": texts(150)})
    for codec in ["none", "snappy", "gzip", "zstd", "lz4"]:
        parquet("flat_" + codec, flat, compression=codec)
    parquet("flat_page_v2", flat, data_page_version="2.0", compression="snappy")
    parquet("flat_plain", flat, use_dictionary=False)
    parquet("small_pages", flat, data_page_size=64, write_batch_size=7,
            use_dictionary=False, row_group_size=60)
    parquet("small_pages_dictionary", flat, data_page_size=64,
            write_batch_size=7, row_group_size=60)
    parquet("dictionary_overflow", flat, dictionary_pagesize_limit=64,
            data_page_size=128, write_batch_size=16)
    sortable = pa.table({"url": sorted_texts(140), "n": list(range(140))})
    parquet("delta_byte_array", sortable, use_dictionary=False,
            column_encoding={"url": "DELTA_BYTE_ARRAY",
                             "n": "DELTA_BINARY_PACKED"})
    parquet("delta_length", flat, use_dictionary=False,
            column_encoding={"text": "DELTA_LENGTH_BYTE_ARRAY",
                             "other": "DELTA_LENGTH_BYTE_ARRAY"})
    parquet("delta_byte_array_nulls", flat, use_dictionary=False,
            data_page_version="2.0",
            column_encoding={"text": "DELTA_BYTE_ARRAY",
                             "other": "DELTA_BYTE_ARRAY"})
    ints = pa.table({
        "a": pa.array([(i * i * 7919) % 100003 - 50000 for i in range(260)],
                      pa.int32()),
        "b": pa.array([None if i % 3 == 0 else
                       (-1) ** i * (2 ** 62 - i * 10 ** 12)
                       for i in range(260)], pa.int64()),
        "c": pa.array([5] * 260, pa.int64()),
    })
    parquet("delta_binary", ints, use_dictionary=False,
            column_encoding={"a": "DELTA_BINARY_PACKED",
                             "b": "DELTA_BINARY_PACKED",
                             "c": "DELTA_BINARY_PACKED"})
    reals = pa.table({"f": pa.array([i / 7 for i in range(100)], pa.float32()),
                      "d": pa.array([None if i % 9 == 0 else i / 11
                                     for i in range(100)])})
    parquet("byte_stream_split", reals, use_dictionary=False,
            column_encoding={"f": "BYTE_STREAM_SPLIT",
                             "d": "BYTE_STREAM_SPLIT"})
    rle = pa.table({"flag": pa.array([None if i % 10 == 0 else i % 4 < 2
                                      for i in range(300)])})
    parquet("boolean_rle", rle, data_page_version="2.0", use_dictionary=False,
            column_encoding={"flag": "RLE"})
    parquet("scalars", scalar_table(60))
    parquet("scalars_v2", scalar_table(60), data_page_version="2.0",
            compression="zstd")
    parquet("int96", pa.table({"when": pa.array(
        [0, 1, 1700000000123456789, -5], pa.timestamp("ns"))}),
            use_deprecated_int96_timestamps=True)
    parquet("binary", binary_table(20))
    chat = chat_table(60)
    for version in ["1.0", "2.0"]:
        for codec in ["none", "snappy", "zstd"]:
            parquet("chat_v%s_%s" % (version[0], codec), chat,
                    data_page_version=version, compression=codec,
                    row_group_size=25)
    parquet("chat_small_pages", chat, data_page_size=32, write_batch_size=3)
    parquet("chat_small_pages_v2", chat, data_page_size=32, write_batch_size=3,
            data_page_version="2.0", use_dictionary=False)
    parquet("chat_two_level", chat, use_compliant_nested_type=False)
    parquet("ids", ids_table(60))
    parquet("map", map_table(30))
    parquet("empty", chat_table(0))
    parquet("all_null", pa.table({"text": pa.array([None] * 50, pa.string()),
                                  "n": pa.array([None] * 50, pa.int32())}))
    half_groups = os.path.join(HERE, "empty_groups.parquet")
    some = pa.table({"text": texts(10)})
    with pq.ParquetWriter(half_groups, some.schema,
                          compression="none") as writer:
        writer.write_table(some.slice(0, 4))
        writer.write_table(some.slice(0, 0))
        writer.write_table(some.slice(4, 6))
    write_expected("empty_groups.parquet", some)
    pq.write_table(some, os.path.join(HERE, "brotli.parquet"),
                   compression="brotli")
    not_utf8 = pa.table({"text": pa.array([b"fine", b"caf\xe9", b"fine too"],
                                          pa.binary())})
    view = pa.Table.from_arrays(
        [pa.Array.from_buffers(pa.string(), 3,
                               not_utf8.column(0).chunk(0).buffers())],
        names=["text"])
    path = os.path.join(HERE, "not_utf8.parquet")
    pq.write_table(view, path, compression="none")


def arrow(name, table, stream=False, batch=None, **options):
    ending = ".arrows" if stream else ".arrow"
    path = os.path.join(HERE, name + ending)
    make = pa.ipc.new_stream if stream else pa.ipc.new_file
    with make(path, table.schema,
              options=pa.ipc.IpcWriteOptions(**options)) as writer:
        writer.write_table(table, max_chunksize=batch)
    write_expected(name + ending, table)


def many_types(n):
    return pa.table({
        "large": pa.array(texts(n, 5), pa.large_string()),
        "view": pa.array(texts(n, 4), pa.string_view()),
        "nothing": pa.nulls(n),
        "half": pa.array([i / 4 for i in range(n)], pa.float16()),
        "large_list": pa.array([[i] * (i % 3) for i in range(n)],
                               pa.large_list(pa.int16())),
        "pair": pa.array([None if i % 6 == 0 else [i, i + 1]
                          for i in range(n)], pa.list_(pa.int32(), 2)),
        "flags": pa.array([[True, None, False][:i % 4] for i in range(n)],
                          pa.list_(pa.bool_())),
        "kind": pa.array(texts(n, 7)).dictionary_encode(),
        "kinds": pa.array([["a", "b", None][:i % 4] for i in range(n)],
                          pa.list_(pa.dictionary(pa.int8(), pa.string()))),
        "map": pa.array([[("k%d" % j, j) for j in range(i % 3)]
                         for i in range(n)], pa.map_(pa.string(), pa.int64())),
        "huge": pa.array([i * 2 ** 59 for i in range(n)], pa.uint64()),
    })


def make_arrow():
    for stream in [False, True]:
        arrow("chat", chat_table(60), stream, batch=25)
        arrow("ids", ids_table(60), stream, batch=17)
    arrow("types", many_types(28).set_column(
        10, "huge", pa.array([i * 2 ** 58 for i in range(28)], pa.uint64())),
          batch=10)
    arrow("scalars", scalar_table(60), True)
    arrow("binary", binary_table(20))
    arrow("chat_zstd", chat_table(60), compression="zstd")
    arrow("chat_lz4", chat_table(60), True, compression="lz4")
    arrow("empty", chat_table(0))
    first = pa.array(["a", "b", "a", None]).dictionary_encode()
    second = pa.DictionaryArray.from_arrays(
        pa.array([2, 0, 1], pa.int32()), pa.array(["a", "b", "c"]))
    table = pa.table({"kind": pa.chunked_array([first, second])})
    arrow("delta_dictionary", table, True, emit_dictionary_deltas=True)
    arrow("new_dictionary", table, True)


if __name__ == "__main__":
    make_parquet()
    make_arrow()
    with open(os.path.join(HERE, "fixtures.txt"), "w", encoding="utf-8") as index:
        index.writelines(INDEX)
