/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The one logger, to stderr. pr_err and pr_warn always print (pr_warn and pr_info not with -q); pr_debug prints with -v, pr_debug2
 * with -vv, both with their domain as prefix: a file that logs defines LOG_DOMAIN before its includes. Texts end with their own
 * newline.
 */
#ifndef PERF_LIB_LOG_H
#define PERF_LIB_LOG_H

#ifndef LOG_DOMAIN
#define LOG_DOMAIN "perf"
#endif

enum log_level { LOG_ERR, LOG_WARN, LOG_INFO, LOG_DEBUG, LOG_DEBUG2 };

void log__set_verbosity(int verbose); /* how many -v were given */
void log__set_quiet(int quiet);
int log__enabled(enum log_level level);
unsigned int log__nr_warnings(void); /* how many pr_warn has printed */
void log__printf(enum log_level level, const char *domain, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#define pr_err(...) log__printf(LOG_ERR, LOG_DOMAIN, __VA_ARGS__)
#define pr_warn(...) log__printf(LOG_WARN, LOG_DOMAIN, __VA_ARGS__)
#define pr_info(...) log__printf(LOG_INFO, LOG_DOMAIN, __VA_ARGS__)
#define pr_debug(...) log__printf(LOG_DEBUG, LOG_DOMAIN, __VA_ARGS__)
#define pr_debug2(...) log__printf(LOG_DEBUG2, LOG_DOMAIN, __VA_ARGS__)

#endif
