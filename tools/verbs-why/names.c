// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include <rdma/ib_user_ioctl_cmds.h>

#include "names.h"

static const char *number(unsigned int value, char *buf, size_t size)
{
	snprintf(buf, size, "0x%x", value);
	return buf;
}

const char *why_object(unsigned int object, char *buf, size_t size)
{
	unsigned int i;

	for (i = 0; i < num_why_objects; i++)
		if (why_objects[i].number == object)
			return why_objects[i].name;
	return number(object, buf, size);
}

const char *why_method(unsigned int object, unsigned int method, char *buf,
		       size_t size)
{
	unsigned int i;

	for (i = 0; i < num_why_methods; i++)
		if (why_methods[i].object == object &&
		    why_methods[i].method == method)
			return why_methods[i].name;
	return number(method, buf, size);
}

const char *why_attr(unsigned int object, unsigned int method,
		     unsigned int attr, char *buf, size_t size)
{
	unsigned int i;

	for (i = 0; i < num_why_attrs; i++)
		if (why_attrs[i].object == object &&
		    why_attrs[i].method == method && why_attrs[i].attr == attr)
			return why_attrs[i].name;
	/* a driver's id where its tables have none: data for the driver */
	if (attr == UVERBS_ATTR_UHW_IN)
		return "UHW_IN";
	if (attr == UVERBS_ATTR_UHW_OUT)
		return "UHW_OUT";
	return number(attr, buf, size);
}

const char *why_command(unsigned int command, char *buf, size_t size)
{
	unsigned int i;

	for (i = 0; i < num_why_commands; i++)
		if (why_commands[i].number == command)
			return why_commands[i].name;
	return number(command, buf, size);
}
