"""The service as it runs: every promise of its unit, on a real systemd."""

import time
import unittest

from machine import obstacle, text_of
from service import PASSWORD, TITLE, Service, swift_runtime


@unittest.skipIf(obstacle(), obstacle())
class ServiceTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.service = Service()
        cls.addClassCleanup(cls.service.stop)

    def setUp(self):
        self.s, self.machine = self.service, self.service.machine
        self.s.reset()
        self.start = self.s.mark()

    def tearDown(self):
        self.assertEqual(self.s.forbidden_calls(self.start), [])

    def said(self, name):
        return self.s.events(name, self.start)

    def drop_in(self, name, text):
        self.s.drop_in(name, text)
        self.addCleanup(self.s.plain, name)

    # Start and status

    def test_start_whenDatabaseAndAppleAreThere_isReadyAndSends(self):
        began = time.monotonic()
        self.s.systemctl("start", "nudged")
        self.assertLess(time.monotonic() - began, 5)
        self.assertEqual((self.s.show("SubState"), self.s.show("WatchdogUSec")), ("running", "2min"))
        self.s.seed(3)
        self.s.await_accepted(3)
        self.assertIn("next within 200ms", self.s.await_status("last sweep: sent"))
        self.s.systemctl("stop", "nudged")
        self.assertEqual((self.s.show("Result"), self.s.show("ExecMainStatus")), ("success", "0"))
        self.assertEqual([e["NUDGED_EVENT"] for e in self.said(None) if "daemon" in e.get("NUDGED_EVENT", "")],
                         ["daemon_ready", "daemon_stopping", "daemon_stopped"])

    def test_start_whenDatabaseAndAppleAreAway_isReadyAndWaits(self):
        self.s.seed(3)
        self.s.systemctl("stop", "postgresql", "apple")
        self.s.systemctl("start", "nudged")
        self.s.await_status("waiting for PostgreSQL")
        self.s.systemctl("start", "postgresql")
        self.s.await_event("database_back", self.start)
        self.s.await_event("connection_lost", self.start)
        self.assertEqual(self.s.accepted(), 0)
        # The same one: a new Apple would have another key.
        self.s.apple()
        self.s.restart()
        self.s.await_accepted(3)
        self.assertEqual(len(self.said("database_lost")), 1)

    def test_start_whenTheConfigurationIsBad_failsWithItsLineAndComesUpOnceFixed(self):
        self.s.configure(extra="message:\n  digestAfter: 2\n")
        self.assertNotEqual(self.s.systemctl("start", "nudged", check=False).returncode, 0)
        entry = self.s.await_event("configuration_refused", self.start)
        self.assertEqual(entry["PRIORITY"], "3")
        self.assertRegex(entry["MESSAGE"], r"nudged\.yaml:\d+")
        self.assertEqual(self.said("daemon_ready"), [])
        self.s.configure()
        self.s.await_event("daemon_ready", self.start)

    # Ends that nobody asked for

    def test_watchdog_whenTheProcessIsStopped_restartsIt(self):
        self.drop_in("watchdog", "[Service]\nWatchdogSec=5s\n")
        self.s.systemctl("start", "nudged")
        before = self.s.pid
        time.sleep(6)
        self.assertEqual(self.s.pid, before, "a living one is fed")
        self.machine.run("kill", "-STOP", str(before))
        self.machine.until(lambda: self.s.pid not in (0, before) and self.s.show("SubState") == "running", "another process")
        self.assertTrue(self.s.entries("-g", "Watchdog timeout", after=self.start))
        # Swift's crash report once held the restart up.
        self.assertEqual(self.s.entries("-g", "Backtracing|stop-watchdog' timed out", after=self.start), [])
        self.s.seed(2)
        self.s.await_accepted(2)

    def test_restart_whenItIsKilledManyTimes_goesOn(self):
        self.drop_in("fast", "[Service]\nRestartSec=10ms\n")
        self.s.systemctl("start", "nudged")
        for _ in range(8):
            before = self.s.pid
            self.machine.run("kill", "-KILL", str(before))
            self.machine.until(lambda: self.s.pid not in (0, before), "another process")
        self.s.seed(2)
        self.s.await_accepted(2)

    def test_memory_whenOverItsLimit_isEndedAndStartedAnew(self):
        self.s.systemctl("start", "nudged")
        # At its start the process has 3.3 MB that the kernel can't take back.
        self.drop_in("memory", "[Service]\nMemoryMax=2M\nMemorySwapMax=0\n")
        self.s.systemctl("restart", "--no-block", "nudged")
        self.machine.until(lambda: self.s.entries("-g", "oom-kill|status=9/KILL", after=self.start), "an end by the limit")
        self.s.drop_in("memory", "[Service]\nMemoryMax=512M\n")
        self.machine.until(lambda: self.s.show("SubState") == "running", "a running service")
        self.s.seed(2)
        self.s.await_accepted(2)

    def test_journal_whenJournaldIsKilled_goesOn(self):
        self.s.systemctl("start", "nudged")
        before = self.s.pid
        for _ in range(2):
            journald = self.machine.show("systemd-journald", "MainPID")
            self.machine.run("kill", "-KILL", journald)
            self.machine.until(lambda: self.machine.show("systemd-journald", "MainPID") not in ("0", journald), "another journald")
        self.s.seed(4)
        self.s.await_accepted(4)
        self.machine.until(lambda: sum(int(e["NUDGED_SENT"]) for e in self.said("sweep")) == 4, "the sweep's line")
        self.assertEqual(self.s.pid, before)

    # Reload and credentials

    def test_reload_whenTheFileIsGood_isInForceWhenItReturns(self):
        self.s.systemctl("start", "nudged")
        before = self.s.pid
        self.s.configure(interval="300ms")
        self.s.systemctl("reload", "nudged")
        self.s.await_status("next within 300ms")
        self.assertEqual((self.s.pid, len(self.said("reload_done"))), (before, 1))

    def test_reload_whenTheFileIsBad_failsAndTheOldOneStays(self):
        self.s.systemctl("start", "nudged")
        before = self.s.pid
        self.s.configure(interval="x")
        self.assertNotEqual(self.s.systemctl("reload", "nudged", check=False).returncode, 0)
        self.assertEqual((self.s.pid, self.s.show("SubState")), (before, "running"))
        self.assertIn("schedule.interval", self.said("reload_failed")[0]["MESSAGE"])
        self.s.seed(2)
        self.s.await_accepted(2)
        # By hand, as an administrator.
        done = self.machine.run("/usr/bin/nudged", "reload", check=False)
        self.assertEqual(done.returncode, 78)
        self.assertIn("schedule.interval", done.stderr)

    def test_credential_whenRotated_countsAfterARestart(self):
        self.s.systemctl("start", "nudged")
        self.s.sql("alter role nudged_daemon password 'planted-other-password'")
        self.addCleanup(self.s.credential, "database.url", self.s.url())
        self.addCleanup(self.s.sql, f"alter role nudged_daemon password '{PASSWORD}'")
        self.s.sql("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'nudged_daemon'")
        self.s.await_event("database_refused", self.start)
        self.s.await_status("waiting for PostgreSQL")
        self.s.credential("database.url", self.s.url(password="planted-other-password"))
        self.s.systemctl("reload", "nudged")
        self.s.seed(2)
        self.assertEqual(self.s.accepted(), 0)
        self.s.restart()
        self.s.await_accepted(2)

    def test_credentials_whenEncrypted_areHandedOver(self):
        m = self.machine
        for name in ("apns.privateKey", "database.url"):
            folder = "/etc/nudged/credentials/"
            m.run("systemd-creds", "encrypt", "--with-key=host", f"--name={name}", folder + name, folder + name + ".encrypted")
            m.run("mv", folder + name, "/root/" + name)
            self.addCleanup(m.run, "mv", "/root/" + name, folder + name)
        self.drop_in("encrypted", text_of(m.root + "/usr/share/doc/nudged/examples/encrypted-credentials.conf"))
        self.s.systemctl("start", "nudged")
        self.s.seed(2)
        self.s.await_accepted(2)

    def test_credentials_whenOneIsMissing_areMissedBeforeTheStart(self):
        m = self.machine
        m.run("mv", "/etc/nudged/credentials/database.url", "/root/database.url")
        self.assertNotEqual(self.s.systemctl("start", "nudged", check=False).returncode, 0)
        m.run("mv", "/root/database.url", "/etc/nudged/credentials/database.url")
        self.s.await_event("daemon_ready", self.start)

    # Stop

    def test_stop_whenPushesAreInFlight_waitsLongerThanItsTimeOut(self):
        self.s.apple(delay=10000)
        self.addCleanup(self.s.apple)
        self.s.configure(answer="60s", lease="180s")
        self.addCleanup(self.s.configure)
        self.drop_in("stop", "[Service]\nTimeoutStopSec=2s\n")
        self.s.systemctl("start", "nudged")
        self.s.seed(30)
        self.machine.until(lambda: int(self.s.sql("select count(*) from nudged.intent where user_ids <> '{}'")), "pushes in flight")
        began = time.monotonic()
        self.s.systemctl("stop", "nudged")
        self.assertGreater(time.monotonic() - began, 2, "they were in flight for less than the time-out: nothing is shown")
        self.assertEqual(self.s.show("Result"), "success")
        rows = self.s.sql("select outcome, count(*) from nudged.delivery group by 1")
        self.assertRegex(rows, r"^accepted\|\d+$")
        self.assertEqual(self.s.sql("select count(*) from nudged.intent where user_ids <> '{}'"), "0")

    def test_stop_whenItHangs_isEndedByTheTimeOut(self):
        self.s.apple(delay=60000)
        self.addCleanup(self.s.apple)
        self.s.configure(answer="120s", lease="300s")
        self.addCleanup(self.s.configure)
        self.drop_in("stop", "[Service]\nTimeoutStopSec=1s\n")
        self.s.systemctl("start", "nudged")
        before = self.s.pid
        self.s.seed(3)
        self.machine.until(lambda: int(self.s.sql("select count(*) from nudged.intent where user_ids <> '{}'")), "pushes in flight")
        self.s.systemctl("stop", "--no-block", "nudged")
        self.s.await_event("daemon_stopping", self.start)
        began = time.monotonic()
        self.machine.run("kill", "-STOP", str(before))
        self.machine.until(lambda: self.s.show("Result") == "timeout", "an end by the time-out")
        # The five seconds that it had asked for, and no more.
        self.assertLess(time.monotonic() - began, 10)


