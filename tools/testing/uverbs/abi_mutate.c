// SPDX-License-Identifier: GPL-2.0-only
/*
 * One fault per call. A fault has a target, the place that is spoilt, and an
 * op, what happens to it; both names are what a list of intended differences
 * refers to.
 */
#include <stdio.h>
#include <string.h>

#include <rdma/rdma_user_ioctl_cmds.h>

#include "abi_envelope.h"
#include "abi_memory.h"
#include "abi_mutate.h"
#include "abi_request.h"

static void name_op(struct abi_request *q, const char *op)
{
	snprintf(q->op, sizeof(q->op), "%s", op);
}

static const char *part_name(const struct abi_part *part)
{
	return part->attr ? part->attr->name : "added";
}

/* --- numbers -------------------------------------------------------------- */

static const uint64_t numbers[] = {
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 32, 64, 100, 127, 128, 255,
	256, 1000, 4095, 4096, 0x7fff, 0x8000, 0xffff, 0x10000, 0xffffff,
	0x1000000, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000,
	0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff,
};

/* The op is the value itself, so that a list of differences can say which. */
static uint64_t other_number(struct abi_request *q, uint64_t was,
			     unsigned int bits, struct abi_random *r)
{
	uint64_t value;

	switch (abi_random(r, 4)) {
	case 0:
		value = was ^ (1ull << abi_random(r, bits));
		break;
	case 1:
		value = was + 1;
		break;
	case 2:
		value = was - 1;
		break;
	default:
		value = numbers[abi_random(r, LENGTH(numbers))];
	}
	if (bits < 64)
		value &= (1ull << bits) - 1;
	snprintf(q->op, sizeof(q->op), "=0x%llx", (unsigned long long)value);
	return value;
}

static uint64_t other_address(struct abi_request *q, uint64_t was,
			      unsigned int region, struct abi_random *r)
{
	static const struct {
		const char *name;
		uint64_t value;
	} places[] = {
		{ "null", 0 }, { "nowhere", ABI_NOWHERE },
		{ "kernel", ABI_KERNEL }, { "noncanonical", ABI_NONCANONICAL },
		{ "highest", -1ull },
	};
	unsigned int which = abi_random(r, LENGTH(places) + 4);

	if (which < LENGTH(places)) {
		name_op(q, places[which].name);
		return places[which].value;
	}
	switch (which - LENGTH(places)) {
	case 0:
		name_op(q, "read-only");
		return (uintptr_t)abi_region(REGION_READONLY);
	case 1:
		name_op(q, "over-edge");
		return abi_edge(region) - 1;
	case 2:
		name_op(q, "+1");
		return was + 1;
	default:
		name_op(q, "+8");
		return was + 8;
	}
}

/* --- handles and descriptors ---------------------------------------------- */

/* An object of another class; which one does not depend on what there is. */
static int64_t other_slot(struct abi_request *q, struct abi_world *w,
			  enum abi_slot slot, struct abi_random *r)
{
	enum abi_slot other;

	do {
		other = SLOT_PD + abi_random(r, SLOTS - SLOT_PD);
	} while (!abi_slot_has(other) || abi_slot_same(slot, other) ||
		 abi_slot_is_fd(slot) != abi_slot_is_fd(other));
	snprintf(q->op, sizeof(q->op), "is-%s", abi_slot_name(other));
	return abi_world_need(w, other);
}

static int64_t other_handle(struct abi_request *q, struct abi_world *w,
			    enum abi_slot slot, int64_t was,
			    struct abi_random *r)
{
	switch (abi_random(r, 8)) {
	case 0:
		name_op(q, "stale");
		return w->stale;
	case 1:
		name_op(q, "foreign");
		return w->foreign;
	case 2:
		name_op(q, "minus-1");
		return -1;
	case 3:
		name_op(q, "bit31");
		return was | 1ull << 31;
	case 4:
		name_op(q, "bit32");
		return was | 1ull << 32;
	case 5:
		name_op(q, "max");
		return 0x7fffffff;
	default:
		return other_slot(q, w, slot, r);
	}
}

static int64_t other_fd(struct abi_request *q, struct abi_world *w,
			enum abi_slot slot, int64_t was, struct abi_random *r)
{
	switch (abi_random(r, 8)) {
	case 0:
		name_op(q, "closed");
		return 1000;
	case 1:
		name_op(q, "stdin");
		return 0;
	case 2:
		name_op(q, "device");
		return w->x.fd;
	case 3:
		name_op(q, "minus-1");
		return -1;
	case 4:
		name_op(q, "bit32");
		return was | 1ull << 32;
	case 5:
		name_op(q, "foreign");
		return w->foreign_fd;
	case 6:
		name_op(q, "max");
		return 0x7fffffff;
	default:
		return other_slot(q, w, slot, r);
	}
}

/* --- parts of a call ------------------------------------------------------ */

static void mutate_field(struct abi_request *q, struct abi_part *part,
			 struct abi_world *w, struct abi_random *r)
{
	const struct abi_layout *layout = part->attr->layout;
	const struct abi_field *field =
		&layout->fields[abi_random(r, layout->num)];
	uint64_t was = abi_field_get(part, field);
	unsigned int region = REGION_QUEUES;

