// SPDX-License-Identifier: GPL-2.0
#include "util/lib/stream.h"

#include <errno.h>

int stream__flush(FILE *fp)
{
	static FILE *failed; /* the first one; others have their own errors only where they are new */
	static int cause;
	const int error = fflush(fp) ? errno : 0;

	if (!error && !ferror(fp))
		return 0;
	if (error && !failed) {
		failed = fp;
		cause = error;
	}
	return -(fp == failed ? cause : error ?: EIO);
}
