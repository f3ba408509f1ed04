// SPDX-License-Identifier: GPL-2.0-only
/*
 * Class infiniband in sysfs. Names and formats are user ABI: see the kernel's
 * Documentation/ABI/stable/sysfs-class-infiniband.
 */
#include <linux/ctype.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include "core_priv.h"

#define GUID_FMT	"%04x:%04x:%04x:%04x\n"
#define PHYS_STATES	8

/**
 * struct port_file - a file of a port
 * @attr: for sysfs
 * @port: whose
 * @index: entry of a table
 * @print: a fact of the port, NULL for an entry of a table
 * @name: of an entry of a table
 */
struct port_file {
	struct kobj_attribute	attr;
	struct ib_port		*port;
	u16			index;
	ssize_t			(*print)(const struct ib_port_attr *attr,
					 char *buf);
	char			name[8];
};

/* A group of files in a folder */
struct port_folder {
	struct attribute_group	group;
	struct kobject		*parent;
	struct port_file	*files;
	struct attribute	**attrs;
};

enum { FACTS, GIDS, PKEYS, TYPES, NDEVS, FOLDERS };

struct ib_port_sysfs {
	struct kobject		*port_dir;
	struct kobject		*gid_attrs_dir;
	struct port_folder	folders[FOLDERS];
};

static ssize_t print_state(const struct ib_port_attr *attr, char *buf)
{
	/* PortInfo:PortState; 0 and 5 are no states that a port stays in */
	static const char *const names[] = {
		"NOP", "DOWN", "INIT", "ARMED", "ACTIVE", "ACTIVE_DEFER",
	};

	return sysfs_emit(buf, "%d: %s\n", attr->state,
			  attr->state < ARRAY_SIZE(names) ?
			  names[attr->state] : "UNKNOWN");
}

static ssize_t print_lid(const struct ib_port_attr *attr, char *buf)
{
	return sysfs_emit(buf, "0x%x\n", attr->lid);
}

static ssize_t print_lmc(const struct ib_port_attr *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", attr->lmc);
}

static ssize_t print_sm_lid(const struct ib_port_attr *attr, char *buf)
{
	return sysfs_emit(buf, "0x%x\n", attr->sm_lid);
}

static ssize_t print_sm_sl(const struct ib_port_attr *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", attr->sm_sl);
}

static ssize_t print_cap_mask(const struct ib_port_attr *attr, char *buf)
{
	return sysfs_emit(buf, "0x%08x\n", attr->port_cap_flags);
}

/* Rates per lane in tenths of Gb/s; an unknown speed counts as the first. */
static ssize_t print_rate(const struct ib_port_attr *attr, char *buf)
{
	static const struct {
		u16		speed;
		u16		rate;
		const char	*name;
	} speeds[] = {
		{ IB_SPEED_SDR,		25,	"SDR" },
		{ IB_SPEED_DDR,		50,	"DDR" },
		{ IB_SPEED_QDR,		100,	"QDR" },
		{ IB_SPEED_FDR10,	100,	"FDR10" },
		{ IB_SPEED_FDR,		140,	"FDR" },
		{ IB_SPEED_EDR,		250,	"EDR" },
		{ IB_SPEED_HDR,		500,	"HDR" },
		{ IB_SPEED_NDR,		1000,	"NDR" },
	};
	static const u8 lanes[] = {
		[IB_WIDTH_1X] = 1,	[IB_WIDTH_4X] = 4,
		[IB_WIDTH_8X] = 8,	[IB_WIDTH_12X] = 12,
		[IB_WIDTH_2X] = 2,
	};
	unsigned int width = 0, rate;
	size_t i;

	if (attr->active_width < ARRAY_SIZE(lanes))
		width = lanes[attr->active_width];
	if (!width)
		return -EINVAL;
	for (i = ARRAY_SIZE(speeds) - 1; i > 0; i--)
		if (speeds[i].speed == attr->active_speed)
			break;
	rate = speeds[i].rate * width;
	return sysfs_emit(buf, "%u%s Gb/sec (%uX %s)\n", rate / 10,
			  rate % 10 ? ".5" : "", width, speeds[i].name);
}

static ssize_t print_phys_state(const struct ib_port_attr *attr, char *buf)
{
	static const char *const names[PHYS_STATES] = {
		[1] = "Sleep",		[2] = "Polling",
		[3] = "Disabled",	[4] = "PortConfigurationTraining",
		[5] = "LinkUp",		[6] = "LinkErrorRecovery",
		[7] = "Phy Test",
	};
	u8 state = attr->phys_state;

	return sysfs_emit(buf, "%u: %s\n", state,
			  state && state < PHYS_STATES ? names[state] :
			  "<unknown>");
}

