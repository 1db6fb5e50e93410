"""docs/OPERATIONS.md: what it says of itself. Its commands are played by first_nudge.py."""

import glob
import re
import unittest

from first_nudge import PAGE, SHOWN, blocks, typed_in
from machine import text_of
from service import REPOSITORY


class OperationsTests(unittest.TestCase):
    def setUp(self):
        self.page = text_of(PAGE)

    def test_events_ofWarningOrWorse_areNamed(self):
        """Each event of the catalog that somebody should look at stands where the page says what to do."""
        shipped = set(re.findall(r"^-- ([0-9a-f]{32})$", text_of(REPOSITORY + "/systemd/nudged.catalog"), re.M))
        events = re.findall(r"^\| `(\w+)` ([0-9a-f]{32}) \| (\w+) \|", text_of(REPOSITORY + "/docs/JOURNAL.md"), re.M)
        self.assertEqual({event[1] for event in events}, shipped)
        grave = {name for name, _, priority in events if priority not in ("debug", "info", "notice")}
        self.assertGreater(len(grave), 25)
        part = self.page.split("## What to do when", 1)[1].split("\n## ", 1)[0]
        self.assertEqual(grave - set(re.findall(r"`(\w+)`", part)), set())

    def test_transcript_isOfThePagesCommands(self):
        played = blocks(self.page)
        shown = [command for name in SHOWN for command in played[name]]
        self.assertEqual(typed_in(self.page.split("## The transcript", 1)[1]), shown)

    def test_passwords_areInNoStatement(self):
        """A server may log its statements, and psql keeps them. psql's \\password sends only a hash."""
        pages = [REPOSITORY + "/README.md", *glob.glob(REPOSITORY + "/docs/*.md")]
        self.assertGreater(len(pages), 10)
        for page in pages:
            self.assertEqual(re.findall(r"(?i)\bpassword\s+['\"$].*", text_of(page)), [], page)
        self.assertIn("\\password nudged_daemon", self.page)

    def test_links_leadSomewhere(self):
        headings = {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in re.findall(r"^#+ (.*)$", self.page, re.M)}
        self.assertEqual(set(re.findall(r"\]\(#([^)]+)\)", self.page)) - headings, set())


if __name__ == "__main__":
    unittest.main()
