// SPDX-License-Identifier: GPL-2.0-only
/* Completion channels in the user ABI. */
#include <linux/fs.h>
#include <ib/ops.h>
#include "bundle.h"
#include "event_fd.h"
#include "obj_table.h"
#include "write.h"

static int channel_destroy(struct ib_uobject *uobj, enum ib_remove_reason why,
			   struct uverbs_bundle *b)
{
	uverbs_comp_channel_close(uobj->object);
	return 0;
}

int uverbs_write_create_comp_channel(struct uverbs_bundle *b)
{
	struct ib_uverbs_create_comp_channel_resp resp = {};
	struct ib_uverbs_create_comp_channel cmd;
	struct ib_uobject *uobj;
	int ret;

	ret = uverbs_request(b, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	uobj = uverbs_new(b, UVERBS_OBJECT_COMP_CHANNEL);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	uverbs_comp_channel_open(container_of(uobj, struct uverbs_comp_channel,
					      uobj));

	resp.fd = uobj->id;
	return uverbs_respond(b, &resp, sizeof(resp));
}

static const struct uverbs_obj_type channel_type = {
	.size = sizeof(struct uverbs_comp_channel),
	.destroy = channel_destroy,
	.fops = &uverbs_comp_channel_fops,
	.fd_name = "[infinibandevent]",
	.fd_flags = O_RDONLY,
};

const struct uverbs_object_def uverbs_object_comp_channel = {
	.id = UVERBS_OBJECT_COMP_CHANNEL,
	.type = &channel_type,
	.needs = offsetof(struct ib_device_ops, dealloc_pd),
};
