// SPDX-License-Identifier: GPL-2.0
/*
 * What a write of one byte to /dev/null costs, in ns: prints the tenth percentile of many short series, by CPU time. What others do on the machine
 * makes some series slower and none faster.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define SERIES 400
#define WRITES 2000

static long long now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(void)
{
	static double ns[SERIES];
	int fd = open("/dev/null", O_WRONLY);

	for (int i = 0; i < SERIES; i++) {
		long long begin = now();

		for (int n = 0; n < WRITES; n++) {
			if (write(fd, "", 1) != 1)
				return 1;
		}
		ns[i] = (double)(now() - begin) / WRITES;
	}
	qsort(ns, SERIES, sizeof(*ns), compare);
	printf("%.1f\n", ns[SERIES / 10]);
	return 0;
}
