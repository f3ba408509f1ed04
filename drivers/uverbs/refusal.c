// SPDX-License-Identifier: GPL-2.0-only
/*
 * Why the last call on a file failed. A failing call leaves the parts of the
 * sentence, whoever asks for it gets it put together. The text is a constant
 * of the module that refused; a driver may be unloaded before anybody asks, so
 * its sentence is put together at once.
 */
#include <linux/string.h>
#include <linux/uaccess.h>
#include "uverbs_priv.h"

/**
 * uverbs_file_record() - remember why a call failed
 * @file: the file
 * @err: what the call returns, negative
 * @call: UVERBS_CALL_*
 * @object: object id, for UVERBS_CALL_IOCTL
 * @method: method id or command number
 *
 * Context: Process context, in the task whose call failed, in the SRCU section
 * of the call: the text may be the driver's.
 */
void uverbs_file_record(struct uverbs_file *file, int err, u16 call,
			u16 object, u16 method)
{
	struct uverbs_failure *f = &file->failure;

	spin_lock(&f->lock);
	if (!ib_refusal_take(err, &f->refusal))
		f->refusal = (struct ib_refusal){
			.layer = IB_LAYER_UVERBS,
			.attr = IB_REFUSE_NO_ATTR,
			.err = err,
			.why = "no reason recorded",
		};
	f->kept[0] = '\0';
	if (f->refusal.layer >= IB_LAYER_DRIVER)
		ib_refusal_text(&f->refusal, f->kept, sizeof(f->kept));
	f->count++;
	f->call = call;
	f->object = object;
	f->method = method;
	spin_unlock(&f->lock);
}

/**
 * uverbs_file_last_refusal() - tell user space why the last call failed
 * @file: the file
 * @out: user address of struct uverbs_last_refusal
 *
 * Context: Process context. May sleep.
 * Return: 0 or -EFAULT.
 */
int uverbs_file_last_refusal(struct uverbs_file *file, void __user *out)
{
	struct uverbs_failure *f = &file->failure;
	struct uverbs_last_refusal r = {};

	spin_lock(&f->lock);
	r.count = f->count;
	if (f->count) {
		r.error = -f->refusal.err;
		r.call = f->call;
		r.object = f->object;
		r.method = f->method;
		r.attr = f->refusal.attr;
		r.layer = f->refusal.layer;
		if (f->kept[0])
			strscpy(r.text, f->kept);
		else
			ib_refusal_text(&f->refusal, r.text, sizeof(r.text));
	}
	spin_unlock(&f->lock);
	if (copy_to_user(out, &r, sizeof(r)))
		return uverbs_refuse(-EFAULT, "cannot write the refusal");
	return 0;
}
