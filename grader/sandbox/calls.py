"""The system calls that a worker may not make: one row per call, with its number on x86-64 and on aarch64.

Source: the kernel's tables (`asm/unistd_64.h`, `asm-generic/unistd.h`); None: no such call on that machine.
Calls newer than `NEWEST` do not exist for a worker, so a new kernel opens no new way out.
"""

from __future__ import annotations

import errno
from typing import NamedTuple

NEWEST = 462  # mseal, Linux 6.10
OWN_PID = -1  # stands for the worker's own process number in the tables below


class Call(NamedTuple):
    """A call that always fails with EPERM: its name, its number on x86-64 and on aarch64."""

    name: str
    x86_64: int | None
    aarch64: int | None


class Checked(NamedTuple):
    """A call judged by an argument: `value & mask` must be among `values` (must not, if not `allowed`)."""

    name: str
    x86_64: int | None
    aarch64: int | None
    argument: int
    values: tuple[int, ...]
    mask: int = 0xFFFFFFFF
    allowed: bool = True
    error: int = errno.EPERM


# New processes (threads pass, see THREADS_ONLY).
FORKING = (
    Call("fork", 57, None),
    Call("vfork", 58, None),
)

# Becoming another program.
STARTING = (
    Call("execve", 59, 221),
    Call("execveat", 322, 281),
)

# What Landlock does not hold, or not on every kernel: names, owners, modes, times, attributes, sizes, locks.
CHANGING = (
    Call("chmod", 90, None),
    Call("fchmod", 91, 52),
    Call("fchmodat", 268, 53),
    Call("fchmodat2", 452, 452),
    Call("chown", 92, None),
    Call("fchown", 93, 55),
    Call("lchown", 94, None),
    Call("fchownat", 260, 54),
    Call("utime", 132, None),
    Call("utimes", 235, None),
    Call("utimensat", 280, 88),
    Call("futimesat", 261, None),
    Call("setxattr", 188, 5),
    Call("lsetxattr", 189, 6),
    Call("fsetxattr", 190, 7),
    Call("removexattr", 197, 14),
    Call("lremovexattr", 198, 15),
    Call("fremovexattr", 199, 16),
    Call("truncate", 76, 45),
    Call("link", 86, None),
    Call("linkat", 265, 37),
    Call("symlink", 88, None),
    Call("symlinkat", 266, 36),
    Call("mknod", 133, None),
    Call("mknodat", 259, 33),
    Call("rename", 82, None),
    Call("renameat", 264, 38),
    Call("renameat2", 316, 276),
    Call("unlink", 87, None),
    Call("unlinkat", 263, 35),
    Call("rmdir", 84, None),
    Call("mkdir", 83, None),
    Call("mkdirat", 258, 34),
    Call("flock", 73, 32),
)

# Signals by ways that name no process which could be checked.
SIGNALLING = (
    Call("tkill", 200, 130),
    Call("rt_sigqueueinfo", 129, 138),
    Call("rt_tgsigqueueinfo", 297, 240),
    Call("pidfd_send_signal", 424, 424),
)

# Other processes: their memory, descriptors, priority.
REACHING = (
    Call("ptrace", 101, 117),
    Call("process_vm_readv", 310, 270),
    Call("process_vm_writev", 311, 271),
    Call("kcmp", 312, 272),
    Call("process_madvise", 440, 440),
    Call("process_mrelease", 448, 448),
    Call("pidfd_open", 434, 434),
    Call("pidfd_getfd", 438, 438),
    Call("setpriority", 141, 140),
    Call("sched_setscheduler", 144, 119),
    Call("sched_setparam", 142, 118),
    Call("sched_setattr", 314, 274),
    Call("ioprio_set", 251, 30),
    Call("migrate_pages", 256, 238),
    Call("move_pages", 279, 239),
    Call("perf_event_open", 298, 241),
)

# Namespaces and mounts: a world of one's own, where one would be root.
WORLDS = (
    Call("unshare", 272, 97),
    Call("setns", 308, 268),
    Call("mount", 165, 40),
    Call("umount2", 166, 39),
    Call("pivot_root", 155, 41),
    Call("chroot", 161, 51),
    Call("move_mount", 429, 429),
    Call("open_tree", 428, 428),
    Call("fsopen", 430, 430),
    Call("fsconfig", 431, 431),
    Call("fsmount", 432, 432),
    Call("fspick", 433, 433),
    Call("mount_setattr", 442, 442),
    Call("statmount", 457, 457),
    Call("listmount", 458, 458),
)

# Sockets of every family, and io_uring, which does what this filter does not see.
TALKING = (
    Call("socket", 41, 198),
    Call("connect", 42, 203),
    Call("bind", 49, 200),
    Call("listen", 50, 201),
    Call("accept", 43, 202),
    Call("accept4", 288, 242),
    Call("io_uring_setup", 425, 425),
    Call("io_uring_enter", 426, 426),
    Call("io_uring_register", 427, 427),
)

