// SPDX-License-Identifier: GPL-2.0-only
/*
 * kcount - count the kernel instructions of one thread between two marks.
 *
 * A plugin for QEMU's TCG. The marks are in marks.h; the thread that makes them
 * is bound to one processor, and what runs on others is not counted. A thread
 * is known by its kernel stack; what runs on another stack
 * (the idle task, other threads, most of an interrupt) is not counted, nor is
 * what an interrupt does on the thread's own stack before it changes to its
 * own. Functions that were named by MARK_APART are counted apart, with all
 * that they call; those named by MARK_LEFT_OUT are not counted.
 *
 * out=FILE gets a line for each window, "s ROW OWN APART", and at the end the
 * profile, "p ROW ADDRESS OWN APART" for each block of instructions.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "marks.h"
#include "qemu_plugin.h"

#define KERNEL_STACK	0x4000ull	/* size and alignment of a stack */
#define KERNEL_HALF	(1ull << 63)
#define MAX_ROWS	96
#define MAX_APART	16

/* Where instructions go */
enum side { OWN, APART, LEFT_OUT };

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

/* A block of instructions that is translated in one piece */
struct block {
	struct block	*next;		/* in all_blocks */
	uint64_t	address;
	uint64_t	insns;
	uint64_t	(*count)[2];	/* by row; NULL: in no window yet */
};

static struct {
	bool		open;
	unsigned int	vcpu;		/* that the thread is bound to */
	unsigned int	row;
	uint64_t	count[2];	/* own, apart */
	uint64_t	apart_sp;	/* of the outermost function named, or 0 */
	enum side	apart_side;	/* its */
	uint64_t	irq_pc;		/* where the interrupted thread goes on */
	uint64_t	irq_sp;		/* the frame of the interrupt, or 0 */
	bool		irq_user;	/* interrupted before its system call */
} window;

static uint64_t thread_stack;		/* 0: not known yet */
static struct {
	uint64_t	address;
	enum side	side;
} apart[MAX_APART];			/* functions named by marks */
static unsigned int num_apart;
static struct block *all_blocks;
static qemu_plugin_u64 is_open;
static struct qemu_plugin_register *reg_rsp, *reg_rdi;
static GByteArray *bytes;
static FILE *out;

static void *must_calloc(size_t count, size_t size)
{
	void *memory = calloc(count, size);

	if (!memory)
		abort();
	return memory;
}

static uint64_t read_reg(struct qemu_plugin_register *reg)
{
	uint64_t value = 0;

	g_byte_array_set_size(bytes, 0);
	if (qemu_plugin_read_register(reg, bytes) &&
	    bytes->len >= sizeof(value))
		memcpy(&value, bytes->data, sizeof(value));
	return value;
}

static void on_start(unsigned int vcpu, void *data)
{
	uint64_t row = read_reg(reg_rdi);

	(void)data;
	memset(&window, 0, sizeof(window));
	window.vcpu = vcpu;
	window.row = row < MAX_ROWS ? row : 0;
	window.open = true;
	qemu_plugin_u64_set(is_open, vcpu, 1);
}

static void on_end(unsigned int vcpu, void *data)
{
	(void)data;
	qemu_plugin_u64_set(is_open, vcpu, 0);
	if (window.open)
		fprintf(out, "s %u %lu %lu\n", window.row, window.count[0],
			window.count[1]);
	window.open = false;
}

static void name_function(enum side side)
{
	if (num_apart == MAX_APART)
		return;
	apart[num_apart].address = read_reg(reg_rdi);
	apart[num_apart++].side = side;
}

static void on_apart(unsigned int vcpu, void *data)
{
	(void)vcpu;
	(void)data;
	name_function(APART);
}

static void on_left_out(unsigned int vcpu, void *data)
{
	(void)vcpu;
	(void)data;
	name_function(LEFT_OUT);
}

static void on_thread(unsigned int vcpu, void *data)
{
	(void)vcpu;
	(void)data;
	thread_stack = 0;
}

static bool on_thread_stack(uint64_t sp)
{
	/* The kernel is entered on the stack of user space. */
	if (!(sp & KERNEL_HALF))
		return true;
	if (!thread_stack)
		thread_stack = sp & ~(KERNEL_STACK - 1);
	return (sp & ~(KERNEL_STACK - 1)) == thread_stack;
}

/*
 * Between an interrupt of the thread and the instruction it goes on with; or,
 * where that is user space, its next system call.
 */
static bool in_interrupt(uint64_t pc, uint64_t sp)
{
	if (window.irq_user && !(sp & KERNEL_HALF))
		window.irq_user = false;
	if (!window.irq_sp)
		return window.irq_user;
	if (pc != window.irq_pc || sp <= window.irq_sp)
		return true;
	window.irq_sp = 0;
	return false;
}

static enum side side_of(uint64_t pc, uint64_t sp)
{
	unsigned int i;

	if (window.apart_sp) {
		if (sp <= window.apart_sp)
			return window.apart_side;
		window.apart_sp = 0;
	}
	for (i = 0; i < num_apart; i++) {
		if (apart[i].address == pc) {
			window.apart_sp = sp;
			window.apart_side = apart[i].side;
			return apart[i].side;
		}
	}
	return OWN;
}

