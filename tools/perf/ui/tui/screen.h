/* SPDX-License-Identifier: GPL-2.0 */
/* The terminal as ncurses draws on it: the screen, keys, and lines of it. */
#ifndef PERF_UI_TUI_SCREEN_H
#define PERF_UI_TUI_SCREEN_H

#include <ncurses.h>

#define KEY_ESCAPE 27
#define SCREEN_NEWS (KEY_MAX + 1) /* no key: what is shown has changed */

enum screen_color { SCREEN_HIGH = 1, SCREEN_SOME };

/* NULL: the terminal cannot be drawn on. End with screen__close(). */
SCREEN *screen__open(void);
void screen__close(SCREEN *screen);

/*
 * While waiting for a key leave the screen's data to others: call unlock before and lock after that. fd: readable if there are news, which the
 * caller of screen__wait_key() takes note of. NULL: nobody else has it.
 */
struct screen_live {
	void (*lock)(void *data);
	void (*unlock)(void *data);
	bool (*is_over)(void *data); /* then there are no more keys: ERR */
	int fd;
	void *data;
};
void screen__set_live(const struct screen_live *live);

/* Wait for a key, or for news; ERR: the terminal is gone. */
int screen__wait_key(void);

int screen__wait_only_key(void); /* leaves news for later */

/* Write a line from this column of the text on; the rest of the line is cleared. */
void screen__put_line(int y, const char *text, int column);
/* The last line, marked. */
void screen__put_foot(const char *text);

/* What a key does to a text that is typed. */
void screen__edit(char *text, int size, int key);
/* Ask for a text in the last line: text is the one before, and stays unless it is DONE. */
enum screen_ask { SCREEN_ASK_DONE, SCREEN_ASK_LEFT, SCREEN_ASK_GONE };
enum screen_ask screen__ask(const char *prompt, char *text, int size);

#endif
