// SPDX-License-Identifier: Apache-2.0
// Clocks the SoC in Verilator, prints what its serial port sends, and ends with the status that the firmware gives.
//
//     Vsim MOST_CYCLES
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "Vsim.h"
#include "verilated.h"

double sc_time_stamp() { return 0; }

int main(int count, char **arguments)
{
    const unsigned long most = count > 1 ? std::strtoul(arguments[1], nullptr, 0) : 10000000;
    auto soc = std::make_unique<Vsim>();

    soc->serial_source_ready = 1;
    soc->serial_sink_valid = 0;
    for (unsigned long cycle = 0; cycle < most && !Verilated::gotFinish(); cycle++) {
        soc->sys_clk = 0;
        soc->eval();
        if (soc->serial_source_valid)
            std::putchar(soc->serial_source_data);
        if (soc->finish_valid) {
            std::fflush(stdout);
            return soc->finish_status;
        }
        soc->sys_clk = 1;
        soc->eval();
    }
    std::fflush(stdout);
    std::fprintf(stderr, "the firmware did not end within %lu cycles\n", most);
    return 3;
}
