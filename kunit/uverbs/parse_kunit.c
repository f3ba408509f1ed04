// SPDX-License-Identifier: GPL-2.0-only
/* The checks of an ioctl that need neither user memory nor objects. */
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/sizes.h>
#include <ib/export.h>
#include "bundle.h"

struct header_case {
	const char			*name;
	struct ib_uverbs_ioctl_hdr	hdr;
	int				want;
};

static const struct header_case header_cases[] = {
	{ "no attributes", { .length = 24 }, 0 },
	{ "two attributes", { .length = 56, .num_attrs = 2 }, 0 },
	{ "a full page", { .length = 4088, .num_attrs = 254 }, 0 },
	{ "more than a page", { .length = 4104, .num_attrs = 255 }, -EINVAL },
	{ "length is zero", { .length = 0 }, -EINVAL },
	{ "one byte short", { .length = 39, .num_attrs = 1 }, -EINVAL },
	{ "one byte long", { .length = 41, .num_attrs = 1 }, -EINVAL },
	{ "count is too large", { .length = 24, .num_attrs = 1 }, -EINVAL },
	/* 4096 attributes: 65560 bytes, which is 24 in 16 bits */
	{ "count wraps the length", { .length = 24, .num_attrs = 4096 },
	  -EINVAL },
	{ "reserved1", { .length = 24, .reserved1 = 1 }, -EPROTONOSUPPORT },
	{ "reserved2", { .length = 24, .reserved2 = 1 }, -EPROTONOSUPPORT },
	{ "length before reserved", { .length = 23, .reserved1 = 1 },
	  -EINVAL },
};

static void header_desc(const struct header_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(header, header_cases, header_desc);

static void header(struct kunit *test)
{
	const struct header_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, c->want, uverbs_check_header(&c->hdr));
}

static const struct uverbs_attr_def in8 = UVERBS_ATTR_IN(1, 8, 0);
static const struct uverbs_attr_def in20 =
	UVERBS_ATTR_IN(1, 20, UVERBS_ATTR_ZERO_TAIL);
static const struct uverbs_attr_def out4 = UVERBS_ATTR_OUT(1, 4, 0);
static const struct uverbs_attr_def any = {
	.id = 1, .kind = UVERBS_KIND_PTR_IN, .min_len = 4, .max_len = U16_MAX,
};

static const struct uverbs_attr_def handle =
	UVERBS_ATTR_HANDLE(1, UVERBS_KIND_IDR, 0, UVERBS_ACC_READ, 0);
static const struct uverbs_attr_def raw_fd = {
	.id = 1, .kind = UVERBS_KIND_RAW_FD,
};

struct attr_case {
	const char			*name;
	const struct uverbs_attr_def	*def;
	struct ib_uverbs_attr		ua;
	int				want;
};

static const struct attr_case attr_cases[] = {
	{ "fixed size", &in8, { .len = 8 }, 0 },
	{ "fixed size, short", &in8, { .len = 7 }, -EINVAL },
	{ "fixed size, long", &in8, { .len = 9 }, -EINVAL },
	{ "fixed size, empty", &in8, { .len = 0 }, -EINVAL },
	{ "structure", &in20, { .len = 20 }, 0 },
	{ "newer structure", &in20, { .len = 64 }, 0 },
	{ "older structure", &in20, { .len = 16 }, -EINVAL },
	{ "output", &out4, { .len = 4 }, 0 },
	{ "output, long", &out4, { .len = 8 }, -EINVAL },
	{ "any size", &any, { .len = U16_MAX }, 0 },
	{ "any size, short", &any, { .len = 3 }, -EINVAL },
	{ "reserved", &in8, { .len = 8, .attr_data.reserved = 1 }, -EINVAL },
	{ "handle", &handle, { .data = 5 }, 0 },
	{ "handle with length", &handle, { .len = 4 }, -EINVAL },
	{ "handle, reserved", &handle, { .attr_data.reserved = 1 }, -EINVAL },
	{ "descriptor", &raw_fd, { .data_s64 = 3 }, 0 },
	{ "no descriptor", &raw_fd, { .data_s64 = -1 }, 0 },
	{ "descriptor of 33 bits", &raw_fd, { .data_s64 = SZ_4G }, -EINVAL },
};

static void attr_desc(const struct attr_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(attr, attr_cases, attr_desc);

static void attribute(struct kunit *test)
{
	const struct attr_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, c->want, uverbs_check_attr(c->def, &c->ua));
}

static struct kunit_case parse_cases[] = {
	KUNIT_CASE_PARAM(header, header_gen_params),
	KUNIT_CASE_PARAM(attribute, attr_gen_params),
	{}
};

static struct kunit_suite parse_suite = {
	.name		= "ib_uverbs_parse",
	.test_cases	= parse_cases,
};
kunit_test_suite(parse_suite);

MODULE_DESCRIPTION("KUnit: checks of an ioctl");
MODULE_IMPORT_NS(IB_NS);
MODULE_IMPORT_NS(IB_KUNIT_NS);
MODULE_LICENSE("GPL");
