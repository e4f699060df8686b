// SPDX-License-Identifier: Apache-2.0
//
// Gives a core in Verilator the inputs of a file, cycle by cycle, compares its outputs, and writes its coverage.
//
//   $ Vcore ROWS BEFORE AFTER      ROWS: a byte (1: compare the outputs), then the values of all pins, for each cycle
//
// BEFORE is the coverage when the signals have taken their values at power-up, which is no toggle.

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <vector>

#include "Vcore.h"
#include "verilated.h"
#include "verilated_cov.h"

namespace {

// Verilator keeps a port in the smallest integer that it fits into, or in an array of 32-bit words; bytes go from bits [7:0] up.
template <typename T> void set(T &port, const uint8_t *bytes, size_t count) {
	std::memset(&port, 0, sizeof port);
	std::memcpy(&port, bytes, count);
}

template <typename T> bool same(const T &port, const uint8_t *bytes, size_t count) { return !std::memcmp(&port, bytes, count); }

}  // namespace

double sc_time_stamp() { return 0; }

int main(int argc, char **argv) {
	if (argc != 4) return 2;
	std::ifstream file(argv[1], std::ios::binary);
	auto core = std::make_unique<Vcore>();
	std::vector<uint8_t> row(1 + PIN_BYTES);
	VerilatedCovContext *coverage = Verilated::threadContextp()->coveragep();
	coverage->forcePerInstance(true);
	core->CLOCK = 0;
	core->eval();
	coverage->write(argv[2]);
	for (unsigned long cycle = 0; file.read(reinterpret_cast<char *>(row.data()), row.size()); cycle++) {
		const uint8_t *bytes = row.data() + 1;
#define INPUT(name, at, count) set(core->name, bytes + at, count);
#include "pins.h"
#undef INPUT
		core->CLOCK = 0;
		core->eval();
#define OUTPUT(name, at, count) \
	if (row[0] && !same(core->name, bytes + at, count)) { \
		std::fprintf(stderr, "%s differs in cycle %lu\n", #name, cycle); \
		return 1; \
	}
#include "pins.h"
#undef OUTPUT
		core->CLOCK = 1;
		core->eval();
	}
	core->final();
	coverage->write(argv[3]);
	return 0;
}
