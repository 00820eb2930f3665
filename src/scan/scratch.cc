#include "scan/scratch.h"

namespace trainsight::scan {

ScratchPointer make_scratch() {
  return {new DecodeScratch, [](DecodeScratch* scratch) { delete scratch; }};
}

}  // namespace trainsight::scan
