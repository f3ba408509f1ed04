// SPDX-License-Identifier: GPL-2.0-only
/*
 * The netlink protocol comes first: a kernel that has another RDMA core built
 * in owns it, and we give up before two classes of one name meet in sysfs.
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include "core_priv.h"

static const struct {
	int	(*init)(void);
	void	(*exit)(void);
} pieces[] = {
	{ ib_netlink_init,	ib_netlink_exit },
	{ ib_event_init,	ib_event_exit },
	{ ib_sysfs_init,	ib_sysfs_exit },
};

static void exit_pieces(size_t n)
{
	while (n--)
		pieces[n].exit();
}

static int __init ib_core_init(void)
{
	size_t i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(pieces); i++) {
		ret = pieces[i].init();
		if (ret) {
			exit_pieces(i);
			return ret;
		}
	}
	return 0;
}

static void __exit ib_core_exit(void)
{
	exit_pieces(ARRAY_SIZE(pieces));
}

module_init(ib_core_init);
module_exit(ib_core_exit);

MODULE_DESCRIPTION("RDMA core");
MODULE_LICENSE("GPL");
