/* Work that is worth a thread. The build with checks (REFIMPL_DEBUG) gives a thread to next to
   nothing, and more threads than there are processors, so that small tests run on several. */
#ifndef REFIMPL_GRAIN_H
#define REFIMPL_GRAIN_H

#if defined(REFIMPL_DEBUG)
enum { REFIMPL_GRAIN = 8, REFIMPL_LEAST_PROCESSORS = 8, REFIMPL_JUDGES = 0 };
#else
enum { REFIMPL_GRAIN = 400000, REFIMPL_LEAST_PROCESSORS = 1, REFIMPL_JUDGES = 1 };
#endif

#endif
