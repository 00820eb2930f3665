// ByteLevel's alphabet: a printable character for each of the 256 bytes.
//
// A byte that is a printable character of Latin-1 (! to ~, ¡ to ¬, ® to ÿ)
// stands for itself, the others are U+0100, U+0101, … in their order.
// Source: openai/gpt-2, src/encoder.py, bytes_to_unicode().
// Thread-safety: pure.
#ifndef TRAINSIGHT_TOKENIZE_BYTE_ALPHABET_H_
#define TRAINSIGHT_TOKENIZE_BYTE_ALPHABET_H_

#include <array>
#include <cstdint>

namespace trainsight::tokenize {

inline constexpr std::uint16_t kNoByte = 0xFFFF;

/// The alphabet both ways.
struct ByteAlphabet {
  std::array<std::uint16_t, 256> character_of{};
  std::array<std::uint16_t, 0x144> byte_of{};  ///< kNoByte: not in it
};

constexpr ByteAlphabet make_byte_alphabet() {
  ByteAlphabet alphabet;
  for (std::uint16_t& byte : alphabet.byte_of) byte = kNoByte;
  std::uint16_t next = 0x100;
  for (std::uint16_t byte = 0; byte < 256; ++byte) {
    const bool printable = (byte >= 0x21 && byte <= 0x7E) ||
                           (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
    const std::uint16_t character = printable ? byte : next++;
    alphabet.character_of[byte] = character;
    alphabet.byte_of[character] = byte;
  }
  return alphabet;
}

inline constexpr ByteAlphabet kByteAlphabet = make_byte_alphabet();

}  // namespace trainsight::tokenize

#endif  // TRAINSIGHT_TOKENIZE_BYTE_ALPHABET_H_
