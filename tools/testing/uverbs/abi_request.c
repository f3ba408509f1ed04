// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>

#include "abi_memory.h"
#include "abi_request.h"

#define POISON_HANDLE	0x5a5a5a5aull
/* bytes that are poisoned before an output and looked at behind it */
#define MARGIN		64

static uint64_t default_value(struct abi_world *w, unsigned int kind,
			      uint64_t value)
{
	switch (kind) {
	case ABI_HANDLE:
	case ABI_FD:
	case ABI_FD_NUMBER:
		return abi_world_need(w, value);
	case ABI_ADDRESS:
		return (uintptr_t)abi_region(REGION_QUEUES);
	case ABI_NEW:
		return POISON_HANDLE;
	default:
		return value;
	}
}

void abi_field_set(struct abi_part *part, const struct abi_field *field,
		   uint64_t value)
{
	size_t n = field->size < 8 ? field->size : 8;

	memcpy(part->bytes + field->offset, &value, n);
}

uint64_t abi_field_get(const struct abi_part *part,
		       const struct abi_field *field)
{
	size_t n = field->size < 8 ? field->size : 8;
	uint64_t value = 0;

	memcpy(&value, part->bytes + field->offset, n);
	return value;
}

static void fill_layout(struct abi_part *part, const struct abi_layout *layout,
			struct abi_world *w)
{
	unsigned int i;

	/* and the tail that mutations may send along */
	memset(part->bytes, 0, layout->size + MARGIN);
	for (i = 0; i < layout->num; i++)
		abi_field_set(part, &layout->fields[i],
			      default_value(w, layout->fields[i].kind,
					    layout->fields[i].value));
	part->len = layout->size;
}

void abi_request_init(struct abi_request *q, const struct abi_method *m,
		      enum abi_route route, struct abi_world *w,
		      struct abi_random *r)
{
	unsigned int i;

	memset(q, 0, sizeof(*q));
	q->m = m;
	q->route = route;
	q->fresh = m->flags & ABI_FRESH;
	q->num = m->num;
	for (i = 0; i < m->num; i++) {
		struct abi_part *part = &q->parts[i];
		const struct abi_attr *attr = &m->attrs[i];

		part->attr = attr;
		part->id = attr->id;
		part->kind = attr->kind;
		part->len = attr->len;
		part->flags = UVERBS_ATTR_F_MANDATORY;
		part->bytes = abi_region(REGION_PARTS + i);
		part->value = default_value(w, attr->kind, attr->value);
		part->absent = attr->optional && abi_random(r, 2);
		if (attr->kind == ABI_IN)
			fill_layout(part, attr->layout, w);
	}
}

struct abi_part *abi_request_add(struct abi_request *q, unsigned int id,
				 unsigned int len, uint64_t value)
{
	struct abi_part *part = &q->parts[q->num];

	memset(part, 0, sizeof(*part));
	part->id = id;
	part->len = len;
	part->value = value;
	part->flags = UVERBS_ATTR_F_MANDATORY;
	part->kind = ABI_NUMBER;
	part->bytes = abi_region(REGION_PARTS + q->num++);
	return part;
}

static uint64_t part_data(const struct abi_part *part)
{
	uint64_t data = 0;

	if (part->kind != ABI_IN && part->kind != ABI_OUT)
		return part->value;
	if (part->address)
		return part->address;
	if (part->kind == ABI_OUT || part->len > sizeof(data))
		return (uintptr_t)part->bytes;
	/* so short that it travels in the attribute */
	memcpy(&data, part->bytes, part->len);
	return data;
}

static void encode_ioctl(struct abi_request *q)
{
	struct call *c = (void *)abi_region(REGION_CALL);
	struct ib_uverbs_attr *attr;
	unsigned int i;

	call_init(c, q->m->object, q->m->method);
	for (i = 0; i < q->num; i++) {
		const struct abi_part *part = &q->parts[i];

		if (part->absent)
			continue;
		attr = call_add(c, part->id, part->len, part_data(part));
		attr->flags = part->flags;
		attr->attr_data.reserved = part->reserved;
	}
	c->hdr.length = sizeof(c->hdr) +
			c->hdr.num_attrs * sizeof(c->attrs[0]);
	q->data = c;
	q->len = c->hdr.length;
	q->ioctl = RDMA_VERBS_IOCTL;
}

static struct abi_part *part_of(struct abi_request *q, unsigned int id)
{
	unsigned int i;

	for (i = 0; i < q->m->num; i++) {
		if (q->m->attrs[i].id == id && !q->parts[i].absent)
			return &q->parts[i];
	}
	return NULL;
}