@unittest.skipIf(obstacle(), obstacle())
class SurroundingsTests(unittest.TestCase):
    """What the service can reach, and what it leaves behind."""

    @classmethod
    def setUpClass(cls):
        cls.service = Service()
        cls.addClassCleanup(cls.service.stop)

    def setUp(self):
        self.s, self.machine = self.service, self.service.machine
        self.s.reset()
        self.start = self.s.mark()

    def tearDown(self):
        self.assertEqual(self.s.forbidden_calls(self.start), [])

    def drop_in(self, name, text):
        self.s.drop_in(name, text)
        self.addCleanup(self.s.plain, name)

    def example(self, name):
        """An example as a drop-in."""
        self.drop_in(name, text_of(f"{self.machine.root}/usr/share/doc/nudged/examples/{name}.conf"))

    def test_process_isConfined(self):
        self.s.systemctl("start", "nudged")
        pid = self.s.pid
        facts = dict(line.split(":\t", 1) for line in self.machine.run("cat", f"/proc/{pid}/status").stdout.splitlines() if ":\t" in line)
        self.assertEqual({facts[name] for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")}, {"0" * 16})
        self.assertEqual((facts["NoNewPrivs"], facts["Seccomp"]), ("1", "2"))
        user = int(facts["Uid"].split()[0])
        self.assertTrue(61184 <= user <= 65519, "a dynamic user")
        limits = self.machine.run("cat", f"/proc/{pid}/limits").stdout
        self.assertRegex(limits, r"Max core file size\s+0\s+0")
        root = f"/proc/{pid}/root"
        for path in ("/etc/x", "/usr/x", "/var/x", "/run/x", "/x"):
            done = self.machine.run("sh", "-c", f": >{root}{path}", check=False)
            self.assertIn("Read-only file system", done.stderr, path)
        mounts = [line.split() for line in self.machine.run("cat", f"/proc/{pid}/mountinfo").stdout.splitlines()]
        # Of several mounts at a place the last one counts.
        options = {mount[4]: mount[5].split(",") for mount in mounts}
        runs = {place for place, words in options.items() if "noexec" not in words and place != "/dev/pts"}
        self.assertEqual(runs - {swift_runtime(), "/run/systemd/incoming"}, {"/usr/bin/nudged", "/usr/lib", "/usr/lib64"})
        # systemd leaves what may be run writable, for those who have the right: this user has none there.
        writable = {place for place, words in options.items() if "rw" in words and not place.startswith(("/dev/", "/proc"))} - runs
        self.assertEqual(writable, {"/tmp", "/var/tmp", "/run/nudged"})
        owned = self.machine.run("find", *runs, "-xdev", "(", "-uid", str(user), "-o", "-perm", "-o+w", ")", "!", "-type", "l").stdout
        self.assertEqual(owned, "")
        self.assertEqual(self.machine.run("ls", "-A", f"{root}/home", f"{root}/root", check=False).stdout.count("\n"), 3)
        self.assertNotEqual(self.machine.run("ls", f"{root}/proc/sys", check=False).returncode, 0)
        # Nothing but itself can be run where it lives.
        done = self.machine.run("nsenter", "-t", str(pid), "--mount", "--", "/bin/true", check=False)
        self.assertIn("Permission denied", done.stderr)
        self.machine.run("nsenter", "-t", str(pid), "--mount", "--", "/usr/bin/nudged", "--version")

    def test_addresses_whenOthersAreDenied_areTheOnesThatItReaches(self):
        text = text_of(self.machine.root + "/usr/share/doc/nudged/examples/addresses.conf")
        self.drop_in("addresses", text)
        self.s.systemctl("start", "nudged")
        if self.s.entries("-g", "BPF", after=self.start):
            self.skipTest("this kernel or hierarchy has no address filter for units")
        self.s.seed(2)
        self.s.await_accepted(2)
        self.s.drop_in("addresses", text.replace("IPAddressAllow=localhost", "IPAddressAllow=10.0.0.5"))
        self.s.restart()
        self.s.await_event("database_lost", self.start)

    def test_addresses_whenNudgedWroteThem_areTheOnesThatItReaches(self):
        done = self.machine.run("env", "CREDENTIALS_DIRECTORY=/etc/nudged/credentials", "/usr/bin/nudged", "config", "--addresses")
        self.assertIn("\nIPAddressDeny=any\n", done.stdout)
        self.assertIn("\nIPAddressAllow=localhost\n", done.stdout)
        # PostgreSQL and the simulated Apple are on this machine, and Apple itself is not configured.
        self.assertNotIn("17.0.0.0/8", done.stdout)
        self.drop_in("addresses", done.stdout)
        self.s.systemctl("start", "nudged")
        self.s.seed(2)
        self.s.await_accepted(2)

    def test_port_whenTheUnitDoesNotAllowIt_isRefusedWithTheDropIn(self):
        if "+BPF_FRAMEWORK" not in self.machine.run("systemctl", "--version").stdout:
            self.skipTest("this systemd is built without a filter of bind(2)")
        self.s.configure(extra="metrics:\n  listen: 127.0.0.1:9464\n")
        self.s.systemctl("start", "nudged")
        self.assertIn("metrics-listen.conf", self.s.await_event("metrics_failed", self.start)["MESSAGE"])
        self.example("metrics-listen")
        self.s.restart()
        scrape = ["python3", "-c", "import urllib.request as u; print(u.urlopen('http://127.0.0.1:9464/metrics').read().decode())"]
        self.machine.until(lambda: "nudged_build_info" in self.machine.run(*scrape, check=False).stdout, "the port's page")

    def test_metrics_areShownOnThePort(self):
        self.example("metrics-listen")
        self.example("addresses")
        self.s.configure(extra="metrics:\n  listen: 127.0.0.1:9464\n")
        self.s.systemctl("start", "nudged")
        self.s.seed(2)
        self.s.await_accepted(2)
        sent = 'nudged_pushes_total{kind="check_in",outcome="accepted"} 2'
        scrape = ["python3", "-c", "import urllib.request as u; print(u.urlopen('http://127.0.0.1:9464/metrics').read().decode())"]
        self.machine.until(lambda: sent in self.machine.run(*scrape, check=False).stdout, "the port's page")
        self.assertEqual(self.s.events("metrics_failed", self.start), [])

    def test_database_whenReachedByItsSocket(self):
        self.s.credential("database.url", "postgresql://nudged_daemon@%2Frun%2Fpostgresql/app")
        self.addCleanup(self.s.credential, "database.url", self.s.url())
        self.s.systemctl("start", "nudged")
        self.s.seed(2)
        self.s.await_accepted(2)

    def test_migrate_whenEnabled_comesBeforeTheDaemon(self):
        m = self.machine
        m.run("psql", "-h", "/run/postgresql", "-U", "postgres", "-c", "create database fresh")
        owner = "postgresql://postgres@%2Frun%2Fpostgresql/fresh"
        self.s.credential("migrate.database.url", owner)
        self.s.credential("database.url", owner)
        self.addCleanup(self.s.credential, "database.url", self.s.url())
        self.s.systemctl("enable", "nudged-migrate")
        self.addCleanup(self.s.systemctl, "disable", "nudged-migrate")
        self.s.systemctl("start", "nudged")
        self.assertEqual(m.show("nudged-migrate", "Result"), "success")
        self.s.await_status("last sweep")
        self.assertEqual(self.s.events("migrations_missing", self.start), [])

    def test_secrets_standNowhere(self):
        key = text_of(self.machine.root + "/etc/nudged/credentials/apns.privateKey").splitlines()[1][:40]
        # Two who are called and never answer: what fails is told of them, and not the secrets.
        called = {"decision.token": "planted-decision-token", "heartbeat.url": "http://127.0.0.1:9/planted-heartbeat"}
        for name, secret in called.items():
            self.s.credential(name, secret)
        self.drop_in("called", "[Service]\n" + "".join(f"LoadCredential={name}:/etc/nudged/credentials/{name}\n" for name in called))
        secrets = (PASSWORD, key, "planted-decision-token", "planted-heartbeat")
        self.example("metrics-listen")
        self.s.configure(extra="metrics:\n  listen: 127.0.0.1:9464\ndecision:\n  url: http://127.0.0.1:9/decide\n")
        self.s.seed(20)
        # So that the dead service keeps nobody's push back.
        self.s.sql("update public.context_profiles set notification_preferences = notification_preferences || '{\"smart_enabled\": true, \"fallback_strategy\": \"notify_all\"}'")
        self.s.systemctl("start", "nudged")
        user = "00000000-0000-4000-8000-000000000001"
        self.s.sql(f"select (nudged_api.send(user_id => '{user}', title => 'planted message', body => 'planted message')).id")
        self.s.await_accepted(21)
        for event in ("decision_fallback", "heartbeat_failed"):
            self.s.await_event(event, self.start)
        scrape = ["python3", "-c", "import urllib.request as u; print(u.urlopen('http://127.0.0.1:9464/metrics').read().decode())"]
        page = self.machine.until(lambda: self.machine.run(*scrape, check=False).stdout, "the port's page")
        operator = ["env", "CREDENTIALS_DIRECTORY=/etc/nudged/credentials", "/usr/bin/nudged"]
        said = {" ".join(words): self.machine.run(*operator, *words, check=False) for words in (
            ["report", "--html", "-"], ["status"], ["status", "--json"], ["doctor"], ["doctor", "--json"], ["explain", user],
            ["explain", user, "--json"], ["forecast", "--hours", "2"], ["check-config"])}
        self.s.configure(interval="x")
        self.s.systemctl("reload", "nudged", check=False)
        self.s.configure()
        self.s.systemctl("stop", "postgresql")
        self.s.await_event("database_lost", self.start)
        pid = self.s.pid
        places = {
            "the journal": self.machine.run("journalctl", "-u", "nudged", "-o", "export", "--all").stdout,
            "its metrics": page,
            "its environment": self.machine.run("cat", f"/proc/{pid}/environ").stdout,
            "its command line": self.machine.run("cat", f"/proc/{pid}/cmdline").stdout,
            "its status": self.machine.run("systemctl", "status", "nudged", "-n", "1000", check=False).stdout,
            "its runtime directory": self.machine.run("sh", "-c", "cat /run/nudged/*").stdout,
        } | {f"nudged {words}": run.stdout + run.stderr for words, run in said.items()}
        for place, text in places.items():
            self.assertTrue(text, place)
            for secret in (*secrets, TITLE, "planted body", "planted message", "c0ffee00"):
                self.assertNotIn(secret, text, place)
        shown = self.machine.run(*operator, "config", "--show").stdout
        self.assertIn("metrics.listen", shown)
        for secret in secrets:
            self.assertNotIn(secret, shown)
        self.assertNotIn(user, said["report --html -"].stdout)
        # A build that goes on beside this has files of such names.
        made = ("-name", "core*", "-not", "-path", "*/.build/*", "-newer", "/etc/nudged/ca.pem", "-type", "f")
        self.assertEqual(self.machine.run("find", "/", "-xdev", *made).stdout, "")


if __name__ == "__main__":
    unittest.main()
