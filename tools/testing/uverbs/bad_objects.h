/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef UVERBS_BAD_OBJECTS_H
#define UVERBS_BAD_OBJECTS_H

void bad_objects(void);	/* prints a line per case */

#endif /* UVERBS_BAD_OBJECTS_H */