static unsigned int part_len(const struct abi_part *part)
{
	return part ? part->len : 0;
}

/* The older call has one response: the core's part, then the driver's. */
static uint64_t response_address(struct abi_request *q)
{
	const struct abi_part *out = part_of(q, UVERBS_ATTR_CORE_OUT);

	if (!out)
		return 0;
	return out->address ? out->address : (uintptr_t)out->bytes;
}

static uint8_t *encode_header(struct abi_request *q, uint8_t *to,
			      unsigned int in, unsigned int out)
{
	unsigned int unit = q->m->extended ? 8 : 4;
	struct ib_uverbs_cmd_hdr *hdr = (void *)to;
	struct ib_uverbs_ex_cmd_hdr *ex = (void *)(hdr + 1);
	unsigned int driver_in = part_len(part_of(q, UVERBS_ATTR_UHW_IN));
	unsigned int driver_out = part_len(part_of(q, UVERBS_ATTR_UHW_OUT));

	hdr->command = part_of(q, UVERBS_ATTR_WRITE_CMD) ?
		part_of(q, UVERBS_ATTR_WRITE_CMD)->value : 0;
	if (!q->m->extended) {
		hdr->in_words = (sizeof(*hdr) + in + driver_in) / unit;
		hdr->out_words = (out + driver_out) / unit;
		return (uint8_t *)ex;
	}
	hdr->in_words = in / unit;
	hdr->out_words = out / unit;
	ex->response = response_address(q);
	ex->provider_in_words = driver_in / unit;
	ex->provider_out_words = driver_out / unit;
	ex->cmd_hdr_reserved = 0;
	return (uint8_t *)(ex + 1);
}

static uint8_t *append(uint8_t *to, const struct abi_part *part)
{
	if (!part)
		return to;
	memcpy(to, part->bytes, part->len);
	return to + part->len;
}

static void encode_write(struct abi_request *q)
{
	uint8_t *start = abi_region(REGION_CALL);
	struct abi_part *in = part_of(q, UVERBS_ATTR_CORE_IN);
	const struct abi_field *first = NULL;
	uint8_t *to;

	if (in) {
		first = &in->attr->layout->fields[0];
		if (first->kind == ABI_RESPONSE && !abi_field_get(in, first))
			abi_field_set(in, first, response_address(q));
	}
	to = encode_header(q, start, part_len(in),
			   part_len(part_of(q, UVERBS_ATTR_CORE_OUT)));
	to = append(to, in);
	to = append(to, part_of(q, UVERBS_ATTR_UHW_IN));
	memset(to, 0, MARGIN);
	q->data = start;
	q->len = to - start;
}

/* --- which method it is --------------------------------------------------- */

const struct abi_method *abi_native_find(unsigned int object,
					 unsigned int method)
{
	unsigned int i;

	for (i = 0; i < abi_num_natives; i++) {
		if (abi_natives[i].object == object &&
		    abi_natives[i].method == method)
			return &abi_natives[i];
	}
	return NULL;
}

const struct abi_method *abi_write_find(uint32_t command)
{
	const struct abi_method *writes;
	unsigned int i, count;

	writes = abi_writes(&count);
	for (i = 0; i < count; i++) {
		if (writes[i].command == command)
			return &writes[i];
	}
	return NULL;
}

/* Faults in the header may lead to another one than the tables meant. */
static const struct abi_method *by_numbers(struct abi_request *q)
{
	const struct ib_uverbs_cmd_hdr *write_hdr = q->data;
	const struct abi_part *cmd = part_of(q, UVERBS_ATTR_WRITE_CMD);
	const struct call *c = q->data;

	if (!abi_readable(q->data, q->len) || q->len < sizeof(*write_hdr))
		return q->m;
	if (q->route == ROUTE_WRITE)
		return abi_write_find(write_hdr->command);
	if (c->hdr.object_id == UVERBS_OBJECT_DEVICE &&
	    c->hdr.method_id == UVERBS_METHOD_INVOKE_WRITE)
		return q->m->is_write && cmd ? abi_write_find(cmd->value) :
					       NULL;
	return abi_native_find(c->hdr.object_id, c->hdr.method_id);
}

/* The one that is meant may be in the tables more than once. */
static const struct abi_method *reached(struct abi_request *q)
{
	const struct abi_method *m = by_numbers(q);

	return m && !strcmp(m->name, q->m->name) ? q->m : m;
}

/* --- what comes back ------------------------------------------------------ */