static ssize_t print_link_layer(const struct ib_port_attr *attr, char *buf)
{
	static const char *const names[] = {
		[IB_LINK_UNSPECIFIED]	= "Unknown",
		[IB_LINK_INFINIBAND]	= "InfiniBand",
		[IB_LINK_ETHERNET]	= "Ethernet",
	};

	return sysfs_emit(buf, "%s\n", names[attr->link_layer]);
}

static const struct {
	const char	*name;
	ssize_t		(*print)(const struct ib_port_attr *attr, char *buf);
} facts[] = {
	{ "cap_mask",		print_cap_mask },
	{ "lid",		print_lid },
	{ "lid_mask_count",	print_lmc },
	{ "link_layer",		print_link_layer },
	{ "phys_state",		print_phys_state },
	{ "rate",		print_rate },
	{ "sm_lid",		print_sm_lid },
	{ "sm_sl",		print_sm_sl },
	{ "state",		print_state },
};

static struct port_file *to_file(struct kobj_attribute *attr)
{
	return container_of(attr, struct port_file, attr);
}

static ssize_t show_fact(struct kobject *kobj, struct kobj_attribute *attr,
			 char *buf)
{
	struct port_file *file = to_file(attr);
	struct ib_device *device = file->port->device;
	struct ib_port_attr port_attr;
	int ret;

	ret = ib_query_port(device, file->port->num, &port_attr);
	if (ret)
		return ret;
	return file->print(&port_attr, buf);
}

static ssize_t show_gid(struct kobject *kobj, struct kobj_attribute *attr,
			char *buf)
{
	struct port_file *file = to_file(attr);
	union ib_gid gid;
	int ret;

	ret = ib_query_gid(file->port->device, file->port->num, file->index,
			   &gid);
	if (ret)
		return ret;
	return sysfs_emit(buf, "%pI6\n", gid.raw);
}

static ssize_t show_pkey(struct kobject *kobj, struct kobj_attribute *attr,
			 char *buf)
{
	struct port_file *file = to_file(attr);
	u16 pkey;
	int ret;

	ret = ib_query_pkey(file->port->device, file->port->num, file->index,
			    &pkey);
	if (ret)
		return ret;
	return sysfs_emit(buf, "0x%04x\n", pkey);
}

/* Tools take -EINVAL for "no such GID" and read on. */
static ssize_t show_type(struct kobject *kobj, struct kobj_attribute *attr,
			 char *buf)
{
	struct port_file *file = to_file(attr);
	union ib_gid gid;
	int ret;

	ret = ib_query_gid(file->port->device, file->port->num, file->index,
			   &gid);
	if (ret)
		return ret;
	if (!memchr_inv(&gid, 0, sizeof(gid)))
		return -EINVAL;
	return sysfs_emit(buf, "IB/RoCE v1\n");
}

static ssize_t show_ndev(struct kobject *kobj, struct kobj_attribute *attr,
			 char *buf)
{
	return -EINVAL;
}

typedef ssize_t (*show_fn)(struct kobject *kobj, struct kobj_attribute *attr,
			   char *buf);

static int refuse_files(u32 port)
{
	return ib_refuse(IB_LAYER_CORE, -ENOMEM,
			 "no memory for the files of port %llu", port, 0);
}

static int alloc_folder(struct ib_port *port, struct port_folder *folder,
			size_t n)
{
	folder->files = kcalloc(n, sizeof(*folder->files), GFP_KERNEL);
	folder->attrs = kcalloc(n + 1, sizeof(*folder->attrs), GFP_KERNEL);
	if (!folder->files || !folder->attrs)
		return refuse_files(port->num);
	return 0;
}

static void init_file(struct port_folder *folder, size_t i, struct ib_port *port,
		      const char *name, show_fn show)
{
	struct port_file *file = &folder->files[i];

	file->port = port;
	file->index = i;
	sysfs_attr_init(&file->attr.attr);
	file->attr.attr.name = name;
	file->attr.attr.mode = 0444;
	file->attr.show = show;
	folder->attrs[i] = &file->attr.attr;
}

