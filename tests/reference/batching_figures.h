// Written by batching_reference.py; do not edit.
// trl 1.16.0, transformers 5.24.0, datasets 5.2.0,
// torch 2.15.0+cu132
#ifndef TRAINSIGHT_TESTS_REFERENCE_BATCHING_FIGURES_H_
#define TRAINSIGHT_TESTS_REFERENCE_BATCHING_FIGURES_H_

#include <cstdint>

namespace trainsight::batching::reference {

// trl.pack_dataset over skewed_lengths(rows, most, seed).
struct TrlPacks {
  std::uint32_t rows, most;
  std::uint64_t seed;
  std::uint32_t pack_length, window;
  const char* strategy;
  std::uint64_t packs, tokens;
};

inline constexpr TrlPacks kTrlPacks[] = {
    {3500, 700, 1, 512, 1000, "bfd", 1182, 603796},
    {3500, 700, 1, 512, 3500, "bfd", 1180, 603796},
    {3500, 700, 1, 512, 1000, "bfd_split", 1199, 612418},
    {3500, 700, 1, 512, 3500, "bfd_split", 1197, 612418},
    {3500, 700, 1, 512, 1000, "wrapped", 1199, 612418},
    {3500, 700, 1, 512, 3500, "wrapped", 1197, 612418},
    {3500, 700, 1, 1024, 1000, "bfd", 600, 612418},
    {3500, 700, 1, 1024, 3500, "bfd", 599, 612418},
    {3500, 700, 1, 1024, 1000, "bfd_split", 600, 612418},
    {3500, 700, 1, 1024, 3500, "bfd_split", 599, 612418},
    {3500, 700, 1, 1024, 1000, "wrapped", 600, 612418},
    {3500, 700, 1, 1024, 3500, "wrapped", 599, 612418},
    {3500, 700, 1, 1025, 1000, "bfd", 599, 612418},
    {3500, 700, 1, 1025, 3500, "bfd", 598, 612418},
    {3500, 700, 1, 1025, 1000, "bfd_split", 599, 612418},
    {3500, 700, 1, 1025, 3500, "bfd_split", 598, 612418},
    {3500, 700, 1, 1025, 1000, "wrapped", 599, 612418},
    {3500, 700, 1, 1025, 3500, "wrapped", 598, 612418},
    {2300, 4000, 2, 512, 1000, "bfd", 1772, 906179},
    {2300, 4000, 2, 512, 2300, "bfd", 1771, 906179},
    {2300, 4000, 2, 512, 1000, "bfd_split", 4489, 2296881},
    {2300, 4000, 2, 512, 2300, "bfd_split", 4487, 2296881},
    {2300, 4000, 2, 512, 1000, "wrapped", 4488, 2296881},
    {2300, 4000, 2, 512, 2300, "wrapped", 4487, 2296881},
    {2300, 4000, 2, 1024, 1000, "bfd", 1445, 1477586},
    {2300, 4000, 2, 1024, 2300, "bfd", 1444, 1477586},
    {2300, 4000, 2, 1024, 1000, "bfd_split", 2246, 2296881},
    {2300, 4000, 2, 1024, 2300, "bfd_split", 2244, 2296881},
    {2300, 4000, 2, 1024, 1000, "wrapped", 2245, 2296881},
    {2300, 4000, 2, 1024, 2300, "wrapped", 2244, 2296881},
    {2300, 4000, 2, 1025, 1000, "bfd", 1445, 1478476},
    {2300, 4000, 2, 1025, 2300, "bfd", 1443, 1478476},
    {2300, 4000, 2, 1025, 1000, "bfd_split", 2244, 2296881},
    {2300, 4000, 2, 1025, 2300, "bfd_split", 2242, 2296881},
    {2300, 4000, 2, 1025, 1000, "wrapped", 2242, 2296881},
    {2300, 4000, 2, 1025, 2300, "wrapped", 2241, 2296881},
    {1000, 60, 3, 512, 1000, "bfd", 30, 15008},
    {1000, 60, 3, 512, 1000, "bfd", 30, 15008},
    {1000, 60, 3, 512, 1000, "bfd_split", 30, 15008},
    {1000, 60, 3, 512, 1000, "bfd_split", 30, 15008},
    {1000, 60, 3, 512, 1000, "wrapped", 30, 15008},
    {1000, 60, 3, 512, 1000, "wrapped", 30, 15008},
    {1000, 60, 3, 1024, 1000, "bfd", 15, 15008},
    {1000, 60, 3, 1024, 1000, "bfd", 15, 15008},
    {1000, 60, 3, 1024, 1000, "bfd_split", 15, 15008},
    {1000, 60, 3, 1024, 1000, "bfd_split", 15, 15008},
    {1000, 60, 3, 1024, 1000, "wrapped", 15, 15008},
    {1000, 60, 3, 1024, 1000, "wrapped", 15, 15008},
    {1000, 60, 3, 1025, 1000, "bfd", 15, 15008},
    {1000, 60, 3, 1025, 1000, "bfd", 15, 15008},
    {1000, 60, 3, 1025, 1000, "bfd_split", 15, 15008},
    {1000, 60, 3, 1025, 1000, "bfd_split", 15, 15008},
    {1000, 60, 3, 1025, 1000, "wrapped", 15, 15008},
    {1000, 60, 3, 1025, 1000, "wrapped", 15, 15008},
};

// transformers' get_length_grouped_indices over skewed_lengths(rows, 700, 1):
// `order` is a checksum of the order when the permutation is our shuffle of
// `seed`; `mean_waste` and `standard_error` are over 200 epochs of torch's.
struct GroupedOrder {
  std::uint32_t rows, batch;
  std::uint64_t seed, order;
  double mean_waste, standard_error;
};

inline constexpr GroupedOrder kGroupedOrders[] = {
    {3500, 8, 42, 0x2b11d085314e0d2fU, 0.033698933, 0.000042119},
    {3501, 4, 42, 0xeb8c74917b684c43U, 0.028195268, 0.000038036},
    {100, 8, 42, 0xdd07680f65182183U, 0.388443827, 0.001353066},
    {6, 4, 42, 0xa75292c6606fd5faU, 0.549557720, 0.001718955},
    {20000, 32, 42, 0xbe28e9644965e085U, 0.039083959, 0.000018936},
};

}  // namespace trainsight::batching::reference

#endif  // TRAINSIGHT_TESTS_REFERENCE_BATCHING_FIGURES_H_
