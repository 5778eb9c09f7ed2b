/* libs: -lz */
#include <zlib.h>

int main(void)
{
	return !zlibVersion();
}
