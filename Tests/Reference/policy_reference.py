#!/usr/bin/env python3
"""A second, naive reading of docs/POLICY-SPEC.md, written from the page alone: the judge of the Swift one.

Reads the input lines of `nudged decide` on stdin and answers each with one line
{"id", "action", "reason", "next_at", "slot", "urgent", "valid_until"}. It is slow and checks no input: lines in error are not its matter.
Zones come from TZDIR, else /usr/share/zoneinfo, through zoneinfo, never from a package.
"""

import functools
import json
import os
import re
import sys
import unicodedata
import uuid
import zoneinfo
from datetime import date, datetime, timedelta, timezone

DIRECTORY = os.environ.get("TZDIR") or "/usr/share/zoneinfo"
HOUR, DAY = 3600, 86400
DEFAULT_RULES = {
    "default_timezone": None, "check_in_time": "10:00", "spread_minutes": 0,
    "quiet_hours": {"start": "22:00", "end": "08:00"}, "quiet_end_jitter_minutes": 0,
    "max_staleness_minutes": 240, "max_per_hour": None, "max_per_day": None,
    "skip_if_active_minutes": None, "back_off_after": None, "holdout_percent": None,
}  # fmt: skip


def seconds(text):
    """Unix seconds of an instant; None of none."""
    if text is None:
        return None
    return int(datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=timezone.utc).timestamp())


def written(instant):
    if instant is None:
        return None
    moment = datetime(1970, 1, 1) + timedelta(seconds=instant)
    return f"{moment.year:04}-{moment:%m-%dT%H:%M:%SZ}"


def fnv1a64(text):
    value = 0xCBF29CE484222325
    for byte in text.encode("ascii"):
        value = ((value ^ byte) * 0x100000001B3) % (1 << 64)
    return value


# Zones


@functools.lru_cache(maxsize=None)
def zone_named(name):
    if name not in ("UTC", "GMT", "UCT", "Universal", "Zulu", "Greenwich"):
        parts = name.split("/")
        if len(parts) < 2 or parts[0] in ("posix", "right"):
            return None
        if not all(re.fullmatch(r"[A-Za-z0-9_+-]+", part) for part in parts):
            return None
    path = os.path.join(DIRECTORY, name)
    if not os.path.isfile(path):
        return None
    with open(path, "rb") as file:
        if file.read(4) != b"TZif":
            return None
        file.seek(0)
        return zoneinfo.ZoneInfo.from_file(file, key=name)


@functools.lru_cache(maxsize=1 << 16)
def offset(zone, instant):
    return int(datetime.fromtimestamp(instant, zone).utcoffset().total_seconds())


def local_date(zone, instant):
    return datetime.fromtimestamp(instant, zone).date()


