/* libs: -lncursesw -ltinfo */
#include <ncurses.h>

int main(void)
{
	return !curses_version();
}
