/* libs: -ldw */
#include <elfutils/libdwfl.h>

int main(void)
{
	dwfl_end(NULL);
	return 0;
}
