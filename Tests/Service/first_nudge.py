"""Plays docs/OPERATIONS.md as a new user types it: on a fresh Debian that systemd has booted, from the package to a nudge that was sent, and on to the purge.

What is played are the page's own blocks, in one shell of root's: those below a line `<!-- played: NAME -->` in ORDER, and the indented ones, line by line, after the first nudge, which is README's.
So are those of docs/METRICS.md. A command that fails ends it. Apple is the simulated one, beside the machine and in its network; the unit is told of it by a drop-in, so that the commands are those
that a real key takes.

usage: python3 Tests/Service/first_nudge.py TREE PACKAGE [TRANSCRIPT]
  TREE        the root of a Debian with systemd, whose apt has the lists and the packages of what is installed here: the machine has no network. It is not written to
  PACKAGE     the .deb
  TRANSCRIPT  a file for a transcript of the page's first nudge
"""

import glob
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

from machine import Machine, end_with_parent, obstacle, text_of
from service import BUILT, REPOSITORY

PAGE, README, METRICS = (REPOSITORY + "/" + name for name in ("docs/OPERATIONS.md", "README.md", "docs/METRICS.md"))
# The blocks in the order of their play, which is not the page's: there the faults come first.
ORDER = (
    "install", "configure", "start", "holders", "refused", "anew", "campaign", "shrink", "addresses", "column", "password", "key", "backup", "restore", "encrypt", "decrypt", "uninstall",
)
# What the transcript shows.
SHOWN = ORDER[:3]
# Of longer output the transcript shows the ends, of wider lines the beginning.
LONGEST, HEAD, TAIL, WIDTH = 45, 5, 4, 180
# The simulated Apple in place of the real one, for the service and for what is asked by hand.
APPLE = {"APNS_ENDPOINT": "https://localhost:2197", "APNS_CA_FILE": "/etc/simulated-apple/ca.pem"}
# Takes the names of files with a command each from its standard input, and runs them in one shell; a command itself reads nothing.
SHELL = "exec 9<&0 </dev/null; while IFS= read -r file <&9; do . \"$file\"; printf '\\001%d\\n' $?; done"


def blocks(page):
    """The played blocks: their commands, by name."""
    found = dict(re.findall(r"^<!-- played: (\w+) -->\n```sh\n(.*?)^```$", page, re.M | re.S))
    if sorted(found) != sorted(ORDER):
        raise ValueError(f"the page's blocks are {sorted(found)}, those that are played {sorted(ORDER)}")
    return {name: commands(found[name]) for name in ORDER}


def commands(text):
    """A block's commands, each with all its lines."""
    found, pending = [], ""
    for line in text.splitlines(keepends=True):
        if not pending and not line.strip():
            continue
        pending += line
        parsed = subprocess.run(["bash", "-n"], input=pending, capture_output=True, text=True)
        if parsed.returncode == 0 and not parsed.stderr:
            found.append(pending.rstrip("\n"))
            pending = ""
    if pending:
        raise ValueError(f"a block ends within a command: {pending}")
    return found


def statements(readme):
    """README's statements, each block with the role of its first line."""
    return [(role, block) for block in re.findall(r"^```sql\n(.*?)^```", readme, re.M | re.S) for role, block in [re.match(r"-- as (.*)\n([\s\S]*)", block).groups()]]


def lines(page, package):
    """The lines of the page's indented blocks, as one types them here. test_journal.py asks the journal, and timedatectl needs D-Bus, which a bare Debian lacks."""
    found = [line for block in re.findall(r"(?<=\n\n)((?: {4}\S.*\n)+)", page) for line in re.findall(r" {4}(.*)\n", block) if not line.startswith(("journalctl ", "timedatectl "))]
    here = {
        "--user UUID": f"--user {USER} --force", "HEX": "ab" * 32 + " --force", "USER": USER, "TITLE": "Ann", "TEXT": "'At six?'", "…": USER,
        "api.push.apple.com:443": "localhost:2197", "</dev/null": "</dev/null | grep 'ALPN protocol: h2'", "nudged_NEW_amd64.deb": os.path.basename(package),
    }
    for placeholder, value in here.items():
        found = [line.replace(placeholder, value) for line in found]
    return [f"su - postgres -c 'psql app' <<'SQL'\n{line}\nSQL" if line.startswith("select ") else line for line in found]