# Memory and messages that outlive a process.
SHARING = (
    Call("shmget", 29, 194),
    Call("shmat", 30, 196),
    Call("shmctl", 31, 195),
    Call("shmdt", 67, 197),
    Call("semget", 64, 190),
    Call("semop", 65, 193),
    Call("semctl", 66, 191),
    Call("semtimedop", 220, 192),
    Call("msgget", 68, 186),
    Call("msgsnd", 69, 189),
    Call("msgrcv", 70, 188),
    Call("msgctl", 71, 187),
    Call("mq_open", 240, 180),
    Call("mq_unlink", 241, 181),
    Call("memfd_create", 319, 279),
    Call("memfd_secret", 447, 447),
)

# Files by handle instead of by path, and news of others' files.
WATCHING = (
    Call("name_to_handle_at", 303, 264),
    Call("open_by_handle_at", 304, 265),
    Call("fanotify_init", 300, 262),
    Call("fanotify_mark", 301, 263),
    Call("inotify_add_watch", 254, 27),
)

# The machine and the kernel's darker corners.
GOVERNING = (
    Call("bpf", 321, 280),
    Call("userfaultfd", 323, 282),
    Call("keyctl", 250, 219),
    Call("add_key", 248, 217),
    Call("request_key", 249, 218),
    Call("init_module", 175, 105),
    Call("finit_module", 313, 273),
    Call("delete_module", 176, 106),
    Call("kexec_load", 246, 104),
    Call("kexec_file_load", 320, 294),
    Call("reboot", 169, 142),
    Call("swapon", 167, 224),
    Call("swapoff", 168, 225),
    Call("quotactl", 179, 60),
    Call("quotactl_fd", 443, 443),
    Call("acct", 163, 89),
    Call("settimeofday", 164, 170),
    Call("clock_settime", 227, 112),
    Call("clock_adjtime", 305, 266),
    Call("adjtimex", 159, 171),
    Call("sethostname", 170, 161),
    Call("setdomainname", 171, 162),
    Call("iopl", 172, None),
    Call("ioperm", 173, None),
    Call("syslog", 103, 116),
    Call("vhangup", 153, 58),
    Call("personality", 135, 92),
    Call("modify_ldt", 154, None),
    Call("lookup_dcookie", 212, 18),
    Call("nfsservctl", 180, 42),
    Call("lsm_set_self_attr", 459, 459),
    Call("capset", 126, 91),
)


# clone makes threads and nothing else; clone3 hides its flags from a filter, and glibc does without it.
THREADS_ONLY = (
    Checked("clone", 56, 220, 0, (0x10000,), mask=0x10000),  # CLONE_THREAD
    Checked("clone3", 435, 435, 0, (), error=errno.ENOSYS),
)
# A process may signal and limit itself: abort() and raise() do. 0 is its own process group, or itself.
ITSELF_ONLY = (
    Checked("kill", 62, 129, 0, (OWN_PID, 0)),
    Checked("tgkill", 234, 131, 0, (OWN_PID,)),
    Checked("prlimit64", 302, 261, 0, (OWN_PID, 0)),
    Checked("sched_setaffinity", 203, 122, 0, (OWN_PID, 0)),
)
# Not F_SETOWN, F_SETSIG and the ioctls that do the same: by them the kernel sends signals on one's behalf.
OWN_DESCRIPTORS = (
    Checked("fcntl", 72, 25, 1, (0, 1, 2, 3, 4, 5, 6, 7, 36, 37, 38, 1030, 1032)),
    # TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX, TCGETS2
    Checked(
        "ioctl", 16, 29, 1, (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451, 0x802C542A), error=errno.ENOTTY
    ),
    # reading flags, and naming threads and memory: not the signal at the parent's death, not "dumpable"
    Checked("prctl", 157, 167, 0, (2, 3, 15, 16, 21, 23, 27, 30, 39, 0x53564D41)),
    Checked("socketpair", 53, 199, 0, (1,)),  # AF_UNIX
    Checked("socketpair", 53, 199, 1, (1,), mask=0xF),  # stream: a datagram socket could name another's
)
# Opening with O_TRUNC but not for writing empties a file, which the first Landlock did not hold: for reading
# (0), or for neither reading nor writing (3), which asks for no right that Landlock knows.
NO_EMPTYING = (
    Checked("open", 2, None, 1, (0x200, 0x203), mask=0x203, allowed=False),
    Checked("openat", 257, 56, 2, (0x200, 0x203), mask=0x203, allowed=False),
    Checked("openat2", 437, 437, 0, (), error=errno.ENOSYS),
)

HARMFUL = (*REACHING, *WORLDS, *TALKING, *SHARING, *WATCHING, *GOVERNING)
FOR_WORKERS = (*FORKING, *STARTING, *CHANGING, *SIGNALLING, *HARMFUL)
CHECKED_FOR_WORKERS = (*THREADS_ONLY, *ITSELF_ONLY, *OWN_DESCRIPTORS, *NO_EMPTYING)
# A compiler starts programs and makes files; Landlock says where.
FOR_TOOLS = HARMFUL
CHECKED_FOR_TOOLS: tuple[Checked, ...] = ()
# What a compiler made is one process: nothing of it may stay behind.
FOR_PROGRAMS = (*FORKING, *SIGNALLING, *HARMFUL)
CHECKED_FOR_PROGRAMS = (*THREADS_ONLY, *ITSELF_ONLY)
