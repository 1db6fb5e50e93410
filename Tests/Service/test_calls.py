"""The unit's list of system calls, against those that a real daemon makes."""

import re
import unittest

from machine import obstacle, text_of
from service import REPOSITORY, Service, calls_of, group_of

# Each command of the unit under strace, which counts the calls. Nothing is filtered meanwhile.
RECORD = """[Service]
ExecStartPre=
ExecStartPre={strace}check /usr/bin/nudged check-config
ExecStart=
ExecStart={strace}run /usr/bin/nudged run
ExecReload=
ExecReload={strace}reload /usr/bin/nudged reload
NotifyAccess=all
WatchdogSec=0
SystemCallFilter=
NoExecPaths=
ReadWritePaths=/srv/calls
""".format(strace="/usr/bin/strace -f -qq -c -o /srv/calls/")
SERVER = """[Service]
ExecStart=/usr/bin/python3 -m http.server --bind 127.0.0.1 8099
"""
CONFIGURATION = """metrics:
  listen: 127.0.0.1:9464
decision:
  url: http://127.0.0.1:8099/
heartbeat:
  url: http://127.0.0.1:8099/
  interval: 10s
"""
# Calls that the unit allows although a run may not make them, and why.
NOT_IN_EACH_RUN = {
    "another processor, or another version of glibc, libcurl or libdispatch": """
        accept accept4 access clone clone3 epoll_pwait epoll_wait faccessat faccessat2 fstat getcpu lstat newfstatat open openat pipe2 poll ppoll readlink readlinkat
        rename renameat renameat2 socketpair stat statx unlink unlinkat""",
    "a name server is asked, or a connection fails": "getpeername getsockname recvmsg sendmmsg",
    "a large array grows": "mremap",
    "a long entry goes to the journal": "memfd_create",
    "glibc's last message, or an abort": "writev tgkill",
    "the runtime, where it needs it": "rt_sigpending rt_sigsuspend sigaltstack sysinfo uname",
}


@unittest.skipIf(obstacle(), obstacle())
class CallTests(unittest.TestCase):
    def test_calls_areThoseOfTheUnit(self):
        s = Service()
        self.addCleanup(s.stop)
        m = s.machine
        if m.run("test", "-x", "/usr/bin/strace", check=False).returncode != 0:
            self.skipTest("strace is missing on this machine")
        start = s.mark()
        # The daemon's user exists only while it runs.
        m.run("install", "-d", "-m", "1777", "/srv/calls")
        m.write("/etc/systemd/system/server.service", SERVER)
        s.drop_in("record", RECORD)
        s.systemctl("start", "server")
        m.until(lambda: m.run("ss", "-Hltn", "sport = :8099").stdout, "the server")
        s.configure(extra=CONFIGURATION)
        s.systemctl("start", "nudged")
        s.seed(20)
        # The server knows no decisions, so each user's fallback decides.
        s.sql("update public.context_profiles set notification_preferences = notification_preferences || '{\"smart_enabled\": true, \"fallback_strategy\": \"notify_all\"}'")
        s.await_accepted(20)
        scrape = ["python3", "-c", "import urllib.request as u; print(u.urlopen('http://127.0.0.1:9464/metrics').read().decode())"]
        m.until(lambda: "nudged_build_info" in m.run(*scrape, check=False).stdout, "the port's page")
        s.systemctl("reload", "nudged")
        # A restart can be over before the daemon looks.
        s.systemctl("stop", "postgresql")
        s.await_event("database_lost", start)
        s.systemctl("start", "postgresql")
        s.await_event("database_back", start)
        s.seed(2, first=100)
        s.await_accepted(22)
        s.systemctl("stop", "nudged")
        made = set()
        for name in ("check", "run", "reload"):
            # % time, seconds, usecs/call, calls, perhaps errors, and the call's name.
            found = set(re.findall(r"^ *[\d.]+ +[\d.]+ +\d+ +\d+ +(?:\d+ +)?([a-z]\w+)$", text_of(f"{m.root}/srv/calls/{name}"), re.M)) - {"total"}
            self.assertGreater(len(found), 20, name)
            made |= found
        listed = calls_of(REPOSITORY + "/systemd/nudged.service")
        always = group_of(m, "@default")
        # The unit answers setpriority with 0 (success).
        self.assertEqual(made - listed - always - {"setpriority"}, set(), "calls that the unit forbids")
        rare = set(" ".join(NOT_IN_EACH_RUN.values()).split())
        self.assertEqual(listed - made - rare, set(), "calls that the unit allows and the daemon never makes")
        self.assertEqual(rare - listed, set(), "calls that are explained here and are not in the unit")


if __name__ == "__main__":
    unittest.main()
