// SPDX-License-Identifier: GPL-2.0
/* The kernel's forms of %p (Documentation/core-api/printk-formats.rst): functions, addresses of networks, UUIDs, bytes, masks. */
#include "util/event/tp-pointer.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <string.h>
#include <traceevent/event-parse.h>

static void put_function(const struct tp_record *rec, char letter, u64 address, struct text *out)
{
	unsigned long long start = address;
	const char *name = rec->function ? rec->function(rec->names_data, &start) : NULL;

	if (!name) {
		text__printf(out, "0x%" PRIx64, address);
		return;
	}
	text__str(out, name);
	if (letter == 'S' || letter == 'F')
		text__printf(out, "+0x%" "llx", address - start);
}

static void put_ipv4(const u8 *a, bool zeros, struct text *out)
{
	text__printf(out, zeros ? "%03u.%03u.%03u.%03u" : "%u.%u.%u.%u", a[0], a[1], a[2], a[3]);
}

static void put_ipv6(const u8 *a, const char *letters, struct text *out)
{
	const bool colons = letters[0] == 'I';
	char buf[INET6_ADDRSTRLEN];

	if (strchr(letters, 'c') && inet_ntop(AF_INET6, a, buf, sizeof(buf))) {
		text__str(out, buf);
		return;
	}
	for (int i = 0; i < 16; i += 2)
		text__printf(out, "%s%02x%02x", i && colons ? ":" : "", a[i], a[i + 1]);
}

/* A struct sockaddr: "c" compresses, "p" adds the port, "f" and "s" flow and scope */
static bool put_sockaddr(const struct tp_record *rec, const char *letters, const struct tp_result *value, struct text *out)
{
	const bool port = strchr(letters + 1, 'p');
	struct sockaddr_in6 six;
	struct sockaddr_in four;
	u16 family;

	if (value->len < sizeof(family))
		return false;
	family = tep_read_number(rec->tep, value->data, sizeof(family));
	if (family == AF_INET && value->len >= sizeof(four)) {
		memcpy(&four, value->data, sizeof(four));
		put_ipv4((const u8 *)&four.sin_addr, letters[0] == 'i', out);
		if (port)
			text__printf(out, ":%u", ntohs(four.sin_port));
		return true;
	}
	if (family == AF_INET6 && value->len >= sizeof(six)) {
		memcpy(&six, value->data, sizeof(six));
		text__str(out, port ? "[" : "");
		put_ipv6((const u8 *)&six.sin6_addr, letters, out);
		if (port)
			text__printf(out, "]:%u", ntohs(six.sin6_port));
		return true;
	}
	text__str(out, "(invalid address)");
	return true;
}

static bool put_ip(const struct tp_record *rec, const char *letters, const struct tp_result *value, struct text *out)
{
	if (letters[1] == 'S')
		return put_sockaddr(rec, letters, value, out);
	if (letters[1] == '4' && value->len >= 4)
		put_ipv4(value->data, letters[0] == 'i', out);
	else if (letters[1] == '6' && value->len >= 16)
		put_ipv6(value->data, letters, out);
	else
		return false;
	return true;
}

static bool put_mac(const char *letters, const struct tp_result *value, struct text *out)
{
	const char *separator = letters[0] == 'm' ? "" : letters[1] == 'F' ? "-" : ":";

	if (value->len < 6)
		return false;
	for (int i = 0; i < 6; i++)
		text__printf(out, "%s%02x", i ? separator : "", value->data[letters[1] == 'R' ? 5 - i : i]);
	return true;
}

static bool put_uuid(const char *letters, const struct tp_result *value, struct text *out)
{
	static const u8 big[16] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
	static const u8 little[16] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };
	const u8 *order = (letters[1] | 0x20) == 'l' ? little : big;
	const bool upper = letters[1] == 'L' || letters[1] == 'B';

	if (value->len < 16)
		return false;
	for (int i = 0; i < 16; i++) {
		text__str(out, i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "");
		text__printf(out, upper ? "%02X" : "%02x", value->data[order[i]]);
	}
	return true;
}

/* %*ph: at most 64 bytes */
static bool put_bytes(const char *letters, const struct tp_result *value, s64 width, struct text *out)
{
	const char *separator = letters[1] == 'C' ? ":" : letters[1] == 'D' ? "-" : letters[1] == 'N' ? "" : " ";
	const s64 nr = width < 1 ? 1 : width > 64 ? 64 : width;

	if (nr > value->len)
		return false;
	for (s64 i = 0; i < nr; i++)
		text__printf(out, "%s%02x", i ? separator : "", value->data[i]);
	return true;
}

/* Masks are arrays of longs. */
static bool has_bit(const struct tp_record *rec, const u8 *data, u32 bit)
{
	const u32 word = rec->long_size * 8;

	return tep_read_number(rec->tep, data + bit / word * rec->long_size, rec->long_size) >> bit % word & 1;
}

static void put_ranges(const struct tp_record *rec, const u8 *data, u32 nr_bits, struct text *out)
{
	const char *comma = "";

	for (u32 bit = 0, end; bit < nr_bits; bit = end + 1) {
		for (end = bit; end < nr_bits && has_bit(rec, data, end); end++)
			;
		if (end == bit)
			continue;
		text__printf(out, end - bit > 1 ? "%s%u-%u" : "%s%u", comma, bit, end - 1);
		comma = ",";
	}
}

void tp_pointer__bitmap(const struct tp_record *rec, const u8 *data, u32 len, u32 nr_bits, bool as_list, struct text *out)
{
	const u32 whole = len / rec->long_size * rec->long_size * 8;
	u32 word = 0, digits;

	nr_bits = nr_bits > whole ? whole : nr_bits;
	if (as_list) {
		put_ranges(rec, data, nr_bits, out);
		return;
	}
	for (u32 bit = nr_bits; bit--;) { /* 32 bits have 8 digits, and the first ones as many as they need */
		word = word << 1 | has_bit(rec, data, bit);
		if (bit % 32)
			continue;
		digits = bit + 32 > nr_bits ? (nr_bits - bit + 3) / 4 : 8;
		text__printf(out, "%0*x%s", (int)digits, word, bit ? "," : "");
		word = 0;
	}
}

bool tp_pointer__print(const struct tp_record *rec, const struct tp_conversion *c, const struct tp_result *value, s64 width, struct text *out)
{
	const char *letters = c->pointer;

	if (value->kind == TP_VALUE_NUMBER) {
		if (letters[0] && strchr("SsFfB", letters[0]))
			put_function(rec, letters[0], value->number, out);
		else if (!value->number)
			text__str(out, "(nil)");
		else
			text__printf(out, "0x%" PRIx64, value->number);
		return true;
	}
	if (value->kind != TP_VALUE_DATA)
		return false;
	switch (letters[0]) {
	case 'I': case 'i':
		return put_ip(rec, letters, value, out);
	case 'M': case 'm':
		return put_mac(letters, value, out);
	case 'U':
		return put_uuid(letters, value, out);
	case 'h':
		return put_bytes(letters, value, width, out);
	case 'b':
		tp_pointer__bitmap(rec, value->data, value->len, width < 0 ? 0 : width, letters[1] == 'l', out);
		return true;
	default:
		return false;
	}
}
