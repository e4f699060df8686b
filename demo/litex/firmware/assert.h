/* SPDX-License-Identifier: Apache-2.0 */
/* All that modeloom_registers.h needs of a C library. */
#define static_assert _Static_assert