@functools.lru_cache(maxsize=1 << 16)
def resolve(zone, day, minutes, which):
    wall = datetime(day.year, day.month, day.day, minutes // 60, minutes % 60, tzinfo=zone)
    early = int(wall.replace(fold=0).timestamp())
    late = int(wall.replace(fold=1).timestamp())
    naive = wall.replace(tzinfo=None)
    shown = [datetime.fromtimestamp(t, zone).replace(tzinfo=None, fold=0) == naive for t in (early, late)]
    if any(shown):
        instants = [t for t, is_shown in zip((early, late), shown) if is_shown]
        return min(instants) if which == "first" else max(instants)
    # A gap: the transition lies between the two readings.
    low, high = min(early, late), max(early, late)
    before = offset(zone, low)
    while high - low > 1:
        middle = (low + high) // 2
        if offset(zone, middle) == before:
            low = middle
        else:
            high = middle
    return high


def minutes_of(text):
    return int(text[:2]) * 60 + int(text[3:])


# Preferences


def is_int(value, low, high=(1 << 63) - 1):
    return type(value) is int and low <= value <= high


def is_time(value):
    return isinstance(value, str) and re.fullmatch(r"([01][0-9]|2[0-3]):[0-5][0-9]", value) is not None


def is_instant(value):
    if not isinstance(value, str) or not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z", value):
        return False
    try:
        datetime.fromisoformat(value[:-1])
    except ValueError:
        return False
    return True


def is_day(value):
    """An entry of quiet_hours_by_day."""
    return value is None or isinstance(value, dict) and is_time(value.get("start")) and is_time(value.get("end"))


def weekdays(value):
    return {int(key): item for key, item in value.items() if key in "1 2 3 4 5 6 7".split()}


KNOWN = {
    "check_ins_enabled": lambda v: isinstance(v, bool),
    "frequency": lambda v: v in ("daily", "few_times_a_week", "weekly") and isinstance(v, str),
    "timezone": lambda v: isinstance(v, str),
    "check_in_time": is_time,
    "weekday": lambda v: is_int(v, 1, 7),
    "quiet_hours_start": is_time,
    "quiet_hours_end": is_time,
    "priority_keywords": lambda v: isinstance(v, list) and all(isinstance(w, str) for w in v),
    "allow_urgent": lambda v: isinstance(v, bool),
    "max_per_hour": lambda v: is_int(v, 1),
    "max_per_day": lambda v: is_int(v, 1),
    "messages_enabled": lambda v: isinstance(v, bool),
    "smart_enabled": lambda v: True,
    "max_analyses_per_hour": lambda v: is_int(v, 5, 20),
    "fallback_strategy": lambda v: v in ("simple_rules", "notify_all", "suppress_all") and isinstance(v, str),
    "muted_until": is_instant,
    "reminders_enabled": lambda v: isinstance(v, bool),
    "categories": lambda v: isinstance(v, dict) and all(isinstance(item, bool) for item in v.values()),
    "quiet_hours_by_day": lambda v: isinstance(v, dict) and all(map(is_day, weekdays(v).values())),
    "pause_threshold_seconds": lambda v: is_int(v, 60, 300),
    "active_conversation_threshold": lambda v: is_int(v, 10, 50),
}


def read_preferences(value):
    """(is malformed, the keys that hold)."""
    if value is None:
        return False, {}
    if not isinstance(value, dict):
        return True, {"allow_urgent": False}
    given = {key: item for key, item in value.items() if key in KNOWN and item is not None}
    valid = {key: item for key, item in given.items() if KNOWN[key](item)}
    malformed = len(valid) < len(given) or "check_ins_enabled" not in given or "frequency" not in given
    for key in ("allow_urgent", "messages_enabled", "reminders_enabled"):
        if key in given and key not in valid:
            valid[key] = False
    valid["badly_muted"] = "muted_until" in given and "muted_until" not in valid
    valid["categories"] = given.get("categories", {})
    by_day = given.get("quiet_hours_by_day", {})
    by_day = weekdays(by_day) if isinstance(by_day, dict) else {}
    valid["quiet_hours_by_day"] = {day: entry for day, entry in by_day.items() if is_day(entry)}
    halves = [key for key in ("quiet_hours_start", "quiet_hours_end") if key in valid]
    if len(halves) == 1:
        malformed = True
        del valid[halves[0]]
    return malformed, valid


# One question


class Question:
    def __init__(self, line):
        self.line = line
        self.now = seconds(line["now"])
        self.user = str(uuid.UUID(line["user_id"]))
        self.rules = {**DEFAULT_RULES, **line.get("rules", {})}
        self.malformed, self.preferences = read_preferences(line.get("preferences"))
        names = (self.preferences.get("timezone"), line.get("timezone"), self.rules["default_timezone"])
        self.zone = next((z for z in (zone_named(n) for n in names if n is not None) if z is not None), None)
        ahead = self.now + 48 * HOUR
        check_ins = [(seconds(c["at"]), date.fromisoformat(c["slot"])) for c in line.get("check_ins", [])]
        self.check_ins = [c for c in check_ins if c[0] <= ahead]
        self.sent = [t for t in map(seconds, line.get("sent", [])) if t <= ahead]
        self.closed = {date.fromisoformat(d) for d in line.get("closed", [])}
        self.since = seconds(line.get("since"))
        quiet = self.rules["quiet_hours"]
        if "quiet_hours_start" in self.preferences:
            quiet = {"start": self.preferences["quiet_hours_start"], "end": self.preferences["quiet_hours_end"]}
        by_day = self.preferences.get("quiet_hours_by_day", {})
        week = {day: by_day.get(day, quiet) for day in range(1, 8)}
        # By weekday: first and last minute. Only the days on which an interval begins.
        self.quiet = {
            day: (minutes_of(hours["start"]), minutes_of(hours["end"]))
            for day, hours in week.items()
            if hours is not None and hours["start"] != hours["end"]
        }
        given = line.get("preferences")
        self.smart = isinstance(given, dict) and given.get("smart_enabled") is True
        self.muted_until = seconds(self.preferences.get("muted_until"))
        spread = self.rules["quiet_end_jitter_minutes"] * 60
        self.jitter = fnv1a64(self.user + ":quiet") % spread if spread else 0

    # Quiet hours

    @functools.lru_cache(maxsize=None)
    def interval(self, day):
        if day.isoweekday() not in self.quiet:
            return 0, 0
        start, end = self.quiet[day.isoweekday()]
        last = day if end > start else day + timedelta(days=1)
        return resolve(self.zone, day, start, "first"), resolve(self.zone, last, end, "last")

    def intervals(self, instant):
        if not self.quiet or self.zone is None:
            return []
        middle = local_date(self.zone, instant)
        days = [middle + timedelta(days=d) for d in range(-4, 12)]
        return [(s, e) for s, e in map(self.interval, days) if s < e]

    def is_quiet(self, instant):
        return any(s <= instant < e for s, e in self.intervals(instant))

    def quiet_end(self, instant):
        while self.is_quiet(instant):
            instant = max(e for s, e in self.intervals(instant) if s <= instant < e)
        return instant

    def next_quiet(self, instant):
        """The first start of quiet hours after an instant; None where there are none."""
        return min((s for s, e in self.intervals(instant) if s > instant), default=None)

    def wake_up(self, instant, limit):
        end = self.quiet_end(instant)
        late = end + self.jitter
        if self.is_quiet(late) or (limit is not None and late >= limit):
            return end
        return late

    # Caps

    def free(self):
        """The earliest instant from now on at which both caps allow one more."""
        limits = []
        for key, window in (("max_per_hour", HOUR), ("max_per_day", DAY)):
            given = [n for n in (self.rules[key], self.preferences.get(key)) if n is not None]
            if given:
                limits.append((min(given), window))
        # The count falls only where a send leaves its window.
        instants = [self.now] + sorted(t + w for t in self.sent for _, w in limits if t + w > self.now)
        for instant in instants:
            if all(sum(t > instant - window for t in self.sent) < n for n, window in limits):
                return instant
        raise AssertionError("no instant is free")

    # Check-ins

    @functools.lru_cache(maxsize=None)
    def earliest(self, day):
        chosen = self.preferences.get("check_in_time")
        slot = resolve(self.zone, day, minutes_of(chosen or self.rules["check_in_time"]), "first")
        if chosen is None and self.rules["spread_minutes"]:
            slot += fnv1a64(self.user + ":spread") % (self.rules["spread_minutes"] * 60)
        return self.wake_up(slot, None) if self.is_quiet(slot) else slot

    def limit(self, day):
        return self.earliest(day) + self.rules["max_staleness_minutes"] * 60

    def is_open(self, day):
        return day not in self.closed and (self.since is None or self.earliest(day) >= self.since)

    def is_ok(self, day):
        frequency = self.frequency
        last = max((slot for _, slot in self.check_ins), default=None)
        latest = max((at for at, _ in self.check_ins), default=None)
        if frequency == "weekly":
            weekday = self.preferences.get("weekday") or 1 + fnv1a64(self.user) % 7
            anchor = day
            while anchor.isoweekday() != weekday:
                anchor -= timedelta(days=1)
            if (day - anchor).days > 2:
                return False
            if last is None:
                return True
            return not any(slot >= anchor for _, slot in self.check_ins) and (day - last).days >= 4
        if last is None:
            return True
        if frequency == "daily":
            return day > last and self.earliest(day) - latest >= 12 * HOUR
        week = [slot for _, slot in self.check_ins if day - timedelta(days=6) <= slot <= day]
        return (day - last).days >= 2 and self.earliest(day) - latest >= 36 * HOUR and len(week) < 3

    @property
    def frequency(self):
        """After the back-off; "dormant" is past weekly."""
        ladder = ["daily", "few_times_a_week", "weekly"]
        after = self.rules["back_off_after"]
        steps = 0 if after is None else self.line.get("ignored", 0) // after
        place = ladder.index(self.preferences["frequency"]) + steps
        return "dormant" if place > 2 else ladder[place]

    def next(self):
        day = local_date(self.zone, self.now) - timedelta(days=20)
        found = []
        for _ in range(20000):
            if self.earliest(day) > self.now and self.is_open(day) and self.is_ok(day):
                found.append(day)
            # A later date can come earlier only within the days that quiet hours can last.
            if found and (day - found[0]).days >= 14:
                return min(map(self.earliest, found))
            day += timedelta(days=1)
        raise AssertionError("no next slot")

    def check_in(self):
        line = self.line
        holds = [
            ("paused", line.get("paused", False)),
            ("not_opted_in", line.get("preferences") is None),
            ("preferences_malformed", self.malformed),
            ("disabled", not self.preferences.get("check_ins_enabled", True)),
            ("dormant", not self.malformed and self.preferences and self.frequency == "dormant"),
            ("first_session_incomplete", not line.get("first_session_complete", True)),
            ("no_device", line.get("devices", 1) == 0),
            ("timezone_unresolved", self.zone is None),
        ]
        for reason, holds_now in holds:
            if holds_now:
                return answer("hold", reason)
        today = local_date(self.zone, self.now)
        days = [today + timedelta(days=d) for d in range(-20, 5)]
        live = [d for d in days if self.is_open(d) and self.earliest(d) <= self.now < self.limit(d)]
        if not live:
            return answer("wait", "not_due", self.next())
        allowed = [d for d in live if self.is_ok(d)]
        if not allowed:
            return answer("wait", "frequency", self.next())
        day = max(allowed)
        limit = self.limit(day)
        if self.muted_until is not None and self.now < self.muted_until:
            wake = self.muted_until
            if self.is_quiet(wake):
                wake = self.wake_up(wake, limit)
            return answer("wait", "muted", wake if wake < limit else self.next())
        if self.is_quiet(self.now):
            awake = self.wake_up(self.now, limit)
            return answer("wait", "quiet_hours", awake if awake < limit else self.next())
        free = self.free()
        if free > self.now:
            if self.is_quiet(free):
                free = self.wake_up(free, limit)
            return answer("wait", "capped", free if free < limit else self.next())
        percent = self.rules["holdout_percent"]
        if percent is not None and fnv1a64(self.user + ":holdout") % 100 < percent:
            return answer("drop", "holdout", slot=day)
        minutes, seen = self.rules["skip_if_active_minutes"], seconds(line.get("seen"))
        if minutes is not None and seen is not None and self.now - seen < minutes * 60:
            return answer("drop", "active", slot=day)
        return answer("send", "due", slot=day, valid_until=earliest_of(limit, self.next_quiet(self.now)))

    # Messages and reminders

    def text(self, expires_at, is_urgent, quiet_from):
        """quiet_from: from which instant on quiet hours apply; None = never."""
        now = self.now
        if quiet_from is not None:
            muted = self.muted(expires_at, is_urgent, quiet_from)
            if muted:
                return muted
        if not self.quiet:
            quiet_from = None
        if quiet_from is not None and now >= quiet_from:
            if self.zone is None:
                return self.without_zone(is_urgent)
            if self.is_quiet(now):
                awake = self.wake_up(now, expires_at)
                if expires_at is not None and awake >= expires_at:
                    return answer("drop", "expires_in_quiet_hours", urgent=is_urgent)
                return answer("wait", "quiet_hours", awake, urgent=is_urgent)
        free = self.free()
        if free > now:
            if quiet_from is not None and free >= quiet_from and self.is_quiet(free):
                free = self.wake_up(free, expires_at)
            if expires_at is not None and free >= expires_at:
                return answer("drop", "expires_while_capped", urgent=is_urgent)
            return answer("wait", "capped", free, urgent=is_urgent)
        pause = None if is_urgent else self.pause_end()
        if pause is not None and now < pause:
            return answer("wait", "active_conversation", earliest_of(pause, expires_at), urgent=is_urgent)
        quiet = None
        if quiet_from is not None:
            if now >= quiet_from:
                quiet = self.next_quiet(now)
            elif self.zone is None or self.is_quiet(quiet_from):
                quiet = quiet_from
            else:
                quiet = self.next_quiet(quiet_from)
        return answer("send", "urgent" if is_urgent else "due", urgent=is_urgent, valid_until=earliest_of(expires_at, quiet))

    def muted(self, expires_at, is_urgent, quiet_from):
        if self.preferences.get("badly_muted"):
            return answer("hold", "muted", urgent=is_urgent)
        if self.muted_until is None or self.now >= self.muted_until:
            return None
        wake = self.muted_until
        if wake >= quiet_from and self.is_quiet(wake):
            wake = self.wake_up(wake, expires_at)
        if expires_at is not None and expires_at <= wake:
            return answer("drop", "expires_while_muted", urgent=is_urgent)
        return answer("wait", "muted", wake, urgent=is_urgent)

    def pause_end(self):
        """When the pause of an active conversation ends; None: it is not active, or nobody waits for it."""
        conversation = self.line["message"].get("conversation") if self.line["kind"] == "message" else None
        if conversation is None or not self.smart:
            return None
        if conversation["messages"] < self.preferences.get("active_conversation_threshold", 20):
            return None
        return min(seconds(conversation["last_at"]), self.now) + self.preferences.get("pause_threshold_seconds", 120)

    def without_zone(self, is_urgent):
        """Rule 7: a message has a day."""
        message = self.line["message"] if self.line["kind"] == "message" else {}
        begun = [t for t in (seconds(message.get("created_at")), seconds(message.get("deliver_at"))) if t is not None]
        if not begun:
            return answer("hold", "timezone_unresolved", urgent=is_urgent)
        if self.now - max(begun) >= DAY:
            return answer("drop", "expires_without_timezone", urgent=is_urgent)
        wake = earliest_of(max(begun) + DAY, seconds(message.get("expires_at")))
        return answer("wait", "timezone_unresolved", wake, urgent=is_urgent)

    def is_wanted(self):
        """Whether the user wants this message or reminder."""
        messages = self.preferences.get("messages_enabled", True)
        if self.line["kind"] == "reminder":
            return self.preferences.get("reminders_enabled", messages)
        category, categories = self.line["message"].get("category"), self.preferences.get("categories", {})
        if category is None:
            return messages
        return messages and isinstance(categories, dict) and categories.get(category, True) is True

    def ended(self, expires_at):
        if expires_at is not None and self.now >= expires_at:
            return answer("drop", "expired")
        if self.line.get("paused", False):
            return answer("hold", "paused")
        if not self.is_wanted():
            return answer("drop", "disabled")
        if self.line.get("devices", 1) == 0:
            return answer("drop", "no_device")
        return None

    def message(self):
        message = self.line["message"]
        deliver_at = seconds(message.get("deliver_at"))
        if deliver_at is not None and self.now < deliver_at:
            return answer("wait", "not_due", deliver_at)
        expires_at = seconds(message.get("expires_at"))
        ended = self.ended(expires_at)
        if ended:
            return ended
        texts = [tokens(message["title"]), tokens(message["body"])]
        words = [tokens(word) for word in self.preferences.get("priority_keywords", [])]
        is_urgent = message["urgent"] or any(occurs(word, text) for word in words for text in texts)
        if message.get("silent", False):
            return answer("send", "urgent" if is_urgent else "due", urgent=is_urgent, valid_until=expires_at)
        passes = is_urgent and self.preferences.get("allow_urgent", True)
        return self.text(expires_at, is_urgent, None if passes else self.now)

    def reminder(self):
        reminder = self.line["reminder"]
        due_at = seconds(reminder["due_at"])
        if self.now < due_at:
            return answer("wait", "not_due", due_at)
        expires_at = seconds(reminder.get("expires_at"))
        ended = self.ended(expires_at)
        if ended:
            return ended
        return self.text(expires_at, False, due_at + 900 if reminder["recipient_is_author"] else self.now)

    def __hash__(self):
        return id(self)

    def __eq__(self, other):
        return self is other


def earliest_of(*instants):
    return min((t for t in instants if t is not None), default=None)


def answer(action, reason, next_at=None, slot=None, urgent=False, valid_until=None):
    return {
        "action": action, "reason": reason, "next_at": written(next_at), "slot": slot and slot.isoformat(),
        "urgent": urgent, "valid_until": written(valid_until),
    }  # fmt: skip


# Keywords

ALONE = [
    (0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x3040, 0x30FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF), (0x20000, 0x2FFFF),
]  # fmt: skip


def tokens(text):
    found, run = [], ""
    for scalar in text:
        is_word = unicodedata.category(scalar)[0] in "LNM"
        is_alone = is_word and any(low <= ord(scalar) <= high for low, high in ALONE)
        if (not is_word or is_alone) and run:
            found.append(run)
            run = ""
        if is_alone:
            found.append(scalar.lower())
        elif is_word:
            run += scalar.lower()
    if run:
        found.append(run)
    return [unicodedata.normalize("NFD", token) for token in found]


def occurs(word, text):
    return bool(word) and any(text[i : i + len(word)] == word for i in range(len(text) - len(word) + 1))


def decide(question):
    return {"check_in": question.check_in, "message": question.message, "reminder": question.reminder}[question.line["kind"]]()


def main():
    for line in sys.stdin:
        question = Question(json.loads(line))
        print(json.dumps({"id": question.line["id"], **decide(question)}))


if __name__ == "__main__":
    main()
