// SPDX-License-Identifier: GPL-2.0-only
/* The layout of a command: queue entry, mailboxes, message in pieces. */
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/string.h>
#include <compat.h>
#include <connectx/prm_cmd.h>
#include "drivers/connectx/mailbox.h"

static const struct {
	size_t len;
	unsigned int boxes;
} counts[] = {
	{ 0, 0 },
	{ 15, 0 },
	{ 16, 0 },
	{ 17, 1 },
	{ 16 + 512, 1 },
	{ 16 + 513, 2 },
	{ 0x1010, 8 },
	{ 16 + 512 * 4096, 4096 },
};

static void count(struct kunit *test)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(counts); i++)
		KUNIT_EXPECT_EQ_MSG(test, cx_mbox_count(counts[i].len),
				    counts[i].boxes, "%zu bytes",
				    counts[i].len);
}

static void entry_bytes(struct kunit *test)
{
	static const u8 want[64] = {
		[0] = 7,			/* type */
		[4] = 0x00, 0x00, 0x01, 0x10,	/* inlen */
		[56] = 0x00, 0x00, 0x10, 0x10,	/* outlen */
		[60] = 0x5a,			/* token */
	};
	struct cx_cmdq_entry e = {};

	cx_cmd_format(&e, 0x110, 0x1010, 0x5a);
	KUNIT_EXPECT_MEMEQ(test, &e, want, sizeof(want));
}

static void signature(struct kunit *test)
{
	struct cx_cmdq_entry e;
	u8 *p = (u8 *)&e;
	u8 sum = 0;
	size_t i;

	for (i = 0; i < sizeof(e); i++)
		p[i] = i * 37;
	e.sig = cx_cmd_signature(&e);
	for (i = 0; i < sizeof(e); i++)
		sum ^= p[i];
	KUNIT_EXPECT_EQ(test, sum, 0xff);
}

static void mailbox_bytes(struct kunit *test)
{
	static const u8 want[16] = {
		0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xdc, 0x00,	/* next */
		0x00, 0x00, 0x01, 0x02,				/* block */
		0x00, 0x77, 0x00, 0x00,				/* token */
	};
	struct cx_mailbox *box = kunit_kzalloc(test, sizeof(*box), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, box);
	cx_mbox_format(box, 0x102, 0x123456789abcdc00, 0x77);
	KUNIT_EXPECT_MEMEQ(test, (u8 *)box + 560, want, sizeof(want));
	KUNIT_EXPECT_NULL(test, memchr_inv(box, 0, 560));
}

/* A message of any two pieces, taken in any portions, is itself. */
static void pieces(struct kunit *test)
{
	u8 message[40], got[sizeof(message)];
	size_t i, first, portion;

	for (i = 0; i < sizeof(message); i++)
		message[i] = i + 1;
	for (first = 0; first <= sizeof(message); first++) {
		for (portion = 1; portion <= sizeof(message); portion++) {
			struct cx_bytes b[] = {
				{ message, first },
				{ message + first, sizeof(message) - first },
			};
			size_t done = 0, n;

			memset(got, 0, sizeof(got));
			do {
				n = cx_bytes_copy(got + done,
						  min(portion, sizeof(got) -
							       done), b, 2);
				done += n;
			} while (n && done < sizeof(got));
			KUNIT_ASSERT_EQ(test, done, sizeof(message));
			KUNIT_ASSERT_MEMEQ(test, got, message,
					   sizeof(message));
		}
	}
}

static void pieces_end(struct kunit *test)
{
	u8 one = 1, got[4] = {};
	struct cx_bytes b[] = { { &one, 1 }, { NULL, 0 } };

	KUNIT_EXPECT_EQ(test, cx_bytes_copy(got, sizeof(got), b, 2), 1);
	KUNIT_EXPECT_EQ(test, cx_bytes_copy(got, sizeof(got), b, 2), 0);
}

static struct kunit_case mailbox_cases[] = {
	KUNIT_CASE(count),
	KUNIT_CASE(entry_bytes),
	KUNIT_CASE(signature),
	KUNIT_CASE(mailbox_bytes),
	KUNIT_CASE(pieces),
	KUNIT_CASE(pieces_end),
	{}
};

static struct kunit_suite mailbox_suite = {
	.name = "connectx_mailbox",
	.test_cases = mailbox_cases,
};

kunit_test_suite(mailbox_suite);

MODULE_DESCRIPTION("KUnit: layout of commands");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(IB_KUNIT_NS);
