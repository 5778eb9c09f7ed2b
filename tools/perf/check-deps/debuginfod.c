/* libs: -ldebuginfod */
#include <elfutils/debuginfod.h>
#include <stddef.h>

int main(void)
{
	debuginfod_end(NULL);
	return 0;
}
