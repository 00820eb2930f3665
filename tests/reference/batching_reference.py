#!/usr/bin/env python3
"""Computes what TRL and transformers do with given lengths.

Writes tests/reference/batching_figures.h: packs of trl.pack_dataset and
batches of transformers' length-grouped sampler, on lengths that the C++ test
makes again from the same seed. Run once, by hand, with the versions that the
header then names:

    pip install trl transformers datasets torch
    python3 tests/reference/batching_reference.py > \
        tests/reference/batching_figures.h

Nothing of the build runs this script.
"""

import datasets
import torch
import transformers
import trl
from datasets import Dataset
from transformers.trainer_pt_utils import get_length_grouped_indices
from trl.data_utils import pack_dataset

datasets.disable_progress_bars()
MASK = (1 << 64) - 1


def split_mix(seed):
    state = seed
    while True:
        state = (state + 0x9E3779B97F4A7C15) & MASK
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        yield z ^ (z >> 31)


def skewed_lengths(n, most, seed):
    """As naive::skewed_lengths of the tests."""
    numbers = split_mix(seed)
    return [1 + (next(numbers) % most) * (next(numbers) % most) // most
            for _ in range(n)]


def shuffled(n, seed):
    """As trainsight::batching::shuffle of 0 … n-1."""
    numbers = split_mix(seed)
    order = list(range(n))
    for i in range(n - 1, 0, -1):
        j = next(numbers) % (i + 1)
        order[i], order[j] = order[j], order[i]
    return order


def packs(lengths, pack_length, strategy, window):
    rows = Dataset.from_dict({"input_ids": [[1] * n for n in lengths]})
    out = pack_dataset(rows, pack_length, strategy, {"batch_size": window})
    kept = [len(ids) for ids in out["input_ids"]]
    return len(kept), sum(kept)


def checksum(order):
    """FNV-1a over the ids as 32-bit words, to compare a whole order."""
    value = 0xCBF29CE484222325
    for i in order:
        value = ((value ^ i) * 0x100000001B3) & MASK
    return value


def padded_waste(order, lengths, batch):
    slots = 0
    for i in range(0, len(order), batch):
        part = [lengths[k] for k in order[i:i + batch]]
        slots += len(part) * max(part)
    return 1 - sum(lengths) / slots


def grouped_order(lengths, batch, seed):
    """The real sampler, with our permutation in place of torch's."""
    given = torch.tensor(shuffled(len(lengths), seed))
    randperm = torch.randperm
    torch.randperm = lambda n, generator=None: given
    try:
        return get_length_grouped_indices(lengths, batch)
    finally:
        torch.randperm = randperm


def main():
    print("// Written by batching_reference.py; do not edit.")
    print(f"// trl {trl.__version__}, transformers {transformers.__version__},"
          f" datasets {datasets.__version__},")
    print(f"// torch {torch.__version__}")
    print("""#ifndef TRAINSIGHT_TESTS_REFERENCE_BATCHING_FIGURES_H_
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

inline constexpr TrlPacks kTrlPacks[] = {""")
    for rows, most, seed in ((3500, 700, 1), (2300, 4000, 2), (1000, 60, 3)):
        lengths = skewed_lengths(rows, most, seed)
        for pack_length in (512, 1024, 1025):
            for strategy in ("bfd", "bfd_split", "wrapped"):
                for window in (1000, rows):
                    n, tokens = packs(lengths, pack_length, strategy, window)
                    print(f'    {{{rows}, {most}, {seed}, {pack_length}, '
                          f'{window}, "{strategy}", {n}, {tokens}}},')
    print("""};

// transformers' get_length_grouped_indices over skewed_lengths(rows, 700, 1):
// `order` is a checksum of the order when the permutation is our shuffle of
// `seed`; `mean_waste` and `standard_error` are over 200 epochs of torch's.
struct GroupedOrder {
  std::uint32_t rows, batch;
  std::uint64_t seed, order;
  double mean_waste, standard_error;
};

inline constexpr GroupedOrder kGroupedOrders[] = {""")
    for rows, batch in ((3500, 8), (3501, 4), (100, 8), (6, 4), (20000, 32)):
        lengths = skewed_lengths(rows, 700, 1)
        order = checksum(grouped_order(lengths, batch, 42))
        waste = []
        for epoch in range(200):
            generator = torch.Generator().manual_seed(epoch)
            indices = get_length_grouped_indices(lengths, batch,
                                                 generator=generator)
            waste.append(padded_waste(indices, lengths, batch))
        mean = sum(waste) / len(waste)
        spread = sum((w - mean)**2 for w in waste) / (len(waste) - 1)
        error = (spread / len(waste))**0.5
        print(f"    {{{rows}, {batch}, 42, {order:#x}U, {mean:.9f}, "
              f"{error:.9f}}},")
    print("""};

}  // namespace trainsight::batching::reference

#endif  // TRAINSIGHT_TESTS_REFERENCE_BATCHING_FIGURES_H_""")


if __name__ == "__main__":
    main()