	snprintf(q->target, sizeof(q->target), "%s.%s", part_name(part),
		 field->name);
	if (field->kind == ABI_RESPONSE) {
		region = REGION_PARTS + 2;
		was = (uintptr_t)abi_region(region);
	}
	switch (field->kind) {
	case ABI_HANDLE:
		was = other_handle(q, w, field->value, was, r);
		break;
	case ABI_FD:
		was = other_fd(q, w, field->value, was, r);
		break;
	case ABI_RESPONSE:
	case ABI_ADDRESS:
		was = other_address(q, was, region, r);
		break;
	default:
		was = other_number(q, was, 8 * (field->size < 8 ?
						field->size : 8), r);
	}
	abi_field_set(part, field, was);
}

/* What a structure has behind its known end, or lacks */
static void mutate_struct_len(struct abi_request *q, struct abi_part *part,
			      struct abi_random *r)
{
	static const struct {
		const char *name;
		int delta;
		bool junk;
	} lens[] = {
		{ "len-1", -1 }, { "len-4", -4 }, { "len-8", -8 },
		{ "len+1", 1 }, { "len+4", 4 }, { "len+8", 8 },
		{ "len+16", 16 }, { "len+1-junk", 1, true },
		{ "len+4-junk", 4, true }, { "len+8-junk", 8, true },
		{ "len+16-junk", 16, true },
	};
	unsigned int which = abi_random(r, LENGTH(lens));
	int len = part->len + lens[which].delta;

	name_op(q, lens[which].name);
	part->len = len < 0 ? 0 : len;
	if (lens[which].junk)
		part->bytes[part->len - 1] = 1;
}

static void mutate_len(struct abi_request *q, struct abi_part *part,
		       struct abi_random *r)
{
	static const uint16_t lens[] = { 0, 1, 4, 5, 7, 8, 9, 16, 256, 4096 };

	switch (abi_random(r, 4)) {
	case 0:
		part->len++;
		name_op(q, "len+1");
		break;
	case 1:
		part->len--;
		name_op(q, "len-1");
		break;
	default:
		part->len = lens[abi_random(r, LENGTH(lens))];
		snprintf(q->op, sizeof(q->op), "len=%u", part->len);
	}
}

/*
 * Only upstream has the object of flows. That is said once, in the list of the
 * methods that one side lacks.
 */
static bool asks_for_flows(const struct abi_part *part)
{
	return part->attr && !strcmp(part->attr->name, "INFO_OBJECT_ID") &&
	       part->value == UVERBS_OBJECT_FLOW;
}

/* Others may read what is there: it has to be the same on both kernels. */
static void set_address(struct abi_request *q, struct abi_part *part,
			struct abi_random *r)
{
	part->address = other_address(q, (uintptr_t)part->bytes,
				      REGION_PARTS + (part - q->parts), r);
	/* 0 would mean that there is no other address */
	if (!part->address)
		part->address = ABI_NOWHERE;
	if (part->kind == ABI_IN && !strcmp(q->op, "read-only"))
		abi_readonly(part->bytes, part->len);
}

static void mutate_value(struct abi_request *q, struct abi_part *part,
			 struct abi_world *w, struct abi_random *r)
{
	switch (part->kind) {
	case ABI_NUMBER:
		do {
			part->value = other_number(q, part->value, 64, r);
		} while (asks_for_flows(part));
		break;
	case ABI_HANDLE:
		part->value = other_handle(q, w, part->attr->value,
					   part->value, r);
		break;
	case ABI_FD:
	case ABI_FD_NUMBER:
		part->value = other_fd(q, w, part->attr->value, part->value,
				       r);
		break;
	case ABI_NEW:
		/* no handle that the kernel could answer, or who would know? */
		part->value = other_number(q, part->value, 64, r) | 1ull << 63;
		break;
	case ABI_ADDRESS:
		part->value = other_address(q, part->value, REGION_QUEUES, r);
		break;
	default:
		set_address(q, part, r);
	}
}

static void duplicate(struct abi_request *q, struct abi_part *part)
{
	name_op(q, "twice");
	q->parts[q->num] = *part;
	q->parts[q->num].kind = part->kind == ABI_OUT ? ABI_OUT : ABI_NUMBER;
	q->num++;
}

/* The attribute itself, whatever is in it */
static void mutate_attr(struct abi_request *q, struct abi_part *part,
			struct abi_random *r)
{
	static const struct {
		const char *name;
		uint8_t flags;
	} flags[] = {
		{ "flags=0", 0 }, { "flags=valid", 3 }, { "flags=4", 5 },
		{ "flags=0x80", 0x81 }, { "flags=0xff", 0xff },
	};
	unsigned int which = abi_random(r, 12);