def transcript(shown):
    """As a terminal has it, from (command, output)."""
    lines = []
    for command, output in shown:
        typed = command.splitlines()
        lines += ["# " + typed[0]] + ["> " + line for line in typed[1:]]
        said = output.rstrip("\n").splitlines()
        if len(said) > LONGEST:
            said = said[:HEAD] + [f"[… {len(said) - HEAD - TAIL} lines]"] + said[-TAIL:]
        lines += [line if len(line) <= WIDTH else line[:WIDTH - 1] + "…" for line in said]
    return "".join(f"    {line}".rstrip() + "\n" for line in lines)


class Play:
    """The machine, its shell, and the simulated Apple."""

    def __init__(self, tree, package):
        self.machine = m = Machine(tree)
        self.folder = tempfile.mkdtemp(prefix="nudged-apple-")
        self.apple = self.shell = None
        self.count = self.tests = 0
        try:
            self.start_apple()
            # A machine that starts what is installed, and whose packages are there already.
            m.run("rm", "-f", "/usr/sbin/policy-rc.d")
            m.write("/etc/hosts", "127.0.0.1 localhost\n::1 localhost\n")
            m.copy(package, "/root/" + os.path.basename(package), 0o644)
            m.copy(self.folder + "/AuthKey_SIMULATED0.p8", "/root/AuthKey_KEY1234567.p8", 0o600)
            m.copy(self.folder + "/ca.pem", "/etc/simulated-apple/ca.pem", 0o644)
            # Beside the page, so that it reads as one types: a statement that fails ends psql with a failure.
            m.write("/etc/postgresql-common/psqlrc", "\\set ON_ERROR_STOP on\n")
            m.write("/etc/apt/apt.conf.d/99play", 'APT::Cmd::Disable-Script-Warning "true";\n')
            m.write("/etc/systemd/system/nudged.service.d/simulated-apple.conf", "[Service]\n" + "".join(f"Environment={name}={value}\n" for name, value in APPLE.items()))
            self.start_shell()
        except BaseException:
            self.stop()
            raise

    def start_apple(self):
        inside = ["nsenter", "-t", str(self.machine.leader), "--net", "--"]
        command = [BUILT + "/nudged-apple", "--folder", self.folder, "--json", "--quiet"]
        self.apple = subprocess.Popen(inside + command, stdout=subprocess.PIPE, text=True, preexec_fn=end_with_parent)
        if not self.apple.stdout.readline():
            raise RuntimeError("the simulated Apple did not start")

    def start_shell(self):
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8", "TZ": "UTC", "DEBIAN_FRONTEND": "noninteractive",
                       "SYSTEMD_PAGER": "", **APPLE}
        command = self.machine.command("/bin/bash", "-c", "cd /root; " + SHELL)
        self.shell = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", env=environment)

    def type(self, command):
        """Runs one command in the shell, and returns what it wrote."""
        self.count += 1
        # doctor asks both of Apple's environments.
        self.tests += 1 if "send-test" in command else 2 if command.startswith("nudged doctor") else 0
        path = f"/run/typed-{self.count}"
        self.machine.write(path, command + "\n")
        self.shell.stdin.write(path + "\n")
        self.shell.stdin.flush()
        output = ""
        for line in self.shell.stdout:
            said, ended, status = line.partition("\001")
            output += said
            if ended and status.strip() != "0":
                raise RuntimeError(f"exit {status.strip()}: {command}\n{output}")
            if ended:
                return output
        raise RuntimeError(f"the shell ended: {command}\n{output}")

    def ask(self, sql, role="app"):
        """One statement's answer, as a role is asked it: the app's owner."""
        return self.machine.run("su", "postgres", "-c", "psql -qAtX -v ON_ERROR_STOP=1 app", input=f"set role {role};\n" + sql).stdout.strip()

    def taken(self):
        """Ends the simulated Apple; how many pushes it took."""
        self.apple.terminate()
        return json.loads(self.apple.communicate(timeout=20)[0].splitlines()[-1])["accepted"]

    def stop(self):
        for process in (self.shell, self.apple):
            if process and process.poll() is None:
                process.kill()
                process.wait(20)
        self.machine.stop()
        for path in glob.glob(self.folder + "/*"):
            os.unlink(path)
        os.rmdir(self.folder)


