/* SPDX-License-Identifier: GPL-2.0-only */
/* What more than one suite expects. */
#ifndef KUNIT_EXPECT_H
#define KUNIT_EXPECT_H

#include <kunit/test.h>
#include <ib/refuse.h>

/* The last refusal is of umem, with this errno, and says this. */
static inline void expect_umem_refusal(struct kunit *test, int err,
				       const char *text)
{
	char said[IB_REFUSE_TEXT];
	struct ib_refusal why;

	KUNIT_ASSERT_TRUE(test, ib_refusal_take(err, &why));
	KUNIT_EXPECT_EQ(test, IB_LAYER_UMEM, why.layer);
	ib_refusal_text(&why, said, sizeof(said));
	KUNIT_EXPECT_STREQ(test, text, said);
}

#endif /* KUNIT_EXPECT_H */