/* Bytes of an output to look at */
static unsigned int room(const struct abi_part *part, unsigned int more)
{
	unsigned int len = part->len + more + MARGIN;

	return len > ABI_REGION ? ABI_REGION : len;
}

static void poison(struct abi_request *q)
{
	unsigned int i, more = 0;

	if (q->route == ROUTE_WRITE)
		more = part_len(part_of(q, UVERBS_ATTR_UHW_OUT));
	for (i = 0; i < q->num; i++) {
		if (q->parts[i].kind == ABI_OUT)
			memset(q->parts[i].bytes, ABI_POISON,
			       room(&q->parts[i], more));
	}
}

/* How many bytes of an output were written */
static unsigned int written(const struct abi_part *part, unsigned int more)
{
	unsigned int n = room(part, more);

	while (n && part->bytes[n - 1] == ABI_POISON)
		n--;
	return n;
}

static void collect_attrs(struct abi_request *q, struct abi_result *result)
{
	const struct call *c = q->data;
	unsigned int i, n = 0;

	for (i = 0; i < q->num; i++) {
		if (q->parts[i].absent)
			continue;
		if (c->attrs[n].flags & UVERBS_ATTR_F_VALID_OUTPUT)
			result->valid |= 1u << i;
		if (q->parts[i].kind == ABI_NEW &&
		    c->attrs[n].data != q->parts[i].value) {
			result->made = c->attrs[n].data;
			strcat(result->outputs, "h,");
		}
		n++;
	}
}

/* Extended commands of write() say how much of the room is the core's. */
static unsigned int core_room(const struct abi_request *q,
			      const struct abi_part *part)
{
	const struct ib_uverbs_cmd_hdr *hdr = q->data;

	if (q->route != ROUTE_WRITE || !abi_readable(hdr, sizeof(*hdr)) ||
	    !(hdr->command & IB_USER_VERBS_CMD_FLAG_EXTENDED))
		return part->len;
	return hdr->out_words * 8;
}

/* Every command that makes something answers the handle first. */
static int64_t answered(const struct abi_request *q,
			const struct abi_part *part)
{
	uintptr_t at = part->address ? part->address : (uintptr_t)part->bytes;
	uint32_t handle = -1;

	/* in less room, the driver's answer stands there */
	if (core_room(q, part) >= sizeof(handle) &&
	    abi_region_has(part->bytes, at, sizeof(handle)))
		memcpy(&handle, (void *)at, sizeof(handle));
	/* not written, or by halves */
	return handle >> 24 ? -1 : (int64_t)handle;
}

static void collect_outputs(struct abi_request *q, struct abi_result *result)
{
	unsigned int i, n, more = 0;
	size_t used;

	if (q->route == ROUTE_WRITE)
		more = part_len(part_of(q, UVERBS_ATTR_UHW_OUT));
	for (i = 0; i < q->num; i++) {
		struct abi_part *part = &q->parts[i];

		if (part->kind != ABI_OUT || part->absent)
			continue;
		if (q->route == ROUTE_WRITE && part->id == UVERBS_ATTR_UHW_OUT)
			continue;
		n = written(part, more);
		used = strlen(result->outputs);
		snprintf(result->outputs + used,
			 sizeof(result->outputs) - used, "%u,", n);
		if (q->m->is_write && part->id == UVERBS_ATTR_CORE_OUT && n)
			result->made = answered(q, part);
	}
}

void abi_request_encode(struct abi_request *q)
{
	poison(q);
	if (q->route == ROUTE_WRITE)
		encode_write(q);
	else
		encode_ioctl(q);
	if (q->envelope)
		q->envelope->apply(q);
}

int abi_request_send(const struct abi_request *q, int fd)
{
	ssize_t ret;

	if (q->route == ROUTE_WRITE)
		ret = write(fd, q->data, q->len);
	else
		ret = ioctl(fd, q->ioctl, q->data);
	return ret < 0 ? errno : 0;
}

void abi_request_collect(struct abi_request *q, struct abi_result *result)
{
	result->valid = 0;
	result->outputs[0] = 0;
	result->made = -1;
	if (q->route != ROUTE_WRITE && abi_readable(q->data, q->len))
		collect_attrs(q, result);
	collect_outputs(q, result);
}

void abi_request_run(struct abi_request *q, struct abi_world *w,
		     struct abi_result *result)
{
	int fd = q->fresh ? abi_world_fresh(w) : w->x.fd;

	memset(result, 0, sizeof(*result));
	abi_request_encode(q);
	result->reached = reached(q);
	result->error = abi_request_send(q, fd);
	abi_request_collect(q, result);
}
