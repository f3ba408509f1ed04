/* SPDX-License-Identifier: GPL-2.0-only */
/* A program that has the device file of a fake device open. */
#ifndef KUNIT_FAKE_USER_H
#define KUNIT_FAKE_USER_H

#include <linux/types.h>
#include <rdma/ib_user_ioctl_cmds.h>

struct fake_device;
struct file;
struct kunit;

/**
 * struct fake_user - an open device file and some memory
 * @test: closes the file at its end
 * @filp: the file, with a context
 * @mem: user memory, given out anew for each call
 * @used: bytes of @mem that the current call has taken
 * @invoke: send commands of write() inside an ioctl
 */
struct fake_user {
	struct kunit	*test;
	struct file	*filp;
	u8 __user	*mem;
	size_t		used;
	bool		invoke;
};

/**
 * struct fake_attr - an attribute of an ioctl
 * @id: attribute id
 * @len: bytes; 0 for handles
 * @choice: which shape its data has, for attributes with several
 * @data: number or handle; afterwards the handle that was made
 * @in: data of more than 8 bytes, or NULL
 * @out: gets the answer, or NULL
 */
struct fake_attr {
	u16		id;
	u16		len;
	u8		choice;
	u64		data;
	const void	*in;
	void		*out;
};

struct fake_user *fake_user_open(struct kunit *test, struct fake_device *fake);
void fake_user_close(struct fake_user *user);
u64 fake_user_copy(struct fake_user *user, const void *src, size_t len);
int fake_user_command(struct fake_user *user, u32 command, const void *req,
		      size_t len, void *resp, size_t resp_len);
int fake_user_call(struct fake_user *user, u16 object, u16 method,
		   struct fake_attr *attrs, unsigned int num);
int fake_user_destroy(struct fake_user *user, u16 object, u16 method, u16 attr,
		      u32 handle);
u32 fake_user_pd(struct fake_user *user);
u32 fake_user_cq(struct fake_user *user);
const char *fake_user_why(struct fake_user *user);

#endif /* KUNIT_FAKE_USER_H */
