// SPDX-License-Identifier: GPL-2.0
/* A tracepoint's format (or printk_formats), a NUL, and a raw record that is printed by it, as it is and with other numbers in it. */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/tp-trial.h"
#include "util/event/tp-text.h"
#include "util/event/tracepoint.h"

#define ROOM 64      /* bytes that a record has at least: as many as most formats' fields */
#define MAX_WORDS 24 /* of a record that are changed */

static char *resolve(void *data, unsigned long long *addr, char **module)
{
	static char name[] = "function";

	return *addr % 3 ? name : NULL;
}

static void print_values(const struct tp_formats *f, const char *text, const u8 *raw, size_t size)
{
	static const char field[] = "\tfield:";
	struct tp_value value;
	int nr = 0;

	while (nr++ < 16 && (text = strstr(text, field))) {
		const char *end = strchr(text += strlen(field), ';'), *name = end;
		char copy[32];

		while (name && name > text && name[-1] != ' ')
			name--;
		if (!name)
			return;
		snprintf(copy, sizeof(copy), "%.*s", (int)strcspn(name, "[;"), name);
		tp_formats__field_width(f, "", copy);
		tp_formats__value(f, raw, size, "", copy, &value);
	}
}

static void print(struct tp_formats *f, const char *text, const u8 *raw, size_t size)
{
	size_t len;

	tp_formats__text(f, raw, size, 0, &len);
	if (len > TP_TEXT_FIXED + TP_TEXT_PER_BYTE * size)
		abort();
	print_values(f, text, raw, size);
}

/* The record as one of the format's event, then with another number in the place of each word. */
static void print_changed(struct tp_formats *f, const char *text, const u8 *raw, size_t raw_size)
{
	static const u32 numbers[] = { UINT32_MAX, 0, 0x3fffffff, 0x80000000, 0x100, 2, INT32_MAX, 0x10000, 0x80 };
	size_t size = raw_size < ROOM ? ROOM : raw_size, nr_words = size / 4 < MAX_WORDS ? size / 4 : MAX_WORDS;
	const char *number = strstr(text, "\nID: ");
	u16 id = number ? atoi(number + 5) : 1;
	u8 *copy = calloc(1, size);

	if (!copy)
		abort();
	memcpy(copy, raw, raw_size);
	memcpy(copy, &id, sizeof(id));
	print(f, text, copy, size);
	for (size_t i = 1; i < nr_words; i++) {
		u32 was;

		memcpy(&was, copy + i * 4, 4);
		memcpy(copy + i * 4, &numbers[(i + raw_size) % ARRAY_SIZE(numbers)], 4);
		print(f, text, copy, size);
		memcpy(copy + i * 4, &was, 4);
	}
	free(copy);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	size_t len = strnlen((const char *)data, size);
	char *text = fuzz__text(data, len);
	struct tp_formats *f = tp_formats__new(false, size & 1 ? 4 : 8);
	size_t raw_size = len < size ? size - len - 1 : 0;
	u8 *raw = malloc(raw_size ?: 1);

	if (!f || !raw || tp_formats__set_resolver(f, resolve, NULL))
		abort();
	memcpy(raw, data + size - raw_size, raw_size);
	tp_formats__add_printk_formats(f, text);
	if (!tp_formats__add(f, "fuzz", text, len)) {
		tp_formats__name(f, 1);
		print(f, text, raw, raw_size);
		print_changed(f, text, raw, raw_size);
		tp_formats__set_raw(f);
		print(f, text, raw, raw_size);
		print_changed(f, text, raw, raw_size);
	}
	tp_formats__delete(f);
	free(raw);
	free(text);
	return 0;
}
