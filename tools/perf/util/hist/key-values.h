/* SPDX-License-Identifier: GPL-2.0 */
/* The functions that read and print values, for the table of keys; see struct hist_key. */
#ifndef PERF_HIST_KEY_VALUES_H
#define PERF_HIST_KEY_VALUES_H

#include "util/hist/hist.h"

int key_read__trace(const struct hist_reading *from, struct hist_value *value);
int key_read__state(const struct hist_reading *from, struct hist_value *value);
int key_read__field(const struct hist_reading *from, struct hist_value *value);
int key_read__comm_nodigit(const struct hist_reading *from, struct hist_value *value);
int key_read__cgroup(const struct hist_reading *from, struct hist_value *value);
int key_read__parallelism(const struct hist_reading *from, struct hist_value *value);
int key_read__socket(const struct hist_reading *from, struct hist_value *value);
int key_read__time(const struct hist_reading *from, struct hist_value *value);
int key_read__weight(const struct hist_reading *from, struct hist_value *value);
int key_read__ins_lat(const struct hist_reading *from, struct hist_value *value);
int key_read__retire_lat(const struct hist_reading *from, struct hist_value *value);
int key_read__code_page_size(const struct hist_reading *from, struct hist_value *value);
int key_read__parent(const struct hist_reading *from, struct hist_value *value);

/* of the code's place */
int key_read__srcline(const struct hist_reading *from, struct hist_value *value);
int key_read__srcfile(const struct hist_reading *from, struct hist_value *value);
int key_read__symoff(const struct hist_reading *from, struct hist_value *value);
int key_read__addr(const struct hist_reading *from, struct hist_value *value);
int key_read__dso_size(const struct hist_reading *from, struct hist_value *value);
int key_read__symbol_size(const struct hist_reading *from, struct hist_value *value);

int key_read__type(const struct hist_reading *from, struct hist_value *value);
int key_read__typeoff(const struct hist_reading *from, struct hist_value *value);
int key_read__typecln(const struct hist_reading *from, struct hist_value *value);

/* of the memory that was accessed */
int key_read__symbol_daddr(const struct hist_reading *from, struct hist_value *value);
int key_read__symbol_iaddr(const struct hist_reading *from, struct hist_value *value);
int key_read__dso_daddr(const struct hist_reading *from, struct hist_value *value);
int key_read__dcacheline(const struct hist_reading *from, struct hist_value *value);
int key_read__phys_daddr(const struct hist_reading *from, struct hist_value *value);
int key_read__data_page_size(const struct hist_reading *from, struct hist_value *value);
int key_read__mem(const struct hist_reading *from, struct hist_value *value);
int key_read__tlb(const struct hist_reading *from, struct hist_value *value);
int key_read__snoop(const struct hist_reading *from, struct hist_value *value);
int key_read__locked(const struct hist_reading *from, struct hist_value *value);
int key_read__blocked(const struct hist_reading *from, struct hist_value *value);

/* of a branch */
int key_read__dso_from(const struct hist_reading *from, struct hist_value *value);
int key_read__dso_to(const struct hist_reading *from, struct hist_value *value);
int key_read__symbol_from(const struct hist_reading *from, struct hist_value *value);
int key_read__symbol_to(const struct hist_reading *from, struct hist_value *value);
int key_read__addr_from(const struct hist_reading *from, struct hist_value *value);
int key_read__addr_to(const struct hist_reading *from, struct hist_value *value);
int key_read__line_from(const struct hist_reading *from, struct hist_value *value);
int key_read__line_to(const struct hist_reading *from, struct hist_value *value);
int key_read__mispredict(const struct hist_reading *from, struct hist_value *value);
int key_read__abort(const struct hist_reading *from, struct hist_value *value);
int key_read__in_tx(const struct hist_reading *from, struct hist_value *value);
int key_read__cycles(const struct hist_reading *from, struct hist_value *value);

/* set shown to the text of a printf; 0 or -ENOMEM */
int hist_value__show(const struct hist_reading *from, struct hist_value *value, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
