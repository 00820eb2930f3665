// memory_bench CSV: a row a case, then the error by source and method.
#include <fmt/format.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <algorithm>
#include <cmath>

#include "bench/memory_cases.h"

using namespace trainsight;

int main(int argc, char** argv) {
  std::ifstream in(argv[1]);
  const std::string csv{std::istreambuf_iterator<char>(in), {}};
  const auto cases = bench::read_memory_cases(csv);
  if (!cases) { fmt::print("{}\n", cases.error().message); return 1; }
  const long only = argc > 2 ? std::atol(argv[2]) : -1;
  struct Sum { std::vector<double> e; double bias=0; };
  std::map<std::string, Sum> by;
  int tp=0, fp=0, fn=0;
  constexpr double kG = 1 << 30;
  for (const auto& one : *cases) {
    memory::Peak p;
    const double predicted = bench::predicted_bytes(one, {}, &p) / kG;
    const bool oom = one.usable_gib > 0 && p.device / kG > one.usable_gib;
    if (one.out_of_memory) { if (oom) ++tp; else ++fn; } else if (oom) ++fp;
    const double m = one.measured_gib.value_or(0);
    const double err = m > 0 ? predicted / m - 1 : 0;
    if (only < 0 ? true : one.row == (size_t)only) {
      fmt::print("{:3} {:18} {:6} {:7.2f} meas {:6.2f} {:+6.1f}% {} {:4} dev {:6.2f}/{:5.1f}{} {} ", one.row, one.model, one.method, predicted, m, err*100,
       "ARD"[(int)one.metric], one.fully_described?"":"part", p.device/kG, one.usable_gib, oom ? " OOM":"", one.out_of_memory ? "oom!":"");
      for (size_t t=0;t<memory::kTermCount-3;++t) if (p.terms[t] > 0.01*kG) fmt::print(" {}{}={:.2f}", belongs((memory::Term)t,p.winner)?"*":"", name_of((memory::Term)t).substr(0,9), p.terms[t]/kG);
      fmt::print(" [{}] {} {}\n", name_of(p.winner), one.project, one.batch.tokens());
    }
    if (m > 0) {
      for (const std::string& k : {std::string("all"), "src " + one.project, "method "+one.method, std::string("metric ")+"ARD"[(int)one.metric], std::string(one.fully_described && one.metric==bench::Metric::kAllocated ? "alloc-known":"other")}) {
        by[k].e.push_back(std::abs(err)); by[k].bias += err;
      }
    }
  }
  for (auto& [k, s] : by) {
    std::sort(s.e.begin(), s.e.end());
    double sum=0; int w=0; for (double e : s.e) { sum+=e; w+= e<=0.15; }
    fmt::print("{:45} n {:3} MAPE {:5.1f} med {:5.1f} p90 {:5.1f} in15 {:5.1f} bias {:+5.1f}\n", k, s.e.size(), 100*sum/s.e.size(), 100*s.e[s.e.size()/2], 100*s.e[s.e.size()*9/10], 100.0*w/s.e.size(), 100*s.bias/s.e.size());
  }
  fmt::print("OOM tp {} fp {} fn {}\n", tp, fp, fn);
}
