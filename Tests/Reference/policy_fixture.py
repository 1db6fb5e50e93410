#!/usr/bin/env python3
"""Writes Tests/PolicyTests/Fixtures/policy-additions.jsonl: cases of mutes, quiet hours by day, opt-outs, the back-off, active users, active
conversations and missing zones, at the instants where the answers change. The answers are those of policy_reference.py.

    python3 Tests/Reference/policy_fixture.py > Tests/PolicyTests/Fixtures/policy-additions.jsonl
"""

import json
import random
from datetime import timedelta

import policy_reference as reference
from policy_reference import DAY, HOUR, Question, seconds, written

SEED = 2026
ZONES = [
    "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca", "America/St_Johns", "Asia/Kathmandu",
    "Pacific/Apia", "America/Santiago", "Asia/Beirut", "Pacific/Chatham", "Europe/Dublin", "America/Havana", "UTC",
]  # fmt: skip
# Clocks change in most of these zones within days of one of them.
CHANGES = ["2026-03-08T07:00:00Z", "2026-03-29T01:00:00Z", "2026-10-25T01:00:00Z", "2026-11-01T06:00:00Z", "2027-04-04T03:00:00Z", "2011-12-30T10:00:00Z"]
WINDOWS = [
    ("22:00", "08:00"), ("23:30", "00:30"), ("00:00", "09:00"), ("02:00", "03:00"), ("02:30", "02:15"), ("13:00", "15:00"), ("18:00", "17:59"),
    ("10:00", "10:00"), ("01:00", "23:00"),
]  # fmt: skip

draw = random.Random(SEED)


def hours(pair):
    return {"start": pair[0], "end": pair[1]}


def near(instant, spread=3 * DAY):
    return instant + draw.randint(-spread, spread)


def week():
    """Quiet hours by day: some days are none, some pass midnight, some begin before the last ones end."""
    days = draw.sample("1234567", draw.randint(1, 7))
    return {day: None if draw.random() < 0.25 else hours(draw.choice(WINDOWS)) for day in days}


def question(kind, now, **extra):
    zone = draw.choice(ZONES)
    preferences = {"check_ins_enabled": True, "frequency": "daily", "timezone": zone}
    line = {"kind": kind, "now": written(now), "user_id": f"{draw.getrandbits(128):032x}", "preferences": preferences, "rules": {}}
    digits = line["user_id"]
    line["user_id"] = "-".join([digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]])
    if draw.random() < 0.4:
        preferences["check_in_time"] = draw.choice(["00:00", "02:30", "07:45", "10:00", "23:45"])
    if draw.random() < 0.5:
        line["rules"]["quiet_end_jitter_minutes"] = draw.choice([10, 60, 240])
    if draw.random() < 0.3:
        line["rules"]["max_staleness_minutes"] = draw.choice([15, 600, 2880])
    if kind == "message":
        line["message"] = {"title": "server down", "body": "", "urgent": draw.random() < 0.15}
        if draw.random() < 0.3:
            preferences["allow_urgent"] = draw.random() < 0.5
        if draw.random() < 0.1:
            preferences["priority_keywords"] = ["down"]
    if kind == "reminder":
        due = now - draw.choice([0, 60, 899, 900, 901, 5 * HOUR])
        line["reminder"] = {"due_at": written(due), "recipient_is_author": draw.random() < 0.6}
    line.update(extra)
    return line


def kinds():
    return draw.choice(["check_in", "check_in", "message", "message", "reminder"])


def at(line, instant):
    line["now"] = written(instant)
    if "reminder" in line and draw.random() < 0.7:
        line["reminder"]["due_at"] = written(instant - draw.choice([0, 600, 899, 900, 901]))
    return line


def expiring(line, instant):
    part = line.get("message") or line.get("reminder")
    if part is not None and draw.random() < 0.6:
        part["expires_at"] = written(instant + draw.choice([-1, 0, 1, 60, 10 * HOUR]))
    return line


def mute():
    """Hot at mutes that end in quiet hours."""
    line = question(kinds(), near(seconds(draw.choice(CHANGES))))
    if draw.random() < 0.4:
        line["preferences"]["quiet_hours_by_day"] = week()
    start, end = draw.choice(WINDOWS)
    line["preferences"] |= {"quiet_hours_start": start, "quiet_hours_end": end}
    asked = Question(line)
    edges = [edge for interval in asked.intervals(asked.now) for edge in interval] or [asked.now]
    until = draw.choice(edges) + draw.choice([-1, 0, 1, HOUR, -HOUR])
    line["preferences"]["muted_until"] = written(until)
    wake = asked.wake_up(until, None) if asked.is_quiet(until) else until
    expiring(line, wake)
    if line["kind"] == "check_in" and draw.random() < 0.8:
        return at(line, asked.earliest(reference.local_date(asked.zone, until)) + draw.choice([0, 1, HOUR]))
    return at(line, until + draw.choice([-8 * HOUR, -HOUR, -1, -1, 0, 1]))


