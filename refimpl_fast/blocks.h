/* What widths.h compiles once for each width. */
#include "lanes.h"

#include "exponentials.h"
#include "extents.h"
#include "groups.h"
#include "hinges.h"
#include "l1.h"
#include "maps.h"
#include "margins.h"
#include "panels.h"
#include "votes.h"