static int publish_folder(struct port_folder *folder, struct kobject *parent,
			  const char *name)
{
	int ret;

	folder->group.name = name;
	folder->group.attrs = folder->attrs;
	ret = sysfs_create_group(parent, &folder->group);
	if (ret)
		return ib_refuse(IB_LAYER_CORE, ret,
				 "sysfs refuses a folder of a port", 0, 0);
	folder->parent = parent;
	return 0;
}

static int add_table(struct ib_port *port, int which, struct kobject *parent,
		     const char *name, size_t n, show_fn show)
{
	struct port_folder *folder = &port->sysfs->folders[which];
	size_t i;
	int ret;

	ret = alloc_folder(port, folder, n);
	if (ret)
		return ret;
	for (i = 0; i < n; i++) {
		struct port_file *file = &folder->files[i];

		init_file(folder, i, port, file->name, show);
		snprintf(file->name, sizeof(file->name), "%u", file->index);
	}
	return publish_folder(folder, parent, name);
}

static int add_facts(struct ib_port *port)
{
	struct port_folder *folder = &port->sysfs->folders[FACTS];
	size_t i;
	int ret;

	ret = alloc_folder(port, folder, ARRAY_SIZE(facts));
	if (ret)
		return ret;
	for (i = 0; i < ARRAY_SIZE(facts); i++) {
		folder->files[i].print = facts[i].print;
		init_file(folder, i, port, facts[i].name, show_fact);
	}
	return publish_folder(folder, port->sysfs->port_dir, NULL);
}

static int add_tables(struct ib_port *port)
{
	struct kobject *dir = port->sysfs->port_dir;
	struct kobject *attrs_dir = port->sysfs->gid_attrs_dir;
	int ret;

	ret = add_table(port, GIDS, dir, "gids", port->gid_len, show_gid);
	if (!ret)
		ret = add_table(port, PKEYS, dir, "pkeys", port->pkey_len,
				show_pkey);
	if (!ret)
		ret = add_table(port, TYPES, attrs_dir, "types",
				port->gid_len, show_type);
	if (!ret)
		ret = add_table(port, NDEVS, attrs_dir, "ndevs",
				port->gid_len, show_ndev);
	return ret;
}

/* Whatever of the port is there; the caller needs no labels then. */
static void del_port(struct ib_port *port)
{
	struct ib_port_sysfs *sysfs = port->sysfs;
	int i;

	if (!sysfs)
		return;
	for (i = 0; i < FOLDERS; i++) {
		struct port_folder *folder = &sysfs->folders[i];

		if (folder->parent)
			sysfs_remove_group(folder->parent, &folder->group);
		kfree(folder->files);
		kfree(folder->attrs);
	}
	kobject_put(sysfs->gid_attrs_dir);
	kobject_put(sysfs->port_dir);
	kfree(sysfs);
	port->sysfs = NULL;
}

static int add_port(struct ib_port *port)
{
	struct ib_port_sysfs *sysfs = kzalloc(sizeof(*sysfs), GFP_KERNEL);
	char name[8];
	int ret;

	if (!sysfs)
		return refuse_files(port->num);
	port->sysfs = sysfs;
	snprintf(name, sizeof(name), "%u", port->num);
	sysfs->port_dir = kobject_create_and_add(name,
						 port->device->ports_dir);
	if (!sysfs->port_dir)
		return refuse_files(port->num);
	sysfs->gid_attrs_dir = kobject_create_and_add("gid_attrs",
						      sysfs->port_dir);
	if (!sysfs->gid_attrs_dir)
		return refuse_files(port->num);
	ret = add_facts(port);
	if (ret)
		return ret;
	return add_tables(port);
}

void ib_sysfs_del_ports(struct ib_device *device)
{
	u32 i;

	for (i = 0; i < device->phys_port_cnt; i++)
		del_port(&device->ports[i]);
	kobject_put(device->ports_dir);
	device->ports_dir = NULL;
}

int ib_sysfs_add_ports(struct ib_device *device)
{
	u32 i;
	int ret = 0;

	device->ports_dir = kobject_create_and_add("ports", &device->dev.kobj);
	if (!device->ports_dir)
		return ib_refuse(IB_LAYER_CORE, -ENOMEM,
				 "no memory for the folder of ports", 0, 0);
	for (i = 0; i < device->phys_port_cnt && !ret; i++)
		ret = add_port(&device->ports[i]);
	if (ret)
		ib_sysfs_del_ports(device);
	return ret;
}

static struct ib_device *to_device(struct device *dev)
{
	return container_of(dev, struct ib_device, dev);
}