def by_day():
    """Hot at the edges of each day's window, across midnight and clock changes."""
    line = question(kinds(), near(seconds(draw.choice(CHANGES))))
    line["preferences"]["quiet_hours_by_day"] = week()
    if draw.random() < 0.3:
        start, end = draw.choice(WINDOWS)
        line["preferences"] |= {"quiet_hours_start": start, "quiet_hours_end": end}
    if draw.random() < 0.2:
        line["rules"]["quiet_hours"] = None
    asked = Question(line)
    edges = [edge for interval in asked.intervals(asked.now) for edge in interval if abs(edge - asked.now) < 4 * DAY] or [asked.now]
    now = draw.choice(edges) + draw.choice([-1, 0, 1, 900, -900, HOUR])
    if line["kind"] == "check_in" and draw.random() < 0.5:
        now = asked.earliest(reference.local_date(asked.zone, asked.now)) + draw.choice([-1, 0, 1, HOUR])
    if draw.random() < 0.2:
        line["rules"]["max_per_hour"] = 1
        line["sent"] = [written(now - draw.choice([1, 1800, 3599, 3600]))]
    expiring(line, asked.wake_up(now, None) if asked.is_quiet(now) else now)
    return at(line, now)


def ladder():
    """Steps of the ladder, beside the days that each frequency leaves out."""
    line = question("check_in", near(seconds("2026-06-10T12:00:00Z")))
    after = draw.choice([2, 3, 5, 50])
    step = draw.choice([0, 1, 1, 2, 2, 3])
    line["rules"]["back_off_after"] = after if draw.random() < 0.9 else None
    line["ignored"] = max(0, after * step + draw.choice([-1, 0, 0, 1]))
    line["preferences"]["frequency"] = draw.choice(["daily", "daily", "few_times_a_week", "weekly"])
    if draw.random() < 0.6:
        line["preferences"]["weekday"] = draw.randint(1, 7)
    for key, value in {"check_ins_enabled": False, "frequency": "never"}.items():
        if draw.random() < 0.05:
            line["preferences"][key] = value
    if draw.random() < 0.1:
        line["first_session_complete"] = False
    asked = Question(line)
    today = reference.local_date(asked.zone, asked.now)
    if draw.random() < 0.8:
        slots = [today - timedelta(days=days) for days in sorted(draw.sample(range(1, 9), draw.randint(1, 3)))]
        line["check_ins"] = [{"at": written(asked.earliest(slot)), "slot": slot.isoformat()} for slot in slots]
    return at(line, asked.earliest(today) + draw.choice([0, 1, HOUR, -1]))


WRONG = [0, 1, "false", "no", "", [], [False], {}, {"mail": False}, 1.5, None, "2026-13-01T00:00:00Z", "2026-02-30T10:00:00Z", "2026-05-07T24:00:00Z"]


def opt_out():
    """Opt-outs, well and badly written, at noon, when nothing else is in the way."""
    line = question(draw.choice(["message", "message", "reminder", "check_in"]), seconds("2026-05-07T12:00:00Z"))
    preferences = line["preferences"]
    preferences["timezone"] = "Europe/Berlin"
    if draw.random() < 0.5:
        preferences["reminders_enabled"] = draw.choice(WRONG + [True, False])
    if draw.random() < 0.3:
        preferences["messages_enabled"] = draw.choice([True, False, "no", None])
    category = draw.choice(["news", "News", "", "\u00e9", "e\u0301", None])
    if draw.random() < 0.8:
        member = draw.choice([True, False, False, None, "false", 0, [], {}])
        preferences["categories"] = draw.choice([{category or "news": member}, {category or "news": member, "other": draw.choice([False, 1])}, {}] + WRONG)
    if "message" in line:
        line["message"]["category"] = category
    if draw.random() < 0.25:
        preferences["muted_until"] = draw.choice(WRONG + ["2026-05-07T12:00:00+00:00", "2026-05-07t12:00:01Z", "0000-01-01T00:00:00Z", "2026-05-07T12:00:01Z"])
    if draw.random() < 0.25:
        entry = draw.choice([{"start": "10:00"}, {"start": "10:00", "end": "24:00"}, {"start": "10:00", "end": None}, [], "none", hours(("10:00", "16:00")), None])
        preferences["quiet_hours_by_day"] = draw.choice([{"4": entry}, {"4": entry, "5": 1}, {"8": entry}, {"monday": entry}] + WRONG)
    for key, values in {"pause_threshold_seconds": [59, 60, 300, 301, "120"], "active_conversation_threshold": [9, 10, 50, 51, 20.5]}.items():
        if draw.random() < 0.15:
            preferences[key] = draw.choice(values)
    return line


