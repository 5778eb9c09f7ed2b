// SPDX-License-Identifier: GPL-2.0
#include "ui/dump/cpu-set.h"

#include <stdlib.h>
#include "util/perfdata/cpu-set.h"

void cpu_set__fprintf(FILE *fp, const void *data, size_t size)
{
	struct cpumap *cpus = cpu_set__read(data, size);
	const char *separator = "";

	for (int i = 0; cpus && i < cpus->nr; i++) {
		const int first = cpus->cpu[i];

		while (i + 1 < cpus->nr && cpus->cpu[i + 1] == cpus->cpu[i] + 1)
			i++;
		fprintf(fp, "%s%d", separator, first);
		if (cpus->cpu[i] > first)
			fprintf(fp, "-%d", cpus->cpu[i]);
		separator = ",";
	}
	free(cpus);
}
