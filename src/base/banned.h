/* banned.h - functions that do not compile here, because each has a safer neighbour.
 *
 * The build includes it in front of every source file of the project.  A call
 * becomes a call of something that does not exist. */
#ifndef BASE_BANNED_H
#define BASE_BANNED_H

#include <alloca.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Fortified C libraries define some of them as macros. */
#undef strcpy
#undef strcat
#undef strncpy
#undef strncat
#undef sprintf
#undef vsprintf
#undef strtok
#undef alloca

#define BANNED(function) sorry_##function##_is_banned()
#define strcpy(...) BANNED(strcpy)
#define strcat(...) BANNED(strcat)
#define strncpy(...) BANNED(strncpy)
#define strncat(...) BANNED(strncat)
#define sprintf(...) BANNED(sprintf)
#define vsprintf(...) BANNED(vsprintf)
#define strtok(...) BANNED(strtok)
#define gets(...) BANNED(gets)
#define atoi(...) BANNED(atoi)
#define atol(...) BANNED(atol)
#define localtime(...) BANNED(localtime)
#define gmtime(...) BANNED(gmtime)
#define ctime(...) BANNED(ctime)
#define mktemp(...) BANNED(mktemp)
#define tmpnam(...) BANNED(tmpnam)
#define rand(...) BANNED(rand)
#define system(...) BANNED(system)
#define popen(...) BANNED(popen)
#define alloca(...) BANNED(alloca)

#endif
