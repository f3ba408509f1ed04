// SPDX-License-Identifier: GPL-2.0-only
/* The checks of an ioctl that need neither user memory nor objects. */
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/sizes.h>
#include <ib/export.h>
#include "bundle.h"

/* No header in it: that ends in a flexible array. */
struct header_case {
	const char	*name;
	int		want;
	u16		length;
	u16		num_attrs;
	u64		reserved1;
	u32		reserved2;
};

static const struct header_case header_cases[] = {
	{ "no attributes", 0, .length = 24 },
	{ "two attributes", 0, .length = 56, .num_attrs = 2 },
	{ "a full page", 0, .length = 4088, .num_attrs = 254 },
	{ "more than a page", -EINVAL, .length = 4104, .num_attrs = 255 },
	{ "length is zero", -EINVAL, .length = 0 },
	{ "one byte short", -EINVAL, .length = 39, .num_attrs = 1 },
	{ "one byte long", -EINVAL, .length = 41, .num_attrs = 1 },
	{ "count is too large", -EINVAL, .length = 24, .num_attrs = 1 },
	/* 4096 attributes: 65560 bytes, which is 24 in 16 bits */
	{ "count wraps the length", -EINVAL, .length = 24, .num_attrs = 4096 },
	{ "reserved1", -EPROTONOSUPPORT, .length = 24, .reserved1 = 1 },
	{ "reserved2", -EPROTONOSUPPORT, .length = 24, .reserved2 = 1 },
	{ "length before reserved", -EINVAL, .length = 23, .reserved1 = 1 },
};

static void header_desc(const struct header_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(header, header_cases, header_desc);

static void header(struct kunit *test)
{
	const struct header_case *c = test->param_value;
	const struct ib_uverbs_ioctl_hdr hdr = {
		.length = c->length,
		.num_attrs = c->num_attrs,
		.reserved1 = c->reserved1,
		.reserved2 = c->reserved2,
	};

	KUNIT_EXPECT_EQ(test, c->want, uverbs_check_header(&hdr));
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

static const struct uverbs_attr_def shapes[] = {
	[0] = UVERBS_ATTR_IN(1, 4, 0),
	[2] = UVERBS_ATTR_IN(1, 20, UVERBS_ATTR_ZERO_TAIL),
	[3] = UVERBS_ATTR_OUT(1, 4, 0),
};

static const struct uverbs_attr_def choice =
	UVERBS_ATTR_ENUM(1, shapes, 0);
static const struct uverbs_attr_def array =
	UVERBS_ATTR_HANDLES(1, 0, UVERBS_ACC_READ, 2, 4, 0);

#define SHAPE(n)	.attr_data.enum_data.elem_id = (n)

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
	{ "descriptor, most negative", &raw_fd, { .data_s64 = INT_MIN }, 0 },
	{ "descriptor, length", &raw_fd, { .len = 4 }, -EINVAL },
	{ "first shape", &choice, { .len = 4, SHAPE(0) }, 0 },
	{ "first shape, long", &choice, { .len = 8, SHAPE(0) }, -EINVAL },
	{ "third shape", &choice, { .len = 20, SHAPE(2) }, 0 },
	{ "third shape, newer", &choice, { .len = 24, SHAPE(2) }, 0 },
	{ "third shape, short", &choice, { .len = 4, SHAPE(2) }, -EINVAL },
	{ "hole in the shapes", &choice, { .len = 4, SHAPE(1) }, -EOPNOTSUPP },
	{ "shape of output", &choice, { .len = 4, SHAPE(3) }, -EOPNOTSUPP },
	{ "no such shape", &choice, { .len = 4, SHAPE(4) }, -EOPNOTSUPP },
	{ "shape, reserved", &choice,
	  { .len = 4, .attr_data.enum_data.reserved = 1 }, -EINVAL },
	{ "no such shape before reserved", &choice,
	  { .len = 4, .attr_data.reserved = 0x101 * 4 }, -EOPNOTSUPP },
	{ "two handles", &array, { .len = 8 }, 0 },
	{ "four handles", &array, { .len = 16 }, 0 },
	{ "one handle", &array, { .len = 4 }, -EINVAL },
	{ "five handles", &array, { .len = 20 }, -EINVAL },
	{ "two handles and a half", &array, { .len = 10 }, -EINVAL },
	{ "handles, reserved", &array,
	  { .len = 8, .attr_data.reserved = 1 }, -EINVAL },
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
