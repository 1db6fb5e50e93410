"""Plays what a day may bring to a real nudged on a machine for tests, and prints its journal: the transcript of docs/JOURNAL.md.

usage: python3 Tests/Service/day.py [SECONDS]     SECONDS: the pause between two happenings, 20 unless said otherwise
"""

import sys
import time

from machine import obstacle, text_of
from service import Service

WRONG_KEY = "openssl ecparam -name prime256v1 -genkey -noout | openssl pkcs8 -topk8 -nocrypt"


def play(s, pause):
    m, first = s.machine, 1

    def due(count, token="c0ffee"):
        nonlocal first
        s.seed(count, first, token)
        first += count

    def wait(seconds=pause):
        time.sleep(seconds)

    s.plain("test")
    s.configure(interval="1s")
    s.systemctl("stop", "postgresql")
    s.systemctl("start", "nudged")                       # the host boots, the database is not there yet
    wait()
    s.systemctl("start", "postgresql")
    wait()
    due(412)                                             # the morning's check-ins
    wait()
    due(37)
    due(1, "dead")                                       # somebody deleted the app
    wait()
    due(214)
    due(1, "bad0")                                       # a build from Xcode
    wait()
    s.configure(interval="1 parsec")                     # a slip of the hand
    s.systemctl("reload", "nudged", check=False)
    wait()
    s.configure(interval="2s")
    s.systemctl("reload", "nudged")
    wait()
    s.systemctl("restart", "postgresql")                 # its security update
    wait()
    due(96)
    wait()
    m.run("env", "DATABASE_URL=postgresql://postgres@%2Frun%2Fpostgresql/app", "/usr/bin/nudged", "pause", "check_in", "--reason", "the new text is wrong")
    due(150)
    wait()
    m.run("env", "DATABASE_URL=postgresql://postgres@%2Frun%2Fpostgresql/app", "/usr/bin/nudged", "resume", "check_in")
    wait()
    key = text_of(m.root + "/etc/nudged/credentials/apns.privateKey")
    s.credential("apns.privateKey", m.run("sh", "-c", WRONG_KEY).stdout)   # the key is rotated, and the wrong file copied
    s.restart()
    due(80)
    wait(pause + 10)
    s.credential("apns.privateKey", key)
    s.restart()
    wait()
    m.run("systemctl", "kill", "-s", "STOP", "apple")    # Apple hangs with pushes on the wire
    due(5)
    wait(2)
    m.run("kill", "-KILL", str(s.pid))                   # and the daemon is killed
    m.run("systemctl", "kill", "-s", "CONT", "apple")
    wait(pause + 60)
    due(300, "dead")                                     # a whole test population is gone
    wait(pause + 60)
    m.run("kill", "-STOP", str(s.pid))                   # it hangs: the watchdog ends it after two minutes
    wait(pause + 130)
    due(60)
    wait()
    s.systemctl("stop", "nudged")


def main():
    if obstacle():
        sys.exit(f"day: {obstacle()}")
    service = Service()
    try:
        play(service, int(sys.argv[1]) if len(sys.argv) > 1 else 20)
        print(service.machine.run("journalctl", "-u", "nudged", "--no-hostname", "-o", "short").stdout)
        print(service.machine.run("journalctl", "-u", "nudged", "-x", "--no-hostname", "NUDGED_EVENT=lane_stopped", "-n", "1").stdout)
    finally:
        service.stop()


if __name__ == "__main__":
    main()
