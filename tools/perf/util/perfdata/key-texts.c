// SPDX-License-Identifier: GPL-2.0
#include "util/perfdata/key-texts.h"

#include <stdlib.h>
#include <string.h>
#include "util/lib/text.h"

#define HEAD 8 /* common fields */

char *key_texts__format(const char *const *names, unsigned int nr, size_t *size)
{
	struct text text = {};

	text__printf(&text, "name: " KEY_TEXTS_NAME "\nID: %d\nformat:\n"
		     "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		     "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		     "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		     "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n", KEY_TEXTS_ID);
	for (unsigned int i = 0; i < nr; i++)
		text__printf(&text, "\tfield:__data_loc char[] %s;\toffset:%u;\tsize:4;\tsigned:1;\n", names[i], HEAD + 4 * i);
	text__str(&text, "\nprint fmt: \"");
	for (unsigned int i = 0; i < nr; i++)
		text__printf(&text, "%s%s=%%s", i ? " " : "", names[i]);
	text__char(&text, '"');
	for (unsigned int i = 0; i < nr; i++)
		text__printf(&text, ", __get_str(%s)", names[i]);
	text__char(&text, '\n');
	text__char(&text, '\0');
	*size = text.len - 1;
	if (!text.failed)
		return text.buf;
	text__exit(&text);
	return NULL;
}

void *key_texts__encode(const char *const *texts, unsigned int nr, u32 *size)
{
	const u16 id = KEY_TEXTS_ID;
	u32 at = HEAD + 4 * nr;
	char *raw;

	*size = at;
	for (unsigned int i = 0; i < nr; i++)
		*size += strlen(texts[i]) + 1;
	raw = calloc(1, *size);
	if (!raw)
		return NULL;
	memcpy(raw, &id, sizeof(id));
	for (unsigned int i = 0; i < nr; i++) {
		const u32 len = strlen(texts[i]) + 1, place = at | len << 16;

		memcpy(raw + HEAD + 4 * i, &place, sizeof(place));
		memcpy(raw + at, texts[i], len);
		at += len;
	}
	return raw;
}

const char *key_texts__get(const void *raw, u32 size, unsigned int i, unsigned int nr)
{
	u32 place, at, len;
	u16 id;

	if (size < HEAD + 4 * nr || i >= nr)
		return NULL;
	memcpy(&id, raw, sizeof(id));
	memcpy(&place, (const char *)raw + HEAD + 4 * i, sizeof(place));
	at = place & 0xffff;
	len = place >> 16;
	if (id != KEY_TEXTS_ID || !len || at + len > size || ((const char *)raw)[at + len - 1])
		return NULL;
	return (const char *)raw + at;
}
