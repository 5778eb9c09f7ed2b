// SPDX-License-Identifier: GPL-2.0
#include "ui/round-time.h"

#include <time.h>

void round_time__print(FILE *fp)
{
	struct timespec now;
	char text[16];

	clock_gettime(CLOCK_REALTIME, &now);
	strftime(text, sizeof(text), "%T", localtime(&now.tv_sec));
	fprintf(fp, "# %s.%03ld\n", text, now.tv_nsec / 1000000);
}
