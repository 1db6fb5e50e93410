"""What systemd says of the files as they are shipped, without starting anything."""

import glob
import os
import re
import unittest

from machine import Machine, obstacle, text_of
from service import REPOSITORY, calls_of, group_of, install


@unittest.skipIf(obstacle(), obstacle())
class UnitTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.machine = Machine()
        cls.addClassCleanup(cls.machine.stop)
        install(cls.machine)
        cls.machine.run("rm", "-rf", "/etc/systemd/system/nudged.service.d")
        cls.machine.run("systemctl", "daemon-reload")
        version = cls.machine.run("systemctl", "--version").stdout
        cls.version = int(re.match(r"systemd (\d+)", version)[1])

    def drop_in(self, name):
        """Puts an example where its first line says, until the test ends."""
        text = text_of(f"{REPOSITORY}/systemd/examples/{name}.conf")
        path = re.match(r"# (/etc/systemd/system/\S+\.conf)", text)[1]
        self.machine.write(path, text)
        self.addCleanup(os.unlink, self.machine.root + path)

    def verify(self, unit):
        done = self.machine.run("systemd-analyze", "verify", unit, check=False)
        self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))

    def exposure(self, unit):
        done = self.machine.run("systemd-analyze", "security", "--offline=true", "--no-pager", "/lib/systemd/system/" + unit)
        return float(re.search(r"exposure level for \S+: ([\d.]+)", done.stdout)[1])

    def test_verify_whenShipped_saysNothing(self):
        units = [os.path.basename(path) for path in glob.glob(REPOSITORY + "/systemd/*.service")]
        self.assertEqual(sorted(units), ["nudged-migrate.service", "nudged.service"])
        for unit in units:
            with self.subTest(unit):
                self.verify(unit)

    def test_verify_whenAnExampleIsPutInPlace_saysNothing(self):
        names = [os.path.basename(path)[:-5] for path in glob.glob(REPOSITORY + "/systemd/examples/*.conf")]
        self.assertEqual(len(names), 5)
        for name in names:
            if name == "restart-steps" and self.version < 254:
                continue
            with self.subTest(name):
                self.drop_in(name)
                self.verify("nudged.service")

    def test_exposure_isLow(self):
        self.assertLessEqual(self.exposure("nudged.service"), 1.1)
        self.assertLessEqual(self.exposure("nudged-migrate.service"), 1.1)
        # Only --offline reads files that nobody has loaded, and it takes no drop-ins: the unit with the example's lines at its end.
        text = text_of(f"{REPOSITORY}/systemd/nudged.service")
        self.machine.write("/lib/systemd/system/filtered.service", text + text_of(f"{REPOSITORY}/systemd/examples/addresses.conf"))
        self.assertLessEqual(self.exposure("filtered.service"), 1.0)

    def test_addresses_whenNudgedWroteThem_areADropIn(self):
        key = self.machine.run("openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256").stdout
        environment = {
            "APNS_TEAM_ID": "ABCDE12345", "APNS_KEY_ID": "KEY1234567", "APNS_BUNDLE_ID": "com.example.App", "APNS_ENVIRONMENT": "production", "APNS_PRIVATE_KEY": key,
            "DATABASE_URL": "postgresql://nudged_daemon@192.0.2.5/app?sslmode=verify-full", "METRICS_LISTEN": "127.0.0.1:9464",
        }
        text = self.machine.run("env", *[f"{name}={value}" for name, value in environment.items()], "/usr/bin/nudged", "config", "--addresses").stdout
        for line in ("IPAddressDeny=any", "IPAddressAllow=192.0.2.5", "SocketBindAllow=tcp:9464"):
            self.assertIn(f"\n{line}\n", text)
        self.assertRegex(text, r"\nIPAddressAllow=17\.0\.0\.0/8 ")
        path = re.match(r"# (/etc/systemd/system/\S+\.conf)", text)[1]
        self.machine.write(path, text)
        self.addCleanup(os.unlink, self.machine.root + path)
        self.verify("nudged.service")
        self.machine.write("/lib/systemd/system/written.service", text_of(f"{REPOSITORY}/systemd/nudged.service") + text)
        self.assertLessEqual(self.exposure("written.service"), 1.0)

    def test_calls_areTheSameInBothUnits(self):
        daemon, migrate = (calls_of(f"{REPOSITORY}/systemd/{name}.service") for name in ("nudged", "nudged-migrate"))
        self.assertEqual(daemon, migrate)

    def test_calls_areNoneThatAUnitShouldLack(self):
        """As systemd's groups have them: what only an administrator's program needs."""
        for group in ("@privileged", "@resources", "@mount", "@clock", "@module", "@raw-io", "@reboot", "@swap", "@debug", "@obsolete", "@cpu-emulation", "@keyring", "@setuid", "@chown", "@aio", "@memlock"):
            names = group_of(self.machine, group)
            self.assertGreater(len(names), 1, group)
            self.assertEqual(calls_of(f"{REPOSITORY}/systemd/nudged.service") & names, set(), group)
        # All names are known to this systemd: it would warn of others.
        self.assertEqual(calls_of(f"{REPOSITORY}/systemd/nudged.service") - group_of(self.machine), set())

    def test_promises_standInTheUnit(self):
        shown = self.machine.run("systemctl", "show", "nudged").stdout
        properties = dict(line.split("=", 1) for line in shown.splitlines())
        for name, value in {
            "Type": "notify", "Restart": "always", "RestartUSec": "5s", "StartLimitIntervalUSec": "0",
            "DynamicUser": "yes", "PrivateUsers": "yes", "ProtectSystem": "strict", "MemoryDenyWriteExecute": "yes", "ProcSubset": "pid",
            "LimitCORE": "0",
        }.items():
            self.assertEqual(properties[name], value, name)
        self.assertEqual(set(properties["RestrictAddressFamilies"].split()), {"AF_INET", "AF_INET6", "AF_UNIX"})
        self.machine.run("systemctl", "enable", "nudged")
        self.assertIn("nudged.service", self.machine.run("systemctl", "show", "multi-user.target", "-P", "Wants").stdout)

    def test_catalog_explainsEachEvent(self):
        definitions = text_of(REPOSITORY + "/systemd/nudged.catalog")
        ids = re.findall(r"^-- ([0-9a-f]{32})$", definitions, re.M)
        self.assertGreater(len(ids), 30)
        done = self.machine.run("journalctl", "--update-catalog")
        self.assertEqual(done.stdout + done.stderr, "")
        listed = self.machine.run("journalctl", "--list-catalog").stdout
        for line in ids:
            self.assertRegex(listed, rf"(?m)^{line} nudged: ")


if __name__ == "__main__":
    unittest.main()
