/* SPDX-License-Identifier: Apache-2.0 */
/* The first instruction after a reset: sets the stack, copies data, clears the rest, and calls main. A trap ends the simulation. */
    .section .start, "ax"
    .globl start
start:
    la sp, stack_top
    la t0, trap
    csrw mtvec, t0
    la t0, data_start
    la t1, data_end
    la t2, data_load
1:  bgeu t0, t1, 2f
    lw t3, 0(t2)
    sw t3, 0(t0)
    addi t0, t0, 4
    addi t2, t2, 4
    j 1b
2:  la t0, bss_start
    la t1, bss_end
3:  bgeu t0, t1, 4f
    sw zero, 0(t0)
    addi t0, t0, 4
    j 3b
4:  call main
    call finish
5:  j 5b

    .balign 4
trap:
    csrr a0, mcause
    csrr a1, mepc
    call trapped
6:  j 6b
