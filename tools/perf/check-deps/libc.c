/* libs: -lpthread */
#include <linux/perf_event.h>
#include <stdio.h>

int main(void)
{
	return printf("%zu\n", sizeof(struct perf_event_attr)) < 0;
}
