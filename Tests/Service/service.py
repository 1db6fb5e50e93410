"""nudged as a service on a machine for tests, with PostgreSQL and a simulated Apple as services beside it."""

import functools
import glob
import os
import re
import subprocess

from machine import Machine, text_of

REPOSITORY = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILT = os.environ.get("NUDGED_BUILT", REPOSITORY + "/.build/debug")
PASSWORD = "planted-database-password"
TITLE = "planted title"

POSTGRES = """[Service]
Type=notify
User=postgres
RuntimeDirectory=postgresql
ExecStart={bin}/postgres -D /srv/postgres -k /run/postgresql -c fsync=off -c max_connections=40 -c jit=off
KillSignal=SIGINT
"""
APPLE = """[Service]
Type=simple
ExecStart=/usr/local/bin/nudged-apple --folder /srv/apple --team ABCDE12345 --delay {delay} --answer dead=410 --answer bad0=400 --answer 5030=503 --quiet
"""
CONFIGURATION = """apns:
  teamId: ABCDE12345
  keyId: SIMULATED0
  bundleId: com.example.App
  environment: production
  endpoint: https://localhost:2197
  responseTimeout: {answer}
  caFile: /etc/nudged/ca.pem
policy:
  spreadMinutes: 0
schedule:
  interval: {interval}
  lease: {lease}
"""


def install(machine):
    """Puts what was built where a package would: the binary, the units, the catalog."""
    machine.copy(BUILT + "/nudged", "/usr/bin/nudged")
    for unit in glob.glob(REPOSITORY + "/systemd/*.service"):
        machine.copy(unit, "/lib/systemd/system/" + os.path.basename(unit), 0o644)
    for example in glob.glob(REPOSITORY + "/systemd/examples/*.conf"):
        machine.copy(example, "/usr/share/doc/nudged/examples/" + os.path.basename(example), 0o644)
    machine.copy(REPOSITORY + "/systemd/nudged.catalog", "/usr/lib/systemd/catalog/nudged.catalog", 0o644)
    machine.run("journalctl", "--update-catalog")
    runtime = swift_runtime()
    if runtime:
        # A debug build has its runtime beside the toolchain; a package's is linked in.
        for unit in ("nudged", "nudged-migrate"):
            machine.write(f"/etc/systemd/system/{unit}.service.d/runtime.conf", f"[Service]\nExecPaths={runtime}\n")
    machine.run("systemctl", "daemon-reload")


def calls_of(unit):
    """The system calls that a unit's file allows by name."""
    lists = re.findall(r"^SystemCallFilter=([a-z].*)$", text_of(unit), re.M)
    return {name for names in lists for name in names.split()}


def group_of(machine, *group):
    """The system calls of one of systemd's groups; of all groups, without one."""
    lines = machine.run("systemd-analyze", "syscall-filter", *group).stdout.splitlines()
    return {line.strip() for line in lines if line.startswith("    ") and "#" not in line}