def play(page, tree, package):
    """Plays the page's blocks; what was typed and said, by block."""
    stage, said = Play(tree, package), {}
    try:
        for name, typed in blocks(page).items():
            said[name] = [(command, stage.type(command)) for command in typed]
            if name in AFTER:
                AFTER[name](stage)
            if name == "start":
                for role, text in statements(text_of(README)):
                    stage.ask(text, "app" if role == "the owner" else role)
                nudge_arrives(stage)
                stage.type("export CREDENTIALS_DIRECTORY=/etc/nudged/credentials")
                said["lines"] = [(command, stage.type(command)) for command in lines(page, package) + lines(text_of(METRICS), package)]
                secrets_stand_nowhere(stage)
        return said
    finally:
        stage.stop()


# What must be true after a block, beyond its commands' success


def statements_are_logged(stage):
    """From now on PostgreSQL logs every statement, as many servers do."""
    stage.machine.run("su", "postgres", "-c", "psql -qX", input="alter system set log_statement = 'all';\nselect pg_reload_conf();\n")


def nudge_arrives(stage):
    """The message is recorded as accepted, and the sweep that sent it is in the journal."""
    m = stage.machine
    m.until(lambda: [e for e in m.journal("-u", "nudged", "NUDGED_EVENT=sweep") if e["NUDGED_SENT"] != "0"], "a sweep that sent one")
    outcome = stage.ask("select outcome from nudged.delivery where kind = 'message'")
    assert outcome == "accepted", outcome
    # What it has written of itself meanwhile: that comes every ten seconds.
    m.until(lambda: stage.ask("select count(*) from nudged.daemon where (state -> 'last_work' ->> 'sent')::int > 0") == "1", "the daemon's own row with that sweep")


def backup_has_no_living_daemon(stage):
    """The leases in the backup have ended, as they have when one is needed: nudged after-restore is refused before."""
    end = stage.ask("select coalesce(max(alive_until), now()) from nudged.lease")
    stage.machine.until(lambda: stage.ask(f"select now() > '{end}'") == "t", "the end of the backup's leases", 60)


def daemon_stands(stage):
    """Who runs now has said so."""
    pid = stage.machine.show("nudged", "MainPID")
    stage.machine.until(lambda: stage.ask(f"select count(*) from nudged.daemon where pid = {pid}") == "1", "the daemon's own row")


def another_arrives(stage):
    """The daemon that runs now sends, too."""
    accepted = "select count(*) from nudged.delivery where kind = 'message' and outcome = 'accepted'"
    before = int(stage.ask(accepted))
    stage.ask(f"select (nudged_api.send('{USER}', 'Ann', 'And now?', urgent => true)).id")
    stage.machine.until(lambda: int(stage.ask(accepted)) == before + 1, "another message that Apple took", 90)


def apple_took_as_many(stage):
    """What the record says that Apple took, and the tests."""
    another_arrives(stage)
    recorded = int(stage.ask("select count(*) from nudged.delivery where outcome = 'accepted'"))
    taken = stage.taken()
    assert taken == recorded + stage.tests, f"the simulated Apple took {taken}, the record has {recorded}, and {stage.tests} were tests"


def nothing_is_left(stage):
    """Of the package and in the database; what was the app's is there."""
    m = stage.machine
    left = m.run("find", "/", "-xdev", "-name", "*nudged*", "-not", "-path", "/proc/*", "-not", "-path", "/root/*", "-not", "-path", "/var/lib/apt/*", "-not", "-path", "/run/log/*").stdout
    assert not left, "left behind:\n" + left
    for question, answer in {
        "select count(*) from pg_namespace where nspname like 'nudged%'": "0", "select count(*) from pg_roles where rolname like 'nudged%'": "0",
        "select count(*) from pg_trigger where not tgisinternal": "0", "select count(*) from push_tokens": "1",
    }.items():
        found = stage.ask(question)
        assert found == answer, f"{question}: {found}"


