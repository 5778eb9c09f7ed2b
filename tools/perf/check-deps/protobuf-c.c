/* libs: -lprotobuf-c */
#include <protobuf-c/protobuf-c.h>

int main(void)
{
	return !protobuf_c_version_number();
}
