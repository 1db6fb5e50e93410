"""docs/OPERATIONS.md: what it says of itself. Its commands are played by first_nudge.py."""

import glob
import re
import unittest

from first_nudge import PAGE, blocks
from machine import text_of
from service import REPOSITORY


class OperationsTests(unittest.TestCase):
    def setUp(self):
        self.page = text_of(PAGE)

    def test_passwords_areInNoStatement(self):
        """A server may log its statements, and psql keeps them. psql's \\password sends only a hash."""
        pages = [REPOSITORY + "/README.md", *glob.glob(REPOSITORY + "/docs/*.md")]
        self.assertGreater(len(pages), 10)
        for page in pages:
            self.assertEqual(re.findall(r"(?i)\bpassword\s+['\"$].*", text_of(page)), [], page)
        self.assertIn("\\password nudged_daemon", self.page)

    def test_blocks_areThoseThatArePlayed(self):
        self.assertGreater(sum(map(len, blocks(self.page).values())), 40)

    def test_links_leadSomewhere(self):
        headings = {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in re.findall(r"^#+ (.*)$", self.page, re.M)}
        self.assertEqual(set(re.findall(r"\]\(#([^)]+)\)", self.page)) - headings, set())


if __name__ == "__main__":
    unittest.main()