def secrets_stand_nowhere(stage):
    """Key, password, token and text are in no place that someone can read, and no core dump can have them."""
    m = stage.machine
    pid = m.show("nudged", "MainPID")
    folder = m.root + "/etc/nudged/credentials/"
    secrets = [
        text_of(folder + "apns.privateKey").splitlines()[1][:40], re.search(r":([^:@]+)@", text_of(folder + "database.url"))[1],
        re.search(r"token => '(\w+)'", text_of(README))[1], re.search(r"body => '([^']+)'", text_of(README))[1],
    ]
    environment = ["env", "CREDENTIALS_DIRECTORY=/etc/nudged/credentials", "/usr/bin/nudged"]
    places = {
        "the journal": m.run("journalctl", "-o", "export", "--all").stdout,
        "nudged status": m.run(*environment, "status").stdout + m.run(*environment, "status", "--json").stdout,
        "nudged explain": m.run(*environment, "explain", USER).stdout + m.run(*environment, "explain", USER, "--json").stdout,
        "nudged config --show": m.run(*environment, "config", "--show").stdout,
        "systemctl": m.run("systemctl", "status", "nudged", "-n", "1000").stdout + m.run("systemctl", "show", "nudged").stdout,
        "its environment": m.run("cat", f"/proc/{pid}/environ").stdout,
        "its command line": m.run("cat", f"/proc/{pid}/cmdline").stdout,
        "its runtime directory": m.run("sh", "-c", "cat /run/nudged/*").stdout,
    }
    for place, text in places.items():
        assert text, place + " is empty"
        for secret in secrets:
            assert secret not in text, f"a secret in {place}: {secret[:3]}…"
    # Its statements hold the texts and tokens that were given to it, but no password.
    log = m.run("sh", "-c", "cat /var/log/postgresql/*.log").stdout
    assert "SCRAM-SHA-256$" in log, "PostgreSQL's log has no statement that sets a password"
    assert secrets[1] not in log, "the password is in PostgreSQL's log"
    # The limit that a core dump meets, whatever the host does with cores.
    assert re.search(r"Max core file size +0 +0 ", m.run("cat", f"/proc/{pid}/limits").stdout), "a core dump is allowed"
    m.run("systemctl", "kill", "--kill-whom=main", "-s", "SEGV", "nudged")
    m.until(lambda: m.show("nudged", "MainPID") not in ("0", pid) and m.show("nudged", "SubState") == "running", "another process", 30)
    cores = m.run("find", "/", "-xdev", "-name", "core*", "-newer", "/root/AuthKey_KEY1234567.p8", "-type", "f").stdout
    assert not cores, "a core dump: " + cores


AFTER = {
    "install": statements_are_logged, "anew": another_arrives, "addresses": another_arrives, "column": another_arrives, "password": another_arrives, "key": another_arrives,
    "backup": backup_has_no_living_daemon, "restore": another_arrives, "encrypt": daemon_stands, "decrypt": apple_took_as_many, "uninstall": nothing_is_left,
}
USER = "00000000-0000-4000-8000-000000000001"


def main():
    if obstacle():
        sys.exit(f"first nudge: {obstacle()}")
    # A command that hangs ends it, and the machine with it.
    signal.signal(signal.SIGALRM, lambda *_: sys.exit("first nudge: not over after twenty minutes"))
    signal.alarm(1200)
    began = time.monotonic()
    said = play(text_of(PAGE), sys.argv[1], sys.argv[2])
    if len(sys.argv) > 3:
        with open(sys.argv[3], "w") as file:
            file.write(transcript([entry for name in SHOWN for entry in said[name]]))
    print(f"first nudge: {sum(map(len, said.values()))} commands of docs/OPERATIONS.md and docs/METRICS.md played on a fresh Debian, from the package to its purge, in {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
