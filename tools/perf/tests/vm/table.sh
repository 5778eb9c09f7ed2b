#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# table.sh SERIES.log...: what guest.sh found, a row for each feature, a column for each kernel: yes, why not, FAILED, or ? if the guest
# did not come so far
set -eu
export LC_ALL=C
awk '
	FNR == 1 {
		kernel = FILENAME
		sub(/.*\//, "", kernel)
		sub(/\.log$/, "", kernel)
		kernels[++columns] = kernel
	}
	/^# feature: / {
		split(substr($0, 12), part, ": ")
		result = part[2]
		for (i = 3; i in part; i++) {
			part[1] = part[1] ": " part[i - 1]
			result = part[i]
		}
		if (!(part[1] in known)) {
			known[part[1]]
			features[++rows] = part[1]
			if (length(part[1]) > width)
				width = length(part[1])
		}
		cell[part[1], columns] = result
	}
	END {
		printf "%-*s", width, "feature"
		for (i = 1; i <= columns; i++)
			printf "  %-9s", kernels[i]
		print ""
		for (row = 1; row <= rows; row++) {
			printf "%-*s", width, features[row]
			for (i = 1; i <= columns; i++)
				printf "  %-9s", (features[row], i) in cell ? cell[features[row], i] : "?"
			print ""
		}
	}' "$@" | sed 's/ *$//'
