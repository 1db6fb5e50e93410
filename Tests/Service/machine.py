"""A machine for tests: a real systemd with its journald, as PID 1 of namespaces of its own, on a private copy of a root folder.

Everything that it writes lies in memory and goes with it; it ends with this process, whatever ends that.
"""

import atexit
import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = ["unshare", "nsenter", "ip", "pivot_root", "/lib/systemd/systemd", "/lib/systemd/systemd-journald"]


def obstacle():
    """Why no machine can be booted here, as text; None if one can."""
    if os.geteuid() != 0:
        return "it takes root to boot a systemd"
    missing = [name for name in PROGRAMS if not shutil.which(name)]
    return "missing on this machine: " + ", ".join(missing) if missing else None


def end_with_parent():
    """Called in a child before it runs anything: it ends with its parent, whatever ends that. (PR_SET_PDEATHSIG, SIGKILL.)"""
    ctypes.CDLL(None).prctl(1, 9)


class Machine:
    """One booted systemd. Commands run inside by `run`, files are written by `write`; `stop` ends all of it."""

    def __init__(self, tree="/"):
        self.work = tempfile.mkdtemp(prefix="nudged-machine-")
        self.groups = _Groups(os.path.basename(self.work))
        self.leader = self.parent = None
        # However this process ends but by SIGKILL; then only empty folders are left.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
        atexit.register(self.stop)
        # Beside the folder, which the machine covers with its own memory.
        self.log = self.work + ".log"
        try:
            with open(self.log, "w") as log:
                self.parent = subprocess.Popen(
                    ["unshare", "--mount", "--pid", "--ipc", "--uts", "--cgroup", "--net", "--fork", "--kill-child"]
                    + ["--propagation", "private", HERE + "/boot.sh", tree, self.work, self.groups.hierarchy],
                    stdin=subprocess.DEVNULL, stderr=log, preexec_fn=self._enter)
            self.leader = self._find_leader()
            self.root = f"/proc/{self.leader}/root"
            self._await_boot()
        except BaseException:
            self.stop()
            raise

    def _enter(self):
        # unshare's --kill-child takes the machine along.
        end_with_parent()
        self.groups.enter()

    def _find_leader(self):
        path = f"/proc/{self.parent.pid}/task/{self.parent.pid}/children"
        return int(_until(lambda: self.parent.poll() is None and text_of(path).split(), "a process in new namespaces")[0])

    def _await_boot(self):
        # PID 1 of the namespaces is boot.sh until it is systemd.
        def is_systemd():
            if self.parent.poll() is not None:
                raise RuntimeError("the machine ended while it booted: " + text_of(self.log))
            return text_of(f"/proc/{self.leader}/comm") == "systemd\n" and os.path.exists(self.root + "/run/systemd/private")
        _until(is_systemd, "systemd")
        self.run("systemctl", "is-system-running", "--wait", check=False)
        if self.run("systemctl", "is-active", "machine.target", check=False).stdout != "active\n":
            raise RuntimeError("the machine did not boot:\n" + self.run("systemctl", "list-jobs", check=False).stdout)

    def stop(self):
        """Ends every process of the machine and takes its groups away. Twice does no harm."""
        atexit.unregister(self.stop)
        if self.leader:
            _kill(self.leader)
        elif self.parent:
            self.parent.kill()
        if self.parent:
            self.parent.wait(20)
        self.groups.remove()
        shutil.rmtree(self.work, ignore_errors=True)
        if os.path.exists(self.log):
            os.unlink(self.log)

    def command(self, *words):
        """The command line that runs a command inside, from outside."""
        return ["nsenter", "-t", str(self.leader), "--mount", "--pid", "--ipc", "--uts", "--cgroup", "--net", "--root", "--wd", "--", *words]

    def run(self, *words, check=True, input=None, timeout=60):
        """Runs a command inside to its end; `stdout` and `stderr` are texts."""
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "SYSTEMD_PAGER": "", "LC_ALL": "C.UTF-8", "TZ": "UTC"}
        done = subprocess.run(self.command(*words), input=input, capture_output=True, text=True, timeout=timeout, env=environment)
        if check and done.returncode != 0:
            raise AssertionError(f"{' '.join(words)}: exit {done.returncode}: {done.stdout}{done.stderr}")
        return done

    def write(self, path, text, mode=0o644):
        """Writes a file inside; folders are made."""
        path = self.root + path
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            file.write(text)
        os.chmod(path, mode)

    def copy(self, source, path, mode=0o755):
        """Copies a file of the host's into the machine."""
        os.makedirs(os.path.dirname(self.root + path), exist_ok=True)
        shutil.copyfile(source, self.root + path)
        os.chmod(self.root + path, mode)

    def show(self, unit, name):
        """A property of a unit."""
        return self.run("systemctl", "show", unit, "-P", name).stdout.strip()

    def journal(self, *matches):
        """Entries of the journal as dictionaries, oldest first."""
        self.run("journalctl", "--sync", check=False)
        lines = self.run("journalctl", "-o", "json", "--all", *matches, check=False).stdout.splitlines()
        return [json.loads(line) for line in lines]

    def until(self, condition, what, seconds=60):
        """Waits until `condition` gives something true, and returns that."""
        return _until(condition, what, seconds)


class _Groups:
    """The machine's own control groups, one in each hierarchy of the host: its root there. systemd makes groups in every one that it finds."""

    def __init__(self, name):
        mounts = [line.split() for line in text_of("/proc/self/mounts").splitlines()]
        self.hierarchy = "unified" if any(m[1:3] == ["/sys/fs/cgroup", "cgroup2"] for m in mounts) else "hybrid"
        kinds = ["cgroup2"] if self.hierarchy == "unified" else ["cgroup", "cgroup2"]
        self.paths = [f"{mount[1]}/{name}" for mount in mounts if mount[2] in kinds]
        for path in self.paths:
            os.mkdir(path)
            # A cpuset that holds nothing takes no process.
            for file in ("cpuset.cpus", "cpuset.mems"):
                source = f"{os.path.dirname(path)}/{file}"
                if self.hierarchy == "hybrid" and os.path.exists(source):
                    _put(f"{path}/{file}", text_of(source))
        if self.hierarchy == "unified":
            _put("/sys/fs/cgroup/cgroup.subtree_control", "+memory +pids")

    def enter(self):
        for path in self.paths:
            _put(path + "/cgroup.procs", "0")

    def remove(self):
        paths, self.paths = self.paths, []
        for path in paths:
            for folder, _, _ in os.walk(path, topdown=False):
                try:
                    # A group whose last process is being reaped is busy for a moment.
                    _until(lambda: not text_of(folder + "/cgroup.procs"), "empty groups", 5)
                    os.rmdir(folder)
                except (OSError, AssertionError) as error:
                    print(f"left behind: {folder}: {error}", file=sys.stderr)


def text_of(path):
    """A file's text."""
    with open(path) as file:
        return file.read()


def _put(path, text):
    with open(path, "w") as file:
        file.write(text)


def _kill(process):
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        pass


def _until(condition, what, seconds=60):
    end = time.monotonic() + seconds
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > end:
            raise AssertionError(f"waited {seconds} s in vain for: {what}")
        time.sleep(0.02)
