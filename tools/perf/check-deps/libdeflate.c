/* libs: -ldeflate */
#include <libdeflate.h>

int main(void)
{
	return !libdeflate_gzip_compress_bound(NULL, 1);
}
