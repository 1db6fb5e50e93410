#!/usr/bin/env python3
"""Writes Tests/PolicyTests/Fixtures/recurrences.tsv: random recurrence rules and when they come, by python-dateutil's rrule.

One case a line: rule, wall time of the first occurrence, its dates and those of the next ones, and `.` where there are no more, else `+`. Where docs/SQL.md
says more than RFC 5545, this says it too: the first occurrence always counts, a UNTIL that is a date holds the whole day, and a rule
that finds nothing within 36,525 days is over.

    python3 Tests/Reference/recurrence_fixture.py > Tests/PolicyTests/Fixtures/recurrences.tsv
"""

import random
import re
from datetime import datetime, timedelta

from dateutil.rrule import rruleset, rrulestr

DAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
HORIZON = timedelta(days=36_525)
CASES, LONGEST = 4_000, 9


def some(draw, values, most=3):
    return ",".join(str(draw.choice(values)) for _ in range(draw.randint(1, most)))


def drawn(draw, start):
    """A random rule that reminders understand."""
    frequency = draw.choice(["DAILY", "WEEKLY", "MONTHLY", "MONTHLY"])
    parts = [f"FREQ={frequency}"]
    if draw.random() < 0.7:
        parts.append(f"INTERVAL={draw.choice([1, 2, 2, 3, 4, 5, 6, 7, 12, 12, 14, 30, 48, 100])}")
    if draw.random() < 0.6:
        numbers = ["", "", "1", "2", "3", "4", "5", "-1", "-2", "-3", "-4", "-5", "+1"] if frequency == "MONTHLY" else [""]
        parts.append("BYDAY=" + ",".join(draw.choice(numbers) + draw.choice(DAYS) for _ in range(draw.randint(1, 4))))
    if frequency != "WEEKLY" and draw.random() < 0.4:
        days = [day for day in range(-31, 32) if day] + [28, 29, 30, 31, -1, -28, -29, -30, -31] * 3
        parts.append("BYMONTHDAY=" + some(draw, days))
    kind = draw.random()
    if kind < 0.25:
        parts.append(f"COUNT={draw.randint(1, 12)}")
    elif kind < 0.5:
        until = start + timedelta(days=draw.choice([0, 1, 7, 30, 90, 365, 1000]) + draw.randint(0, 40))
        parts.append(f"UNTIL={until:%Y%m%d}" if draw.random() < 0.5 else f"UNTIL={until:%Y%m%dT}{draw.choice(['080000', '093000', '235959'])}")
    if draw.random() < 0.4:
        parts.append(f"WKST={draw.choice(DAYS)}")
    first, rest = parts[0], parts[1:]
    draw.shuffle(rest)
    return ";".join([first, *rest])


def plain_and_numbered(rule):
    """dateutil 2.9 takes `MO,1FR` for the days that are both; RFC 5545's list is of days that are one of them."""
    days = re.search(r"BYDAY=([^;]+)", rule)
    if not days:
        return [rule]
    days = days.group(1).split(",")
    halves = [[day for day in days if len(day) == 2], [day for day in days if len(day) > 2]]
    return [re.sub(r"BYDAY=[^;]+", "BYDAY=" + ",".join(half), rule) for half in halves if half]


def occurrences(rule, start):
    """The first occurrences, and whether there are no more."""
    count = re.search(r"COUNT=(\d+)", rule)
    endless = re.sub(r";COUNT=\d+", "", rule)
    whole_day = re.sub(r"UNTIL=(\d{8})(?!\d|T)", r"UNTIL=\1T235959", endless)
    both = rruleset()
    for one in plain_and_numbered(whole_day):
        both.rrule(rrulestr(one, dtstart=start))
    # The documented way to count DTSTART where the rule leaves it out.
    both.rdate(start)
    found = []
    for time in both:
        if found and time - found[-1] > HORIZON:
            return found, True
        found.append(time)
        if count and len(found) == int(count.group(1)):
            return found, True
        if len(found) > LONGEST:
            return found[:LONGEST], False
    return found, True


def main():
    draw = random.Random(5545)
    for _ in range(CASES):
        start = datetime(draw.randint(2024, 2032), 1, 1, 9, 30) + timedelta(days=draw.randint(0, 365))
        rule = drawn(draw, start)
        found, ended = occurrences(rule, start)
        dates = " ".join(f"{time:%Y%m%d}" for time in found[1:])
        print(f"{rule}\t{start:%Y-%m-%dT%H:%M:%S}\t{found[0]:%Y%m%d}{' ' if dates else ''}{dates}\t{'.' if ended else '+'}")


main()
