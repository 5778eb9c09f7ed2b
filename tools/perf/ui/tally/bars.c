// SPDX-License-Identifier: GPL-2.0
#include "ui/tally/bars.h"
#include "util/lib/advice.h"

#include <inttypes.h>
#include <string.h>

#define BAR_WIDTH 40
#define RANGE_SIZE (2 * WIDE_SIZE + 8)
#define MAX_EMPTY 3 /* limit of consecutive empty linear buckets to print; more are summarized */

char *wide__text(wide value, char buf[WIDE_SIZE])
{
	const bool negative = value < 0;
	char *at = buf + WIDE_SIZE - 1;

	*at = '\0';
	do {
		int digit = value % 10;

		*--at = '0' + (digit < 0 ? -digit : digit);
		value /= 10;
	} while (value);
	if (negative)
		*--at = '-';
	return at;
}

char *histogram_range__text(const struct histogram_config *config, s32 bucket, char *buf, size_t size)
{
	const struct histogram_range range = histogram_range(config, bucket);
	const u64 unit = config->kind == HISTOGRAM_LOG2 ? config->step : 1;
	char low[WIDE_SIZE], high[WIDE_SIZE];

	if (config->kind == HISTOGRAM_LINEAR && bucket == HISTOGRAM_OVER)
		snprintf(buf, size, ">= %s", wide__text(range.low, low));
	else if (config->kind == HISTOGRAM_LINEAR && bucket == HISTOGRAM_UNDER)
		snprintf(buf, size, "< %s", wide__text(range.high + 1, high));
	else if (range.low / unit == range.high / unit)
		snprintf(buf, size, "%s", wide__text(range.low / unit, low));
	else
		snprintf(buf, size, "%s -> %s", wide__text(range.low / unit, low), wide__text(range.high / unit, high));
	return buf;
}

void histogram__print_summary(const struct histogram *h, const struct histogram_bars_opts *opts, FILE *fp)
{
	char sum[WIDE_SIZE], least[WIDE_SIZE], greatest[WIDE_SIZE];
	const char *space = opts->value_unit ? " " : "", *unit = opts->value_unit ?: "";

	fprintf(fp, "%" PRIu64 " value%s", h->count, plural(h->count));
	if (h->sum_known)
		fprintf(fp, ", total %s%s%s", wide__text(h->sum, sum), space, unit);
	fprintf(fp, ", min %s%s%s, max %s%s%s", wide__text(h->least, least), space, unit, wide__text(h->greatest, greatest), space, unit);
	if (h->sum_known)
		fprintf(fp, ", mean %.1Lf%s%s", (long double)h->sum / h->count, space, unit);
}

struct columns {
	const struct histogram_config *config;
	FILE *fp;
	int range, count; /* widths */
	u64 max;
};

static void print_bar(const struct columns *c, s32 bucket, u64 count)
{
	static const char stars[] = "****************************************";
	const int len = (unsigned __int128)count * BAR_WIDTH / c->max;
	char text[RANGE_SIZE];

	fprintf(c->fp, "  %*s  %*" PRIu64 "  |%-*.*s|\n", c->range, histogram_range__text(c->config, bucket, text, sizeof(text)), c->count,
		count, BAR_WIDTH, len, stars);
}

/* Print the buckets between two bars. Each empty log2 bucket is printed: it is part of the shape. */
static void print_empty(const struct columns *c, s32 after, s32 before)
{
	if (after == HISTOGRAM_UNDER || before == HISTOGRAM_OVER)
		return;
	if (c->config->kind == HISTOGRAM_LINEAR && (s64)before - after - 1 > MAX_EMPTY) {
		fprintf(c->fp, "  %*s\n", c->range, "...");
		return;
	}
	for (s32 bucket = after + 1; bucket < before; bucket++)
		print_bar(c, bucket, 0);
}

static void measure(struct columns *c, const struct histogram *h, const char *heading)
{
	char text[RANGE_SIZE];

	c->range = strlen(heading);
	for (u32 i = 0; i < h->nr_bars; i++) {
		int len = strlen(histogram_range__text(c->config, h->bar[i].bucket, text, sizeof(text)));

		c->range = len > c->range ? len : c->range;
		c->max = h->bar[i].count > c->max ? h->bar[i].count : c->max;
	}
	c->count = snprintf(NULL, 0, "%" PRIu64, c->max);
	if (c->count < 5)
		c->count = 5; /* of its heading */
}

void histogram__print_bars(const struct histogram *h, const struct histogram_config *config, const struct histogram_bars_opts *opts, FILE *fp)
{
	struct columns c = { .config = config, .fp = fp };
	char heading[256];

	snprintf(heading, sizeof(heading), "%s%s%s%s", opts->what, opts->unit ? " (" : "", opts->unit ?: "", opts->unit ? ")" : "");
	measure(&c, h, heading);
	fprintf(fp, "  %*s  %*s  distribution\n", c.range, heading, c.count, "count");
	for (u32 i = 0; i < h->nr_bars; i++) {
		if (i)
			print_empty(&c, h->bar[i - 1].bucket, h->bar[i].bucket);
		print_bar(&c, h->bar[i].bucket, h->bar[i].count);
	}
}
