#!/bin/sh
# Makes a private root and becomes systemd, as PID 1 of the namespaces that the caller (machine.py) has just made.
# usage: boot.sh TREE WORK HIERARCHY    TREE: the root to stand on, never written to; WORK: an empty folder; HIERARCHY: of cgroups, unified or hybrid
set -eu
tree=$1 work=$2 hierarchy=$3

# What the machine writes goes to memory, and with its last process away.
mount -t tmpfs -o mode=0755,size=2g machine "$work"
mkdir "$work/upper" "$work/scratch" "$work/root"
mount -t overlay -o "lowerdir=$tree,upperdir=$work/upper,workdir=$work/scratch" overlay "$work/root"
cd "$work/root"

mount -t proc -o nosuid,nodev,noexec proc proc
mount -t sysfs -o ro,nosuid,nodev,noexec sysfs sys
if [ "$hierarchy" = unified ]; then
    mount -t cgroup2 -o nosuid,nodev,noexec cgroup2 sys/fs/cgroup
else
    # systemd mounts the old hierarchies itself; its own groups it keeps in the new one, as this host has it.
    mount -t tmpfs -o mode=0755 cgroups sys/fs/cgroup
    mkdir sys/fs/cgroup/unified
    mount -t cgroup2 -o nosuid,nodev,noexec cgroup2 sys/fs/cgroup/unified
fi
mount -t tmpfs -o mode=0755,nosuid machine dev
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts dev/pts
mount -t tmpfs -o mode=1777,nosuid,nodev machine dev/shm
for node in null:3 zero:5 full:7 random:8 urandom:9; do mknod -m 666 "dev/${node%:*}" c 1 "${node#*:}"; done
mknod -m 666 dev/tty c 5 0
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
ln -s /proc/self/fd/0 dev/stdin
: >dev/console
mount -t tmpfs -o mode=0755,nosuid,nodev machine run
mount -t tmpfs -o mode=1777,nosuid,nodev machine tmp

# Nothing of the host's services: the target stands alone, and the journal is kept in memory.
rm -rf etc/systemd/system var/log/journal lib/systemd/system-generators etc/systemd/system-generators
mkdir -p etc/systemd/system etc/systemd/journald.conf.d
echo machine >etc/hostname
for unit in systemd-udevd.service systemd-udev-trigger.service systemd-udevd-control.socket systemd-udevd-kernel.socket \
    systemd-tmpfiles-setup-dev.service systemd-tmpfiles-setup.service systemd-sysusers.service systemd-resolved.service systemd-networkd.service \
    systemd-logind.service dbus.service dbus.socket systemd-random-seed.service systemd-update-utmp.service getty.target apt-daily.timer \
    systemd-tmpfiles-clean.timer systemd-journal-flush.service systemd-journal-catalog-update.service systemd-hwdb-update.service ldconfig.service \
    systemd-update-done.service systemd-binfmt.service systemd-modules-load.service systemd-sysctl.service sys-fs-fuse-connections.mount \
    dev-hugepages.mount dev-mqueue.mount proc-sys-fs-binfmt_misc.automount systemd-ask-password-console.path systemd-ask-password-wall.path; do
    ln -s /dev/null "etc/systemd/system/$unit"
done
printf '[Unit]\nDescription=A machine for tests\nRequires=sysinit.target\nAfter=sysinit.target\nAllowIsolate=yes\n' >etc/systemd/system/machine.target
printf '[Journal]\nStorage=volatile\nRateLimitIntervalSec=0\n' >etc/systemd/journald.conf.d/machine.conf
: >etc/fstab
mkdir -p run/old
# By the host's program: a fresh root has none.
ip link set lo up

pivot_root . run/old
umount -l /run/old
# As systemd makes it where it is not told that this is a container: what it mounts for a service's credentials reaches the service so.
mount --make-rshared /
legacy=
[ "$hierarchy" = unified ] || legacy="systemd.unified_cgroup_hierarchy=0 systemd.legacy_systemd_cgroup_controller=0"
# In a container its own arguments stand for the kernel's command line (systemd(1)).
# shellcheck disable=SC2086
exec env -i container=nudged-tests PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    /lib/systemd/systemd --system systemd.unit=machine.target systemd.log_target=journal systemd.show_status=no $legacy