def seen():
    line = question("check_in", near(seconds("2026-06-10T12:00:00Z")))
    minutes = draw.choice([1, 30, 1440])
    line["rules"]["skip_if_active_minutes"] = minutes if draw.random() < 0.9 else None
    asked = Question(line)
    now = asked.earliest(reference.local_date(asked.zone, asked.now)) + draw.choice([0, HOUR])
    line["seen"] = written(now - minutes * 60 + draw.choice([-1, 0, 1, minutes * 60, minutes * 60 + HOUR])) if draw.random() < 0.9 else None
    return at(line, now)


def conversation():
    line = question("message", seconds("2026-05-07T12:00:00Z"))
    preferences = line["preferences"]
    preferences["timezone"] = "Europe/Berlin"
    preferences["smart_enabled"] = draw.choice([True, True, True, False, "true"])
    pause, most = draw.choice([(120, 20), (60, 10), (300, 50)])
    if (pause, most) != (120, 20):
        preferences |= {"pause_threshold_seconds": pause, "active_conversation_threshold": most}
    last = seconds(line["now"]) - pause + draw.choice([-1, 0, 1, pause, pause + 90])
    line["message"]["conversation"] = {"messages": most + draw.choice([-1, 0, 1]), "last_at": written(last)}
    return expiring(line, last + pause)


def without_zone():
    line = question(draw.choice(["message", "message", "message", "reminder"]), seconds("2026-05-07T12:00:00Z"))
    line["preferences"]["timezone"] = draw.choice(["CET", "Mars/Base"])
    now = seconds(line["now"])
    if "message" in line:
        for key in ("created_at", "deliver_at"):
            if draw.random() < 0.7:
                line["message"][key] = written(now - DAY + draw.choice([-1, 0, 1, 60]))
    if draw.random() < 0.2:
        line["preferences"]["quiet_hours_by_day"] = {day: None for day in draw.choice(["1234567", "123456"])}
    if draw.random() < 0.2:
        line["preferences"]["muted_until"] = written(now + 600)
    return expiring(line, now)


def silent():
    """What holds every message, beside what holds only those that disturb somebody."""
    line = question("message", seconds("2026-05-07T12:00:00Z"))
    now, preferences = seconds(line["now"]), line["preferences"]
    line["message"]["silent"] = draw.random() < 0.8
    if draw.random() < 0.3:
        preferences["timezone"] = "Mars/Base"
    if draw.random() < 0.5:
        preferences["quiet_hours_by_day"] = {day: hours(("00:00", "23:59")) for day in "1234567"}
    if draw.random() < 0.3:
        preferences["muted_until"] = draw.choice([written(now + 600), "never"])
    if draw.random() < 0.3:
        line["rules"]["max_per_hour"] = 1
        line["sent"] = [written(now)]
    if draw.random() < 0.3:
        preferences["smart_enabled"] = True
        line["message"]["conversation"] = {"messages": 50, "last_at": written(now)}
    if draw.random() < 0.3:
        line |= draw.choice([{"paused": True}, {"devices": 0}])
    if draw.random() < 0.1:
        preferences["messages_enabled"] = False
    if draw.random() < 0.2:
        line["message"]["deliver_at"] = written(now + draw.choice([-1, 0, 1]))
    return expiring(line, now)


def held_out():
    """The percentage that the user's hash is just in, or just out."""
    line = question("check_in", near(seconds("2026-06-10T12:00:00Z")))
    asked = Question(line)
    edge = reference.fnv1a64(asked.user + ":holdout") % 100
    line["rules"]["holdout_percent"] = draw.choice([None, 1, 50, *(max(1, min(50, edge + more)) for more in (0, 1, 2))])
    if draw.random() < 0.2:
        line["preferences"]["check_ins_enabled"] = False
    line["rules"]["skip_if_active_minutes"] = 30
    line["seen"] = draw.choice([None, written(asked.now - 60)])
    return at(line, asked.earliest(reference.local_date(asked.zone, asked.now)) + draw.choice([0, HOUR]))


CASES = [("mute", mute, 130), ("by-day", by_day, 140), ("ladder", ladder, 70), ("opt-out", opt_out, 90), ("seen", seen, 20), ("conversation", conversation, 30), ("zone", without_zone, 30),
    ("holdout", held_out, 30), ("silent", silent, 60)]  # fmt: skip


def main():
    for name, make, count in CASES:
        for number in range(count):
            line = {"id": f"{name}-{number}", **make()}
            print(json.dumps({**line, "expect": reference.decide(Question(line))}, ensure_ascii=False))


if __name__ == "__main__":
    main()
