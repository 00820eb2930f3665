#include "trainsight/cli/app.h"

int main(int argc, char** argv) {
  return static_cast<int>(trainsight::cli::run(argc, argv));
}