	/* another id may give a handle another part to play */
	q->disturbs = which >= 7 && which <= 9;
	if (which < LENGTH(flags)) {
		part->flags = flags[which].flags;
		name_op(q, flags[which].name);
	} else if (which < 7) {
		part->reserved = which == 5 ? 1 : 0x100;
		name_op(q, which == 5 ? "reserved=1" : "reserved=0x100");
	} else if (which == 7) {
		part->id += 1;
		name_op(q, "id+1");
	} else if (which == 8) {
		part->id = 0x3f;
		name_op(q, "id=0x3f");
	} else if (which == 9) {
		part->id ^= ABI_DRIVER_NS;
		name_op(q, "id^driver");
	} else if (which == 10) {
		part->absent = true;
		name_op(q, "absent");
	} else {
		duplicate(q, part);
	}
}

static void add_part(struct abi_request *q, struct abi_random *r)
{
	static const struct {
		const char *name;
		uint16_t id, len;
		uint8_t flags;
	} rows[] = {
		{ "unknown", 0x2f, 8, 1 }, { "unknown-optional", 0x2f, 8, 0 },
		{ "uhw-in", UVERBS_ATTR_UHW_IN, 8, 1 },
		{ "uhw-out-empty", UVERBS_ATTR_UHW_OUT, 0, 1 },
		{ "uhw-optional", UVERBS_ATTR_UHW_IN, 8, 0 },
		{ "id-max", 0xffff, 0, 1 }, { "id-max-optional", 0xffff, 0, 0 },
	};
	unsigned int which = abi_random(r, LENGTH(rows));
	struct abi_part *part = abi_request_add(q, rows[which].id,
						rows[which].len, 0);

	part->flags = rows[which].flags;
	snprintf(q->target, sizeof(q->target), "added");
	name_op(q, rows[which].name);
}

static bool usable(const struct abi_request *q, const struct abi_part *part)
{
	if (part->absent)
		return false;
	/* the older call has no addresses of requests and no driver's own */
	return q->route != ROUTE_WRITE || part->kind != ABI_NUMBER;
}

static void mutate_part(struct abi_request *q, struct abi_world *w,
			struct abi_random *r)
{
	struct abi_part *part = &q->parts[abi_random(r, q->num)];
	bool attrs = q->route != ROUTE_WRITE;
	unsigned int which = abi_random(r, 16);
	/* too little room is worth more than another address */
	unsigned int lens = part->kind == ABI_OUT ? 11 : 8;

	if (!usable(q, part))
		return;
	snprintf(q->target, sizeof(q->target), "%s", part_name(part));
	if (part->kind == ABI_IN && which < 10)
		mutate_field(q, part, w, r);
	else if (attrs && which < 4)
		mutate_attr(q, part, r);
	else if (part->kind == ABI_IN && (!attrs || which < 14))
		mutate_struct_len(q, part, r);
	else if (attrs ? which < lens : part->kind == ABI_OUT && which < 12)
		mutate_len(q, part, r);
	else if (attrs)
		mutate_value(q, part, w, r);
}

static void mutate_envelope(struct abi_request *q, struct abi_random *r)
{
	const struct abi_envelope *table = abi_ioctl_envelopes;
	unsigned int num = abi_num_ioctl_envelopes;

	if (q->route == ROUTE_WRITE) {
		table = abi_write_envelopes;
		num = q->m->extended ? abi_num_write_envelopes :
				       abi_num_plain_envelopes;
	}
	q->envelope = &table[abi_random(r, num)];
	snprintf(q->target, sizeof(q->target), "%s", q->envelope->target);
	name_op(q, q->envelope->name);
	q->disturbs = q->envelope->disturbs;
}

void abi_mutate(struct abi_request *q, struct abi_world *w,
		struct abi_random *r)
{
	unsigned int which = abi_random(r, 32);

	if (which < 2)
		return;
	if (which == 2) {
		q->fresh = !q->fresh;
		snprintf(q->target, sizeof(q->target), "file");
		name_op(q, q->fresh ? "no-context" : "has-context");
	} else if (which < 8 || !q->num) {
		mutate_envelope(q, r);
	} else if (which == 8 && q->route != ROUTE_WRITE) {
		add_part(q, r);
	} else {
		mutate_part(q, w, r);
		if (!strcmp(q->target, "WRITE_CMD"))
			q->disturbs = true;
	}
}

static int set_field(struct abi_part *part, const char *name, uint64_t value)
{
	const struct abi_layout *layout = part->attr->layout;
	unsigned int i;

	for (i = 0; i < layout->num; i++) {
		if (!strcmp(layout->fields[i].name, name)) {
			abi_field_set(part, &layout->fields[i], value);
			return 1;
		}
	}
	return 0;
}

int abi_set(struct abi_request *q, const char *target, uint64_t value)
{
	const char *dot = strchr(target, '.');
	size_t len = dot ? (size_t)(dot - target) : strlen(target);
	unsigned int i;

	for (i = 0; i < q->num; i++) {
		struct abi_part *part = &q->parts[i];
		const char *name = part_name(part);

		if (strlen(name) != len || strncmp(name, target, len))
			continue;
		part->absent = false;
		if (dot)
			return set_field(part, dot + 1, value);
		part->value = value;
		return 1;
	}
	return 0;
}
