/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef UVERBS_BAD_OBJECTS_H
#define UVERBS_BAD_OBJECTS_H

/* Both print a line per case. */
void bad_objects(void);
void bad_shared(void);

#endif /* UVERBS_BAD_OBJECTS_H */
