"""The journal as an operator reads it, from a real journald."""

import json
import re
import unittest

from machine import obstacle, text_of
from service import REPOSITORY, Service


@unittest.skipIf(obstacle(), obstacle())
class JournalTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.service = Service()
        cls.addClassCleanup(cls.service.stop)
        cls.service.systemctl("start", "nudged")
        cls.service.seed(5)
        cls.service.await_accepted(5)

    def setUp(self):
        self.s, self.machine = self.service, self.service.machine

    def test_sweep_hasItsFields(self):
        entry = self.s.await_event("sweep")
        self.assertEqual(sum(int(e["NUDGED_SENT"]) for e in self.s.events("sweep")), 5)
        for name in ("USERS", "REJECTED", "DEFERRED", "UNKNOWN", "UNSENT", "SKIPPED", "DROPPED", "CHANGED", "RECOVERED", "FENCED",
                     "TOKENS_DELETED", "DURATION_MS"):
            self.assertRegex(entry["NUDGED_" + name], r"^\d+$")
        self.assertRegex(entry["NUDGED_SWEEP_ID"], r"^[0-9a-f-]{36}$")
        self.assertEqual((entry["SYSLOG_IDENTIFIER"], entry["PRIORITY"], entry["_SYSTEMD_UNIT"]), ("nudged", "6", "nudged.service"))
        found = self.machine.journal("MESSAGE_ID=" + entry["MESSAGE_ID"])
        self.assertEqual(len(found), len(self.s.events("sweep")))

    def test_explanation_hasTheRemedyAndTheFieldsOfTheEntry(self):
        self.s.systemctl("stop", "postgresql")
        self.addCleanup(self.s.systemctl, "start", "postgresql")
        self.s.await_event("database_lost")
        text = self.machine.run("journalctl", "-x", "-u", "nudged", "NUDGED_EVENT=database_lost").stdout
        self.assertIn("Subject: PostgreSQL can't be reached", text)
        self.assertIn("What to do: Start PostgreSQL", text)
        self.assertIn("Defined-By: nudged", text)
        text = self.machine.run("journalctl", "-x", "NUDGED_EVENT=connection_opened").stdout
        self.assertIn("nudged is connected to localhost:2197 for com.example.App", text)

    def test_refusals_whenManyComeAtOnce_areAFewLinesAndACount(self):
        after = self.s.mark()
        self.s.seed(60, first=1000, token="dead")
        self.machine.until(lambda: self.s.sql("select count(*) from nudged.delivery where reason = 'Unregistered'") == "60", "60 answers of 410")
        self.s.systemctl("stop", "nudged")
        said = self.s.events("push_rejected", after)
        self.s.systemctl("start", "nudged")
        counts = [int(e["NUDGED_REPEATS"]) for e in said if "NUDGED_REPEATS" in e]
        self.assertEqual((len(said) - len(counts), sum(counts)), (5, 55))
        # Not the record's name for a device, and the same device has one name.
        hashes = self.s.sql("select string_agg(device_hash, ' ') from nudged.delivery").split()
        for entry in said[:5]:
            self.assertRegex(entry["NUDGED_DEVICE"], r"^[0-9a-f]{12}$")
            self.assertFalse(any(entry["NUDGED_DEVICE"] in name for name in hashes))
            words = self.machine.run("env", "CREDENTIALS_DIRECTORY=/etc/nudged/credentials", "/usr/bin/nudged", "explain", entry["NUDGED_USER_ID"],
                                     check=False).stdout
            self.assertIn("Unregistered", words)

    def test_queries_ofTheGuide_areAnswered(self):
        """Each `journalctl …` line of docs/JOURNAL.md and docs/OPERATIONS.md is a query that journald takes."""
        journal = text_of(REPOSITORY + "/docs/JOURNAL.md")
        self.assertEqual(re.findall(r"^ {4}(?!journalctl )\S.*", journal, re.M), [])
        guide = journal + text_of(REPOSITORY + "/docs/OPERATIONS.md")
        queries = re.findall(r"^    (journalctl [^#\n]*)", guide, re.M)
        self.assertGreater(len(queries), 8)
        for query in queries:
            with self.subTest(query):
                done = self.machine.run("sh", "-c", query.replace(" -f", "") + " --no-pager", check=False)
                self.assertEqual(done.stderr, "")

    def test_entry_whenItIsLarge_arrivesWhole(self):
        """As the daemon sends one: over what a datagram takes it goes as a sealed memory file."""
        for size in (1_000, 1_000_000, 20_000_000):
            done = self.machine.run("/usr/local/bin/nudged-bench", "journal", "--count", "1", "--bytes", str(size))
            self.assertEqual(json.loads(done.stdout)["lost"], 0)
            found = self.machine.until(lambda: self.machine.journal("-t", "nudged-bench", "-n", "1"), "the entry")
            self.assertEqual(len(found[0]["NUDGED_BODY"]), size)


if __name__ == "__main__":
    unittest.main()
