import JSON
import NudgedPreferences
import TimeZones

/// The facts of the trace.
extension Policy {
    typealias Facts = Trace.Facts

    func zoneFacts(_ candidate: Candidate, _ zone: Zone? = nil, _ now: Instant? = nil) -> Facts {
        let given: Facts = [
            ("preferences", .text(candidate.preferences.timezone)), ("profile", .text(candidate.timezone)),
            ("rules", .text(rules.defaultTimezone)),
        ]
        guard let zone, let now else { return given + [("zone", .null)] }
        let (date, second) = zone.localTime(at: now)
        let clock = TimeOfDay(minutes: second / 60).map { "\($0):\(second % 60 < 10 ? "0" : "")\(second % 60)" }
        return given + [
            ("zone", .string(zone.name)), ("offset", .int(Int64(zone.offset(at: now)))),
            ("local_time", .string("\(date.iso)T\(clock ?? "")")),
        ]
    }

    func slotFacts(
        _ candidate: Candidate,
        _ calendar: CheckInCalendar,
        _ live: (date: LocalDate, earliest: Instant)?,
        _ now: Instant
    ) -> Facts {
        [
            ("check_in_time", .string((candidate.preferences.checkInTime ?? rules.checkInTime).description)),
            ("spread_seconds", .int(calendar.spread)), ("since", .instant(candidate.since)),
            ("slot", .date(live?.date)), ("slot_at", .instant(live.map { calendar.slot($0.date) })),
            ("earliest", .instant(live?.earliest)), ("limit", .instant(live.map { calendar.limit($0.earliest) })),
            ("closed", .int(Int64(candidate.history.closed.count))),
        ]
    }

    func paceFacts(_ pace: Pace, _ date: LocalDate?) -> Facts {
        [
            ("frequency", .string(pace.frequency.rawValue)), ("slot", .date(date)), ("last_slot", .date(pace.lastSlot)),
            ("last_at", .instant(pace.lastAt)),
            ("check_ins_in_7_days", .count(date.map { Int64(pace.count(from: $0 - 6, through: $0)) })),
            ("anchor", pace.frequency == .weekly ? .int(Int64(pace.anchor)) : .null),
        ]
    }

    func quietFacts(_ wakeUp: WakeUp, isQuiet: Bool, _ now: Instant, _ limit: Instant?) -> Facts {
        [
            ("quiet_hours", .string(wakeUp.quiet.hours.description)), ("quiet", .bool(isQuiet)),
            ("quiet_end", isQuiet ? .instant(wakeUp.quiet.quietEnd(now)) : .null),
            ("jitter_seconds", .int(wakeUp.jitter)),
            ("limit", .instant(limit)),
        ]
    }

    func capFacts(_ caps: Caps, _ sent: [Instant], _ now: Instant, _ free: Instant) -> Facts {
        [
            ("max_per_hour", .count(caps.perHour)),
            ("sent_in_hour", .int(Int64(Caps.count(sent, window: 3600, now: now)))),
            ("max_per_day", .count(caps.perDay)),
            ("sent_in_day", .int(Int64(Caps.count(sent, window: 86_400, now: now)))),
            ("free_at", .instant(free)),
        ]
    }
}