@functools.cache
def swift_runtime():
    """The folder of the Swift runtime that the binary needs; None where it is linked in."""
    libraries = subprocess.run(["ldd", BUILT + "/nudged"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"libswiftCore\.so => (\S+)/libswiftCore\.so", libraries)
    return os.path.realpath(found[1]) if found else None


class Service:
    """The daemon's machine. `start` brings all of it up; each part can be stopped and started alone."""

    def __init__(self):
        self.machine = Machine()
        try:
            install(self.machine)
            self._prepare_postgres()
            for program in ("nudged-bench", "nudged-apple"):
                self.machine.copy(f"{BUILT}/{program}", "/usr/local/bin/" + program)
            self.apple()
            self.configure()
            self.credential("database.url", self.url())
            self.migrate()
            # As short as a test wants them; what is shipped is looked at by `test_unit`. A system call that the unit does not list ends the process, so that no test passes with one.
            self.drop_in("test", "[Service]\nRestartSec=200ms\nSystemCallErrorNumber=kill\n")
        except BaseException:
            self.machine.stop()
            raise

    # The world

    def _prepare_postgres(self):
        binaries = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]
        m = self.machine
        m.run("install", "-d", "-o", "postgres", "-g", "postgres", "/srv/postgres")
        m.run("setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups", binaries + "/initdb", "-D", "/srv/postgres",
              "-U", "postgres", "--no-sync", "--no-instructions", "--auth-local=trust", "--auth-host=scram-sha-256", "--locale=C.UTF-8")
        m.write("/etc/systemd/system/postgresql.service", POSTGRES.format(bin=binaries))
        m.run("systemctl", "start", "postgresql")
        m.run("psql", "-h", "/run/postgresql", "-U", "postgres", "-c", "create database app")

    def apple(self, delay=0):
        """A simulated Apple, which answers after so many milliseconds."""
        m = self.machine
        m.write("/etc/systemd/system/apple.service", APPLE.format(delay=delay))
        m.run("systemctl", "daemon-reload")
        m.run("systemctl", "restart", "apple")
        m.until(lambda: m.run("ss", "-Hltn", "sport = :2197").stdout, "the simulated Apple")
        m.write("/etc/nudged/ca.pem", text_of(m.root + "/srv/apple/ca.pem"))
        self.credential("apns.privateKey", text_of(m.root + "/srv/apple/AuthKey_SIMULATED0.p8"))

    def configure(self, interval="200ms", answer="10s", lease="30s", extra=""):
        self.machine.write("/etc/nudged/nudged.yaml", CONFIGURATION.format(interval=interval, answer=answer, lease=lease) + extra)

    def credential(self, name, text):
        self.machine.write("/etc/nudged/credentials/" + name, text, 0o600)

    @staticmethod
    def url(user="nudged_daemon", password=PASSWORD):
        return f"postgresql://{user}:{password}@127.0.0.1:5432/app"

    def migrate(self):
        environment = ["env", "DATABASE_URL=postgresql://postgres@%2Frun%2Fpostgresql/app"]
        self.machine.run(*environment, "/usr/bin/nudged", "migrate")
        self.sql(f"alter role nudged_daemon login password '{PASSWORD}'; insert into nudged.template (title, body) values ('{TITLE}', 'planted body')")

    def sql(self, text):
        done = self.machine.run("psql", "-h", "/run/postgresql", "-U", "postgres", "-d", "app", "-XAtq", "-v", "ON_ERROR_STOP=1", "-c", text)
        return done.stdout.strip()

    def seed(self, count, first=1, token="c0ffee"):
        """Users who are due since five minutes ago, with a device each whose token begins so."""
        last = first + count - 1
        self.sql(f"""
            insert into public.context_profiles (user_id, notification_preferences, first_session_complete)
            select ('00000000-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, jsonb_build_object(
                'check_ins_enabled', true, 'frequency', 'daily', 'timezone', 'UTC', 'quiet_hours_start', '00:00',
                'quiet_hours_end', '00:00', 'check_in_time', to_char((now() - interval '5 minutes') at time zone 'UTC', 'HH24:MI')
            ), true from generate_series({first}, {last}) n;
            insert into public.push_tokens (user_id, device_token, platform, created_at, updated_at)
            select ('00000000-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, rpad('{token}', 8, '0') || lpad(to_hex(n), 56, '0'), 'ios', '2026-01-01', '2026-01-01'
            from generate_series({first}, {last}) n""")

    # The daemon

    def systemctl(self, *words, check=True):
        done = self.machine.run("systemctl", *words, check=False)
        if check and done.returncode != 0:
            # What systemctl says is only that it failed.
            said = self.machine.run("journalctl", "-u", "nudged", "-n", "15", "-o", "cat", check=False).stdout
            raise AssertionError(f"systemctl {' '.join(words)}: exit {done.returncode}: {done.stdout}{done.stderr}{said}")
        return done

    def drop_in(self, name, text):
        self.machine.write(f"/etc/systemd/system/nudged.service.d/{name}.conf", text)
        self.systemctl("daemon-reload")

    def show(self, name):
        return self.machine.show("nudged", name)

    def plain(self, name):
        """Takes a drop-in back."""
        os.unlink(f"{self.machine.root}/etc/systemd/system/nudged.service.d/{name}.conf")
        self.systemctl("daemon-reload")

    def accepted(self):
        return int(self.sql("select count(*) from nudged.delivery where outcome = 'accepted'"))

    def restart(self):
        self.systemctl("restart", "nudged")

    def reset(self):
        """As at the start, for the next test: everything runs, and nobody is there."""
        self.systemctl("start", "postgresql", "apple")
        self.systemctl("stop", "nudged", check=False)
        self.systemctl("reset-failed", "nudged", check=False)
        self.configure()
        self.sql("truncate public.context_profiles, public.push_tokens, nudged.person, nudged.touched, nudged.intent, nudged.delivery")
        # A daemon that was killed keeps its ranges until its lease ends.
        self.sql("delete from nudged.member")

    @property
    def pid(self):
        return int(self.show("MainPID"))

    def mark(self):
        """The journal's time now: entries that come later are found by `after=`. (Its cursors skip one where a match is given, too.)"""
        return int(self.machine.journal("-n", "1", "-q")[-1]["__REALTIME_TIMESTAMP"])

    def events(self, name=None, after=None):
        """The daemon's entries of the journal, all or those of an event."""
        return self.entries(*([f"NUDGED_EVENT={name}"] if name else []), after=after or 0)

    def entries(self, *matches, after=0):
        """Entries about the unit, systemd's own as well."""
        return [entry for entry in self.machine.journal("-u", "nudged", *matches) if int(entry["__REALTIME_TIMESTAMP"]) > after]

    def forbidden_calls(self, after):
        """Entries about processes that ended because they made a system call that the unit does not list."""
        return [entry["MESSAGE"] for entry in self.entries("-g", "status=31/SYS", after=after)]

    def await_event(self, name, after=None, seconds=20):
        return self.machine.until(lambda: self.events(name, after), f"event {name}", seconds)[-1]

    def await_status(self, part, seconds=20):
        return self.machine.until(lambda: part in self.show("StatusText") and self.show("StatusText"), f"a status with: {part}", seconds)

    def await_accepted(self, count, seconds=90):
        self.machine.until(lambda: self.accepted() >= count, f"{count} accepted pushes", seconds)

    def stop(self):
        self.machine.stop()
