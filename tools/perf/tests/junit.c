// SPDX-License-Identifier: GPL-2.0
/* The counts stand before the cases, so that cases are gathered in memory. */
#include "tests/junit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct junit {
	FILE *file, *cases;
	char *text; /* of cases */
	size_t size;
	unsigned int nr, failed, skipped;
	s64 ms;
};

struct junit *junit__open(const char *path)
{
	struct junit *junit = calloc(1, sizeof(*junit));

	if (!junit)
		return NULL;
	junit->file = fopen(path, "we");
	if (junit->file)
		junit->cases = open_memstream(&junit->text, &junit->size);
	if (!junit->cases) {
		int err = errno;

		if (junit->file)
			fclose(junit->file);
		free(junit);
		errno = err;
		return NULL;
	}
	return junit;
}

/* XML has no way to write most control characters, and tests print any bytes: what is not ASCII becomes a question mark. */
static void put_text(FILE *out, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = text[i];

		switch (c) {
		case '&': fputs("&amp;", out); break;
		case '<': fputs("&lt;", out); break;
		case '>': fputs("&gt;", out); break;
		case '"': fputs("&quot;", out); break;
		case '\n': fputs("&#10;", out); break;
		case '\t': fputs("&#9;", out); break;
		default: fputc(c < ' ' || c > '~' ? '?' : c, out);
		}
	}
}

/* "cmd record" is the case record of the class perf.cmd */
static void put_case(FILE *out, const char *name, s64 ms)
{
	const char *blank = strchr(name, ' ');

	fputs("\t\t<testcase classname=\"perf", out);
	if (blank) {
		fputc('.', out);
		put_text(out, name, blank - name);
		name = blank + 1;
	}
	fputs("\" name=\"", out);
	put_text(out, name, strlen(name));
	fprintf(out, "\" time=\"%lld.%03lld\"", (long long)ms / 1000, (long long)ms % 1000);
}

int junit__add(struct junit *junit, const struct test *test, const struct tap *tap, s64 ms)
{
	FILE *out = junit->cases;
	bool skipped = !tap->failed && tap->skipped && !tap->passed;

	junit->nr++;
	junit->failed += tap->failed > 0;
	junit->skipped += skipped;
	junit->ms += ms;
	put_case(out, test->name, ms);
	if (tap->failed) {
		fprintf(out, ">\n\t\t\t<failure message=\"%u of %u checks failed\">", tap->failed, tap->failed + tap->passed + tap->skipped);
		put_text(out, tap->failures_text, strlen(tap->failures_text));
		fputs("</failure>\n\t\t</testcase>\n", out);
	} else if (skipped) {
		fputs(">\n\t\t\t<skipped message=\"", out);
		put_text(out, tap->skip_reason, strlen(tap->skip_reason));
		fputs("\"/>\n\t\t</testcase>\n", out);
	} else {
		fputs("/>\n", out);
	}
	return ferror(out) ? -ENOMEM : 0;
}

int junit__close(struct junit *junit)
{
	int ret = 0;

	if (!junit)
		return 0;
	if (fclose(junit->cases)) {
		ret = -ENOMEM;
	} else {
		fprintf(junit->file,
			"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
			"\t<testsuite name=\"perf\" tests=\"%u\" failures=\"%u\" errors=\"0\" skipped=\"%u\" time=\"%lld.%03lld\">\n%s"
			"\t</testsuite>\n</testsuites>\n",
			junit->nr, junit->failed, junit->skipped, (long long)junit->ms / 1000, (long long)junit->ms % 1000, junit->text);
		ret = ferror(junit->file) ? -EIO : 0;
	}
	if (fclose(junit->file) && !ret)
		ret = -errno;
	free(junit->text);
	free(junit);
	return ret;
}
