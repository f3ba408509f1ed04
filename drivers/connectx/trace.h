/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Trace points of the driver: one per event that an observer may want to see.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM connectx

#if !defined(CX_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define CX_TRACE_H

#include <linux/device.h>
#include <linux/tracepoint.h>

TRACE_EVENT(cx_cmd_begin,
	TP_PROTO(struct device *dev, u16 opcode, size_t len, u8 token),
	TP_ARGS(dev, opcode, len, token),
	TP_STRUCT__entry(
		__string(dev, dev_name(dev))
		__field(u16, opcode)
		__field(u32, len)
		__field(u8, token)
	),
	TP_fast_assign(
		__assign_str(dev);
		__entry->opcode = opcode;
		__entry->len = len;
		__entry->token = token;
	),
	TP_printk("%s opcode=0x%x len=%u token=%u", __get_str(dev),
		  __entry->opcode, __entry->len, __entry->token)
);

TRACE_EVENT(cx_cmd_end,
	TP_PROTO(struct device *dev, u16 opcode, u8 token, int ret),
	TP_ARGS(dev, opcode, token, ret),
	TP_STRUCT__entry(
		__string(dev, dev_name(dev))
		__field(u16, opcode)
		__field(u8, token)
		__field(int, ret)
	),
	TP_fast_assign(
		__assign_str(dev);
		__entry->opcode = opcode;
		__entry->token = token;
		__entry->ret = ret;
	),
	TP_printk("%s opcode=0x%x token=%u ret=%d", __get_str(dev),
		  __entry->opcode, __entry->token, __entry->ret)
);

#endif /* CX_TRACE_H */

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
