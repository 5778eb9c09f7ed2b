/* libs: -lyajl */
#include <yajl/yajl_gen.h>

int main(void)
{
	return !yajl_gen_alloc(0);
}
