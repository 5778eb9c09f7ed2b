/* libs: */
#include <stddef.h>
#include <utarray.h>
#include <uthash.h>
#include <utlist.h>

struct item {
	int key;
	UT_hash_handle hh;
};

int main(void)
{
	struct item *table = NULL;

	return HASH_COUNT(table);
}
