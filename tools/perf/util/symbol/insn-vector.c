// SPDX-License-Identifier: GPL-2.0
/*
 * Computes the length of an instruction with a VEX or EVEX prefix: libcapstone 4 does not know all of them, and libc's string
 * functions consist of such. Unlike the format of older instructions, theirs does not depend on the operation except for a byte at
 * the end (Intel's manual, volume 2, 2.3 and 2.7, and the opcode maps in its appendix A):
 *	c5 P OPCODE ...			map 1
 *	c4 P P OPCODE ...		the map is in the low bits of the first P
 *	62 P P P OPCODE ...		the same
 * then, except for vzeroupper and vzeroall, ModRM, SIB, a displacement of one or four bytes, an immediate byte.
 */
#include "util/symbol/insn-vector.h"

#define VEX2 0xc5
#define VEX3 0xc4
#define EVEX 0x62
#define VZERO 0x77 /* in map 1 */

/* The length of the ModRM byte and what it requires. */
static u32 operand_length(const u8 *modrm, size_t size)
{
	u32 mod = size ? modrm[0] >> 6 : 0, rm = size ? modrm[0] & 7 : 0;
	bool has_sib = mod != 3 && rm == 4;
	bool is_based = !(has_sib ? size > 1 && (modrm[1] & 7) == 5 : rm == 5);
	u32 displacement = mod == 1 ? 1 : mod == 2 || (mod == 0 && !is_based) ? 4 : 0;

	return 1 + has_sib + displacement;
}

static bool has_immediate(u32 map, u8 opcode)
{
	switch (map) {
	case 1:
		return (opcode >= 0x70 && opcode <= 0x73) || opcode == 0xc2 || (opcode >= 0xc4 && opcode <= 0xc6);
	case 3:
		return true;
	}
	return false;
}

u32 vector_insn__length(const u8 *code, size_t size)
{
	u32 opcode_at, map, length;

	if (size < 2)
		return 0;
	if (code[0] == VEX2) {
		opcode_at = 2;
		map = 1;
	} else if (code[0] == VEX3) {
		opcode_at = 3;
		map = code[1] & 0x1f;
	} else if (code[0] == EVEX) {
		opcode_at = 4;
		map = code[1] & 7;
	} else {
		return 0;
	}
	if (size <= opcode_at || !(map >= 1 && map <= 3))
		return 0;
	length = opcode_at + 1 + has_immediate(map, code[opcode_at]);
	if (map != 1 || code[opcode_at] != VZERO)
		length += operand_length(code + opcode_at + 1, size - opcode_at - 1);
	return length <= size ? length : 0;
}
