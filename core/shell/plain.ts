// Commands of which it is certain at a glance that no rule of ours is about them, so that the common ones need not be taken
// apart. Holds only where nothing is configured.

/** Programs that run others, change the shell itself, or that a hard rule is about. */
export const notPlain: ReadonlySet<string> = new Set(
  (
    ". : alias ash at atomic awk bash batch cp ed ex gdb hash install ln mv nvim sed vi view vim blkdiscard bsdtar builtin bun builtin busybox bwrap chattr chgrp chmod chown chroot chrt " +
    "command coproc cp csh dash dbus-run-session dd declare deno diskutil doas entr env eval exec expect export fakeroot fd fdfind find firejail " +
    "fish flock function gawk gdb getopts gfind git gtar gtimeout halt hdparm init ionice kill killall5 ksh ksh93 let linux32 linux64 local " +
    "lksh ltrace lua luajit mapfile mawk mke2fs mksh mkswap mv nawk nice nix node nodejs nohup nsenter nvme nwipe osascript parallel pdksh perl " +
    "php pkexec posh poweroff printf proot pushd python python2 python3 pypy pypy3 rbash read readarray readonly reboot rm rscript rsync ruby runuser " +
    "script scrub set setarch setfacl setpriv setsid sgdisk sh shift shred shutdown source ssh stdbuf strace su sudo systemctl systemd-run tar taskset " +
    "tclsh tcsh tee telinit time timeout toybox trap tsx typeset unbuffer unset unshare valgrind watch wipefs xargs xvfb-run yash zap zsh"
  ).split(" "),
);

/** One program by its bare name with plain words after it. */
export function isPlainCommand(command: string): boolean {
  const found = /^[ \t]*([a-z][a-z0-9_-]*)(?:[ \t]+[A-Za-z0-9_.,:@%+/=-]+)*[ \t]*$/.exec(command);
  if (!found) return false;
  const name = found[1]!;
  // "mkfs.ext4", "python3.12" and the like have a dot, which no plain name has.
  return !notPlain.has(name) && !/^(?:mkfs|python|pypy|perl|ruby|php|lua|tclsh)/.test(name);
}
