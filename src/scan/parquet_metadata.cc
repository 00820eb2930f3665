#include "scan/parquet_metadata.h"

#include <utility>

namespace trainsight::scan::parquet {
namespace {

// Beyond any real schema: wide tables have some thousands of columns.
constexpr std::size_t kMaxSchemaElements = 100'000;

// Calls visit(field) for each field of the struct at `thrift`; the visitor
// reads the value or skips it.
template <typename Visit>
void for_each_field(ThriftReader& thrift, Visit&& visit) {
  std::int16_t id = 0;
  while (thrift.ok()) {
    const ThriftReader::Field field = thrift.field(id);
    if (field.type == ThriftType::kStop) return;
    id = field.id;
    visit(field);
  }
}

// Of the enumeration ConvertedType.
Meaning meaning_of_converted(std::int32_t converted) {
  switch (converted) {
    case 0:   // UTF8
    case 4:   // ENUM
    case 19:  // JSON
      return Meaning::kText;
    case 1:  // MAP
    case 2:  // MAP_KEY_VALUE
      return Meaning::kMap;
    case 3:  // LIST
      return Meaning::kList;
    case 5:  // DECIMAL
      return Meaning::kDecimal;
    case 11:  // UINT_8
    case 12:  // UINT_16
    case 13:  // UINT_32
    case 14:  // UINT_64
      return Meaning::kUnsigned;
    case 20:  // BSON
      return Meaning::kBinary;
    default:  // dates and times, signed integers, intervals: as stored
      return Meaning::kNone;
  }
}

// The union LogicalType: one field, whose id says which.
void read_logical_type(ThriftReader& thrift, SchemaElement& element) {
  for_each_field(thrift, [&](ThriftReader::Field field) {
    switch (field.id) {
      case 1:   // STRING
      case 4:   // ENUM
      case 12:  // JSON
        element.meaning = Meaning::kText;
        break;
      case 2:
        element.meaning = Meaning::kMap;
        break;
      case 3:
        element.meaning = Meaning::kList;
        break;
      case 5: {  // DECIMAL {1: scale, 2: precision}
        element.meaning = Meaning::kDecimal;
        if (!thrift.expect(field.type, ThriftType::kStruct)) return;
        for_each_field(thrift, [&](ThriftReader::Field part) {
          if (part.id == 1) {
            element.scale = thrift.int32(part.type);
          } else {
            thrift.skip(part.type);
          }
        });
        return;
      }
      case 10: {  // INTEGER {1: bitWidth, 2: isSigned}
        if (!thrift.expect(field.type, ThriftType::kStruct)) return;
        for_each_field(thrift, [&](ThriftReader::Field part) {
          if (part.id == 2 && part.type == ThriftType::kFalse) {
            element.meaning = Meaning::kUnsigned;
          }
          thrift.skip(part.type);
        });
        return;
      }
      case 13:
        element.meaning = Meaning::kBinary;
        break;
      case 14:
        element.meaning = Meaning::kUuid;
        break;
      case 15:
        element.meaning = Meaning::kFloat16;
        break;
      default:
        break;
    }
    thrift.skip(field.type);
  });
}

SchemaElement read_schema_element(ThriftReader& thrift) {
  SchemaElement element;
  Meaning converted = Meaning::kNone;
  for_each_field(thrift, [&](ThriftReader::Field field) {
    switch (field.id) {
      case 1:
        element.type = static_cast<PhysicalType>(thrift.int32(field.type));
        break;
      case 2:
        element.type_length = thrift.int32(field.type);
        break;
      case 3:
        element.repetition = static_cast<Repetition>(thrift.int32(field.type));
        break;
      case 4:
        element.name = thrift.binary(field.type);
        break;
      case 5:
        element.num_children = thrift.int32(field.type);
        break;
      case 6:
        converted = meaning_of_converted(thrift.int32(field.type));
        break;
      case 7:
        element.scale = thrift.int32(field.type);
        break;
      case 10:
        if (thrift.expect(field.type, ThriftType::kStruct)) {
          read_logical_type(thrift, element);
        }
        break;
      default:
        thrift.skip(field.type);
    }
  });
  // A group says that it is one by having children and no type.
  if (element.num_children > 0) element.type.reset();
  if (element.meaning == Meaning::kNone) element.meaning = converted;
  return element;
}

void read_column_metadata(ThriftReader& thrift, ColumnChunk& chunk) {
  for_each_field(thrift, [&](ThriftReader::Field field) {
    switch (field.id) {
      case 1:
        chunk.type = static_cast<PhysicalType>(thrift.int32(field.type));
        break;
      case 4:
        chunk.codec = static_cast<Codec>(thrift.int32(field.type));
        break;
      case 5:
        chunk.num_values = thrift.integer(field.type);
        break;
      case 6:
        chunk.uncompressed_bytes = thrift.integer(field.type);
        break;
      case 7:
        chunk.compressed_bytes = thrift.integer(field.type);
        break;
      case 9:
        chunk.data_page_offset = thrift.integer(field.type);
        break;
      case 11:
        chunk.dictionary_page_offset = thrift.integer(field.type);
        break;
      default:
        thrift.skip(field.type);
    }
  });
}

Error corrupt(const std::string& what) {
  return Error{ErrorKind::kCorrupt, what, "copy or download the file again"};
}

Error unsupported(const std::string& what) {
  return Error{ErrorKind::kUnsupported, what, ""};
}

Result<ColumnChunk> read_column_chunk(ThriftReader& thrift) {
  ColumnChunk chunk;
  bool has_metadata = false;
  bool elsewhere = false;
  bool encrypted = false;
  for_each_field(thrift, [&](ThriftReader::Field field) {
    if (field.id == 3 && thrift.expect(field.type, ThriftType::kStruct)) {
      has_metadata = true;
      read_column_metadata(thrift, chunk);
      return;
    }
    if (field.id == 1) elsewhere = true;  // file_path
    if (field.id == 8 || field.id == 9) encrypted = true;
    thrift.skip(field.type);
  });
  if (!thrift.ok()) return corrupt("damaged column metadata in its footer");
  if (encrypted) return unsupported("its columns are encrypted");
  if (elsewhere) {
    return unsupported(
        "it is a _metadata file: its columns are in other files");
  }
  if (!has_metadata) return corrupt("a column without metadata in its footer");
  if (chunk.num_values < 0 || chunk.compressed_bytes < 0 ||
      chunk.uncompressed_bytes < 0 || chunk.data_page_offset < 0 ||
      chunk.dictionary_page_offset < 0) {
    return corrupt("a negative size or offset in its footer");
  }
  return chunk;
}

}  // namespace

Result<FileMetadata> FileMetadata::parse(std::string_view footer) {
  FileMetadata metadata;
  ThriftReader thrift(footer);
  bool encrypted = false;
  bool too_long = false;
  for_each_field(thrift, [&](ThriftReader::Field field) {
    switch (field.id) {
      case 2: {
        const ThriftReader::List list = thrift.list(field.type);
        too_long = list.size > kMaxSchemaElements;
        if (too_long || !thrift.ok() ||
            !thrift.expect(list.type, ThriftType::kStruct)) {
          thrift.fail();
          return;
        }
        for (std::uint32_t i = 0; i < list.size && thrift.ok(); ++i) {
          metadata.schema_.push_back(read_schema_element(thrift));
        }
        return;
      }
      case 3:
        metadata.num_rows_ = thrift.integer(field.type);
        return;
      case 4: {
        const ThriftReader::List list = thrift.list(field.type);
        metadata.num_groups_ = list.size;
        metadata.groups_ = thrift;
        if (list.size > 0) thrift.expect(list.type, ThriftType::kStruct);
        for (std::uint32_t i = 0; i < list.size && thrift.ok(); ++i) {
          thrift.skip(list.type);
        }
        return;
      }
      case 8:  // encryption_algorithm
        encrypted = true;
        [[fallthrough]];
      default:
        thrift.skip(field.type);
    }
  });
  if (too_long) {
    return Error{ErrorKind::kLimit, "its schema has over 100000 elements", ""};
  }
  if (!thrift.ok()) return corrupt("its footer is damaged");
  if (encrypted) return unsupported("it is encrypted");
  if (metadata.schema_.empty()) return corrupt("its footer has no schema");
  if (metadata.num_rows_ < 0) return corrupt("a negative row count");
  return metadata;
}

Result<std::optional<RowGroup>> FileMetadata::next_row_group(
    std::size_t columns) {
  if (next_group_ == num_groups_) return std::optional<RowGroup>();
  ++next_group_;
  RowGroup group;
  std::optional<Error> error;
  for_each_field(groups_, [&](ThriftReader::Field field) {
    if (field.id == 1) {
      const ThriftReader::List list = groups_.list(field.type);
      if (!groups_.ok() || list.size != columns) {
        error = corrupt("a row group without one chunk for each column");
        groups_.fail();
        return;
      }
      group.columns.clear();
      group.columns.reserve(columns);
      for (std::uint32_t i = 0; i < list.size; ++i) {
        Result<ColumnChunk> chunk = read_column_chunk(groups_);
        if (!chunk) {
          error = chunk.error();
          groups_.fail();
          return;
        }
        group.columns.push_back(*chunk);
      }
    } else if (field.id == 3) {
      group.num_rows = groups_.integer(field.type);
    } else {
      groups_.skip(field.type);
    }
  });
  if (error) return *error;
  if (!groups_.ok() || group.num_rows < 0 || group.columns.size() != columns) {
    return corrupt("a damaged row group in its footer");
  }
  return std::optional<RowGroup>(std::move(group));
}

std::optional<PageHeader> parse_page_header(std::string_view bytes) {
  ThriftReader thrift(bytes);
  PageHeader header;
  bool has_kind = false;
  bool has_body = false;
  const auto read_v1 = [&](ThriftReader::Field part) {
    switch (part.id) {
      case 1:
        header.num_values = thrift.int32(part.type);
        break;
      case 2:
        header.encoding = static_cast<Encoding>(thrift.int32(part.type));
        break;
      case 3:
        header.definition_encoding =
            static_cast<Encoding>(thrift.int32(part.type));
        break;
      case 4:
        header.repetition_encoding =
            static_cast<Encoding>(thrift.int32(part.type));
        break;
      default:
        thrift.skip(part.type);
    }
  };
  const auto read_dictionary = [&](ThriftReader::Field part) {
    if (part.id == 1) {
      header.num_values = thrift.int32(part.type);
    } else if (part.id == 2) {
      header.encoding = static_cast<Encoding>(thrift.int32(part.type));
    } else {
      thrift.skip(part.type);
    }
  };
  const auto read_v2 = [&](ThriftReader::Field part) {
    switch (part.id) {
      case 1:
        header.num_values = thrift.int32(part.type);
        break;
      case 3:
        header.num_rows = thrift.int32(part.type);
        break;
      case 4:
        header.encoding = static_cast<Encoding>(thrift.int32(part.type));
        break;
      case 5:
        header.definition_bytes = thrift.int32(part.type);
        break;
      case 6:
        header.repetition_bytes = thrift.int32(part.type);
        break;
      case 7:
        header.values_compressed = part.type != ThriftType::kFalse;
        break;
      default:
        thrift.skip(part.type);
    }
  };
  for_each_field(thrift, [&](ThriftReader::Field field) {
    switch (field.id) {
      case 1:
        header.kind = static_cast<PageKind>(thrift.int32(field.type));
        has_kind = true;
        return;
      case 2:
        header.uncompressed_bytes = thrift.int32(field.type);
        return;
      case 3:
        header.compressed_bytes = thrift.int32(field.type);
        return;
      case 5:  // data_page_header
      case 7:  // dictionary_page_header
      case 8:  // data_page_header_v2
        if (!thrift.expect(field.type, ThriftType::kStruct)) return;
        has_body = true;
        if (field.id == 5) for_each_field(thrift, read_v1);
        if (field.id == 7) for_each_field(thrift, read_dictionary);
        if (field.id == 8) for_each_field(thrift, read_v2);
        return;
      default:
        thrift.skip(field.type);
    }
  });
  const bool negative = header.uncompressed_bytes < 0 ||
                        header.compressed_bytes < 0 || header.num_values < 0 ||
                        header.num_rows < 0 || header.definition_bytes < 0 ||
                        header.repetition_bytes < 0;
  if (!thrift.ok() || !has_kind || negative) return std::nullopt;
  if (!has_body && header.kind != PageKind::kIndex) return std::nullopt;
  header.header_bytes = static_cast<std::uint32_t>(thrift.offset());
  return header;
}

std::string_view codec_name(Codec codec) {
  switch (codec) {
    case Codec::kUncompressed:
      return "uncompressed";
    case Codec::kSnappy:
      return "snappy";
    case Codec::kGzip:
      return "gzip";
    case Codec::kLzo:
      return "lzo";
    case Codec::kBrotli:
      return "brotli";
    case Codec::kLz4:
      return "lz4";
    case Codec::kZstd:
      return "zstd";
    case Codec::kLz4Raw:
      return "lz4_raw";
  }
  return "an unknown codec";
}

}  // namespace trainsight::scan::parquet
