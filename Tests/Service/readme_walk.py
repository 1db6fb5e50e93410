"""Walks README.md's way as someone who has only README: on a fresh Debian that systemd has booted, from the installed package to a push that arrives, without a key of Apple's.

What is typed are README's own commands and statements, in their order, at a terminal of root's. PostgreSQL is there, with an app's database, its owner and its backend: README asks for that. The
simulated Apple is nudged-apple of the package, at a terminal of its own. The machine has no network.

usage: python3 Tests/Service/readme_walk.py TREE PACKAGE [TRANSCRIPT]     as first_nudge.py has them
"""

import os
import pty
import re
import secrets
import select
import sys
import termios
import time

from first_nudge import statements, transcript
from machine import Machine, obstacle, text_of
from service import REPOSITORY

PASSWORD = "a password of the owner's"
URL = "postgresql://app:a%20password%20of%20the%20owner%27s@127.0.0.1/app"
BACKEND = "postgresql://your_backend:backend@127.0.0.1/app"
PROMPT = "walk# "


class Terminal:
    """A terminal of the machine, with a shell of root's."""

    def __init__(self, machine):
        words = machine.command("/bin/bash", "--norc", "--noediting", "-c", f"cd /root; PS1='{PROMPT}' exec bash --norc --noediting -i")
        pid, self.file = pty.fork()
        if pid == 0:
            os.execvpe(words[0], words, {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8", "TERM": "dumb", "DEBIAN_FRONTEND": "noninteractive", "SYSTEMD_PAGER": "", "PAGER": "cat"})
        self.until(PROMPT)

    def until(self, *ends, seconds=300):
        """What is shown until one of these is."""
        said, limit = "", time.monotonic() + seconds
        while not any(end in said for end in ends):
            if not select.select([self.file], [], [], max(0, limit - time.monotonic()))[0]:
                raise RuntimeError(f"not within {seconds} s: {ends}: {said}")
            said += os.read(self.file, 65536).decode(errors="replace").replace("\r", "")
        return said

    def type(self, line, *ends):
        os.write(self.file, (line + "\n").encode())
        return self.until(*(ends or (PROMPT,)))


def steps(page):
    """README's commands, all of them, and its statements with their roles."""
    commands = [re.sub(r"^ {4}(?: {3})?", "", block, flags=re.M).rstrip("\n") for block in re.findall(r"(?<=\n\n)((?: {4,}\S.*\n)+)", page)]
    # DemoRunTests plays the demo's day.
    demo, install, set_up, test, explain = commands
    assert demo.startswith("make demo ") and install.startswith("make deb\n"), commands
    grant = re.search(r"`(grant nudged_app to your_backend;)`", page)[1]
    assert "write `--apple simulated` for `--key …`" in page, "README names no way without a key"
    return install.splitlines()[1], re.sub(r"--key \S+", "--apple simulated", set_up), test.splitlines(), grant, statements(page), explain.splitlines()


def walk(page, tree, package, transcript_file=None):
    install, set_up, test, grant, written, explain = steps(page)
    m = Machine(tree)
    shown, times = [], []

    def step(name, command, said, began):
        shown.append((command, said.replace(PROMPT, "").split("\n", 1)[-1] if said.startswith(command.split("\n")[0]) else said.replace(PROMPT, "")))
        times.append((name, time.monotonic() - began))

    try:
        # What README asks for: PostgreSQL with the app's database. Its packages are there already.
        m.run("rm", "-f", "/usr/sbin/policy-rc.d")
        m.write("/etc/hosts", "127.0.0.1 localhost\n::1 localhost\n")
        m.run("apt-get", "install", "-y", "-qq", "--no-install-recommends", "postgresql", "openssl", timeout=300)
        roles = f"""create role app login createrole password '{PASSWORD.replace("'", "''")}'; create role your_backend login password 'backend';
            create database app owner app;"""
        m.run("su", "postgres", "-c", "psql -qX -v ON_ERROR_STOP=1", input=roles.replace(";", ";\n"))
        m.run("mkdir", "-p", "/root/.build/deb")
        m.copy(package, "/root/.build/deb/" + os.path.basename(package), 0o644)
        shell, apple = Terminal(m), Terminal(m)

        began = time.monotonic()
        said = shell.type(install.replace("apt install", "apt-get install -y -qq --no-install-recommends"))
        assert os.path.exists(m.root + "/usr/bin/nudged-apple"), said
        step("install", install, said, began)
        began = time.monotonic()
        step("nudged-apple", "nudged-apple", apple.type("nudged-apple", "listens on", "rror"), began)
        began = time.monotonic()
        said = shell.type(set_up, "typing is not shown):")
        m.until(lambda: not termios.tcgetattr(shell.file)[3] & termios.ECHO, "a terminal without echo")
        said += shell.type(URL, "[y/N]")
        said += shell.type("y")
        assert PASSWORD not in said and URL not in said, "the password is shown"
        assert "0 errors" in said, said
        step("setup", set_up, said, began)
        began, token = time.monotonic(), secrets.token_hex(32)
        said = "".join(shell.type(line.replace("TOKEN", token)) for line in test)
        step("send-test", "\n".join(test), said, began)
        apple.until(token[:8], "nothing", seconds=20)
        for role, text in written:
            began = time.monotonic()
            if role == "nudged_app" and grant:
                step("grant", grant, shell.type(f"psql -X {URL} -c '{grant}'"), began)
                began, grant = time.monotonic(), None
            url = URL if role == "the owner" else BACKEND
            m.write("/root/statement.sql", text)
            said = shell.type(f"psql -X -v ON_ERROR_STOP=1 '{url}' -f statement.sql")
            assert "ERROR: " not in said, said
            step("as " + role, text.rstrip(), said, began)
        began = time.monotonic()
        said = apple.until("Shall we meet at six?", seconds=60)
        step("arrives", "(the other terminal)", said, began)
        assert "740f4707bebc" not in said, "a whole token"
        # As README has it, but for the day.
        answer = re.escape(explain[1]).replace("today", r"[\w -]+")
        m.until(lambda: re.search(answer, shell.type(explain[0].removeprefix("$ "))), explain[1])
        # A set-up that ended before the restart is finished by the next one.
        m.write("/etc/nudged/.restart.setup", "")
        before = m.show("nudged", "MainPID")
        said = shell.type("DATABASE_URL='" + URL + "' nudged setup --yes")
        assert "systemctl restart nudged" in said and "wrote" not in said and m.show("nudged", "MainPID") != before, said
        said = shell.type("DATABASE_URL='" + URL + "' nudged setup --undo --yes")
        assert "nudged is removed" in said and not os.path.exists(m.root + "/etc/nudged/nudged.yaml"), said
        said = apple.type("\x03")
        assert "accepted" in said, said
    finally:
        m.stop()
    if transcript_file:
        with open(transcript_file, "w") as file:
            file.write(transcript(shown) + "\n" + "".join(f"{seconds:6.1f} s  {name}\n" for name, seconds in times))
    return times


def main():
    if obstacle():
        sys.exit(f"readme walk: {obstacle()}")
    times = walk(text_of(REPOSITORY + "/README.md"), *sys.argv[1:4])
    assert len(times) - 1 <= 8, f"more than eight steps: {times}"
    print(f"readme walk: {len(times) - 1} steps of README.md on a fresh Debian, to a push that arrives, in {sum(seconds for _, seconds in times):.0f} s")


if __name__ == "__main__":
    main()
