/* libs: -I/usr/include/traceevent -ltraceevent */
#include <event-parse.h>

int main(void)
{
	tep_free(tep_alloc());
	return 0;
}