static ssize_t emit_guid(__be64 guid, char *buf)
{
	u64 g = be64_to_cpu(guid);

	return sysfs_emit(buf, GUID_FMT, (u16)(g >> 48), (u16)(g >> 32),
			  (u16)(g >> 16), (u16)g);
}

static ssize_t node_type_show(struct device *dev, struct device_attribute *attr,
			      char *buf)
{
	return sysfs_emit(buf, "%d: CA\n", to_device(dev)->node_type);
}
static DEVICE_ATTR_RO(node_type);

static ssize_t node_guid_show(struct device *dev, struct device_attribute *attr,
			      char *buf)
{
	return emit_guid(to_device(dev)->node_guid, buf);
}
static DEVICE_ATTR_RO(node_guid);

static ssize_t sys_image_guid_show(struct device *dev,
				   struct device_attribute *attr, char *buf)
{
	return emit_guid(to_device(dev)->attr.sys_image_guid, buf);
}
static DEVICE_ATTR_RO(sys_image_guid);

static ssize_t node_desc_show(struct device *dev, struct device_attribute *attr,
			      char *buf)
{
	struct ib_device *device = to_device(dev);
	ssize_t len;

	down_read(&device->unreg_lock);
	len = sysfs_emit(buf, "%.64s\n", device->node_desc);
	up_read(&device->unreg_lock);
	return len;
}

static ssize_t node_desc_store(struct device *dev,
			       struct device_attribute *attr, const char *buf,
			       size_t count)
{
	struct ib_device *device = to_device(dev);
	size_t len = count;

	if (len && buf[len - 1] == '\n')
		len--;
	len = min(len, sizeof(device->node_desc));
	down_write(&device->unreg_lock);
	memset(device->node_desc, 0, sizeof(device->node_desc));
	memcpy(device->node_desc, buf, len);
	up_write(&device->unreg_lock);
	return count;
}
static DEVICE_ATTR_RW(node_desc);

static ssize_t fw_ver_show(struct device *dev, struct device_attribute *attr,
			   char *buf)
{
	return sysfs_emit(buf, "%s\n", to_device(dev)->fw_str);
}
static DEVICE_ATTR_RO(fw_ver);

static ssize_t hca_type_show(struct device *dev, struct device_attribute *attr,
			     char *buf)
{
	return sysfs_emit(buf, "MT%u\n", to_device(dev)->attr.vendor_part_id);
}
static DEVICE_ATTR_RO(hca_type);

static ssize_t hw_rev_show(struct device *dev, struct device_attribute *attr,
			   char *buf)
{
	return sysfs_emit(buf, "%x\n", to_device(dev)->attr.hw_ver);
}
static DEVICE_ATTR_RO(hw_rev);

static ssize_t board_id_show(struct device *dev, struct device_attribute *attr,
			     char *buf)
{
	return sysfs_emit(buf, "%s\n", to_device(dev)->board_id);
}
static DEVICE_ATTR_RO(board_id);

static struct attribute *device_attrs[] = {
	&dev_attr_fw_ver.attr,
	&dev_attr_node_desc.attr,
	&dev_attr_node_guid.attr,
	&dev_attr_node_type.attr,
	&dev_attr_sys_image_guid.attr,
	NULL
};

static const struct attribute_group device_group = { .attrs = device_attrs };

/* Files of the adapter behind the device, for drivers that know it */
static struct attribute *board_attrs[] = {
	&dev_attr_board_id.attr,
	&dev_attr_hca_type.attr,
	&dev_attr_hw_rev.attr,
	NULL
};

static umode_t board_visible(struct kobject *kobj, struct attribute *attr,
			     int n)
{
	return to_device(kobj_to_dev(kobj))->board_id[0] ? attr->mode : 0;
}

static const struct attribute_group board_group = {
	.attrs		= board_attrs,
	.is_visible	= board_visible,
};

static const struct attribute_group *device_groups[] = {
	&device_group,
	&board_group,
	NULL
};

static int device_uevent(const struct device *dev, struct kobj_uevent_env *env)
{
	return add_uevent_var(env, "NAME=%s", dev_name(dev));
}

const struct class ib_class = {
	.name		= "infiniband",
	.dev_groups	= device_groups,
	.dev_uevent	= device_uevent,
};

int ib_sysfs_init(void)
{
	return class_register(&ib_class);
}

void ib_sysfs_exit(void)
{
	class_unregister(&ib_class);
}
