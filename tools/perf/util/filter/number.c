// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <string.h>
#include "util/filter/number.h"

struct unit {
	const char *name;
	u64 factor;
};

static const struct unit plain[] = { { "", 1 }, { NULL, 0 } };
static const struct unit sizes[] = {
	{ "", 1 }, { "K", 1ULL << 10 }, { "M", 1ULL << 20 }, { "G", 1ULL << 30 }, { NULL, 0 }
};
static const struct unit times[] = { { "", 1 },	      { "ns", 1 },	    { "us", 1000 },
				     { "ms", 1000000 }, { "s", 1000000000 }, { NULL, 0 } };

static const struct unit *find_in(const struct unit *unit, const char *s, size_t len)
{
	for (; unit->name; unit++) {
		if (strlen(unit->name) == len && !memcmp(unit->name, s, len))
			return unit;
	}
	return NULL;
}

static const struct unit *find_unit(enum number_units units, const char *s, size_t len)
{
	const struct unit *unit = NULL;

	if (units == NUMBER_TIMES || units == NUMBER_TIMES_AND_SIZES)
		unit = find_in(times, s, len);
	if (!unit && units != NUMBER_TIMES)
		unit = find_in(units == NUMBER_PLAIN ? plain : sizes, s, len);
	return unit;
}

static bool is_time(const struct unit *unit)
{
	return unit >= times && unit < times + ARRAY_SIZE(times);
}

static int digit_value(char c)
{
	if (isdigit((unsigned char)c))
		return c - '0';
	return isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10 : 16;
}

/* Read the digits at s; returns the position after them. *fits becomes false on overflow. */
static const char *read_digits(const char *s, const char *end, int base, u64 *value, bool *fits)
{
	for (*value = 0; s < end && digit_value(*s) < base; s++) {
		if (__builtin_mul_overflow(*value, (u64)base, value) ||
		    __builtin_add_overflow(*value, (u64)digit_value(*s), value))
			*fits = false;
	}
	return s;
}

/* Read the digits after the point, worth factor/10, factor/100, ... */
static enum number_result add_fraction(const char *s, const char *end, u64 factor, u64 *value)
{
	for (; s < end; s++) {
		factor /= 10;
		if (!factor && *s != '0')
			return NUMBER_TOO_FINE;
		if (__builtin_add_overflow(*value, factor * digit_value(*s), value))
			return NUMBER_TOO_BIG;
	}
	return NUMBER_OK;
}

static enum number_result parse_decimal(const char *s, const char *end, enum number_units units, u64 *value)
{
	const char *fraction = NULL, *fraction_end = NULL;
	const struct unit *unit;
	bool fits = true, ignored;
	u64 skip;

	s = read_digits(s, end, 10, value, &fits);
	if (s < end && *s == '.') {
		fraction = s + 1;
		fraction_end = s = read_digits(fraction, end, 10, &skip, &ignored);
	}
	unit = find_unit(units, s, end - s);
	if (!unit || (fraction && (unit->factor == 1 || !is_time(unit))))
		return NUMBER_NONE;
	if (!fits || __builtin_mul_overflow(*value, unit->factor, value))
		return NUMBER_TOO_BIG;
	return fraction ? add_fraction(fraction, fraction_end, unit->factor, value) : NUMBER_OK;
}

enum number_result number__parse(const struct filter_word *word, enum number_units units, u64 *value)
{
	const char *s = word->text, *end = s + word->len;
	bool negative = s < end && *s == '-', fits = true;
	enum number_result result;

	s += negative;
	if (word->quoted || s == end || !isdigit((unsigned char)*s))
		return NUMBER_NONE;
	if (end - s > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) {
		if (read_digits(s + 2, end, 16, value, &fits) != end)
			return NUMBER_NONE;
		result = fits ? NUMBER_OK : NUMBER_TOO_BIG;
	} else {
		result = parse_decimal(s, end, units, value);
	}
	return result == NUMBER_OK && negative ? NUMBER_NEGATIVE : result;
}

#define PERCENT_MAX_DIGITS 9

enum number_result number__parse_percent(const struct filter_word *word, u64 *value)
{
	const char *s = word->text, *end = s + word->len, *fraction;
	u64 scale = 1, whole, part = 0;
	bool fits = true;

	if (word->quoted || s == end || !isdigit((unsigned char)*s) || end[-1] != '%')
		return NUMBER_NONE;
	s = read_digits(s, --end, 10, &whole, &fits);
	if (s < end && *s == '.') {
		fraction = s + 1;
		s = read_digits(fraction, end, 10, &part, &fits);
		if (s - fraction > PERCENT_MAX_DIGITS)
			return s == end ? NUMBER_TOO_FINE : NUMBER_NONE;
		for (; fraction < s; fraction++)
			scale *= 10;
	}
	if (s != end)
		return NUMBER_NONE;
	if (!fits || whole > 100 || (whole == 100 && part))
		return NUMBER_TOO_BIG;
	*value = (unsigned __int128)(whole * scale + part) * (1ULL << 32) / (100 * scale);
	return NUMBER_OK;
}
