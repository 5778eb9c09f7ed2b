// SPDX-License-Identifier: GPL-2.0
/* A tracepoint's format (or printk_formats), a NUL, and a raw record that is printed by it. */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/tp-trial.h"
#include "util/event/tracepoint.h"

static void print(const struct tp_formats *f, const u8 *raw, size_t size, const char *field)
{
	struct tp_value value;

	tp_formats__print(f, fuzz__sink(), raw, size, 0);
	tp_formats__field_width(f, "", field);
	tp_formats__value(f, raw, size, "", field, &value);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	size_t len = strnlen((const char *)data, size);
	char *text = fuzz__text(data, len);
	struct tp_formats *f = tp_formats__new(false, 8);
	size_t raw_size = len < size ? size - len - 1 : 0;
	u8 *raw = malloc(raw_size ?: 1);

	if (!f || !raw)
		abort();
	memcpy(raw, data + size - raw_size, raw_size);
	if (!tp_formats__add(f, "fuzz", text, len)) {
		tp_formats__name(f, 1);
		print(f, raw, raw_size, "a");
	}
	tp_formats__add_printk_formats(f, text);
	tp_formats__delete(f);
	free(raw);
	free(text);
	return 0;
}