static void on_block(unsigned int vcpu, void *data)
{
	struct block *block = data;
	uint64_t sp = read_reg(reg_rsp);
	enum side side;

	(void)vcpu;
	if (!on_thread_stack(sp) || in_interrupt(block->address, sp))
		return;
	side = sp & KERNEL_HALF ? side_of(block->address, sp) : OWN;
	if (side == LEFT_OUT)
		return;
	window.count[side] += block->insns;
	if (!block->count)
		block->count = must_calloc(MAX_ROWS, sizeof(*block->count));
	block->count[window.row][side] += block->insns;
}

static void on_interrupt(unsigned int vcpu, int type, uint64_t from,
			 uint64_t to, void *data)
{
	uint64_t sp;

	(void)type;
	(void)to;
	(void)data;
	if (!window.open || vcpu != window.vcpu || window.irq_sp ||
	    window.irq_user)
		return;
	if (!(from & KERNEL_HALF)) {
		window.irq_user = true;
		return;
	}
	/* The frame is pushed; on the stack of whoever was interrupted. */
	sp = read_reg(reg_rsp);
	if (!thread_stack || (sp & ~(KERNEL_STACK - 1)) != thread_stack)
		return;
	window.irq_pc = from;
	window.irq_sp = sp;
}

static const qemu_plugin_vcpu_udata_cb_t marks[] = {
	[MARK_START] = on_start,
	[MARK_END] = on_end,
	[MARK_APART] = on_apart,
	[MARK_LEFT_OUT] = on_left_out,
	[MARK_THREAD] = on_thread,
};

static void watch_marks(struct qemu_plugin_insn *insn)
{
	static const uint8_t opcode[] = { 0x0f, 0x1f, 0x80 };
	uint8_t text[7];
	uint32_t what;

	if (qemu_plugin_insn_size(insn) != sizeof(text) ||
	    qemu_plugin_insn_data(insn, text, sizeof(text)) != sizeof(text) ||
	    memcmp(text, opcode, sizeof(opcode)))
		return;
	memcpy(&what, text + sizeof(opcode), sizeof(what));
	what ^= MARK_BASE;
	if (what < sizeof(marks) / sizeof(marks[0]) && marks[what])
		qemu_plugin_register_vcpu_insn_exec_cb(insn, marks[what],
						       QEMU_PLUGIN_CB_R_REGS,
						       NULL);
}

static void on_translation(struct qemu_plugin_tb *tb, void *data)
{
	size_t i, insns = qemu_plugin_tb_n_insns(tb);
	struct block *block;

	(void)data;
	if (!(qemu_plugin_tb_vaddr(tb) & KERNEL_HALF)) {
		for (i = 0; i < insns; i++)
			watch_marks(qemu_plugin_tb_get_insn(tb, i));
		return;
	}
	block = must_calloc(1, sizeof(*block));
	block->address = qemu_plugin_tb_vaddr(tb);
	block->insns = insns;
	block->next = all_blocks;
	all_blocks = block;
	qemu_plugin_register_vcpu_tb_exec_cond_cb(tb, on_block,
						  QEMU_PLUGIN_CB_R_REGS,
						  QEMU_PLUGIN_COND_NE, is_open,
						  0, block);
}

static void on_vcpu(unsigned int vcpu, void *data)
{
	GArray *regs = qemu_plugin_get_registers();
	const qemu_plugin_reg_descriptor *d = (const void *)regs->data;
	unsigned int i;

	(void)vcpu;
	(void)data;
	for (i = 0; i < regs->len; i++) {
		if (!strcmp(d[i].name, "rsp"))
			reg_rsp = d[i].handle;
		if (!strcmp(d[i].name, "rdi"))
			reg_rdi = d[i].handle;
	}
}

static void on_exit_of_qemu(void *data)
{
	struct block *b;
	unsigned int row;

	(void)data;
	for (b = all_blocks; b; b = b->next)
		for (row = 0; b->count && row < MAX_ROWS; row++)
			if (b->count[row][0] || b->count[row][1])
				fprintf(out, "p %u %lx %lu %lu\n", row,
					b->address, b->count[row][0],
					b->count[row][1]);
	fclose(out);
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id,
					   const qemu_info_t *info,
					   int argc, char **argv)
{
	(void)info;
	if (argc != 1 || strncmp(argv[0], "out=", 4)) {
		fprintf(stderr, "kcount: out=FILE, and nothing else\n");
		return -1;
	}
	out = fopen(argv[0] + 4, "w");
	if (!out) {
		perror(argv[0] + 4);
		return -1;
	}
	bytes = g_byte_array_new();
	is_open.score = qemu_plugin_scoreboard_new(sizeof(uint64_t));
	qemu_plugin_register_vcpu_init_cb(id, on_vcpu, NULL);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation, NULL);
	qemu_plugin_register_vcpu_discon_cb(id, QEMU_PLUGIN_DISCON_INTERRUPT,
					    on_interrupt, NULL);
	qemu_plugin_register_atexit_cb(id, on_exit_of_qemu, NULL);
	return 0;
}
