import Foundation
import JSON
import NudgedPreferences
import Policy
import Seeded
import TestSupport
import Testing
import TimeZones

/// A year of one user, from each answer's `nextAt` to the next: what no single case can show.
struct YearTests {
    private struct Year {
        var sends: [CheckIn] = []
        var steps = 0
    }

    /// Steps through 2027 and checks every answer on the way.
    private func walk(_ start: Candidate, _ policy: Policy, from: Instant, days: Int64, _ context: String)
        throws -> Year
    {
        var candidate = start
        var year = Year()
        var now = from
        let end = from + days * 86_400
        while now < end, year.steps < 5000 {
            year.steps += 1
            let decision = try policy.decide(candidate, now: now)
            switch decision.action {
            case .send:
                guard let slot = decision.slot, let validUntil = decision.validUntil else {
                    Issue.record("\(context): a send lacks slot or valid_until")
                    return year
                }
                #expect(validUntil > now, "\(context)")
                let checkIn = CheckIn(at: now, slot: slot)
                year.sends.append(checkIn)
                // Until valid_until the answer stays, at it it is another.
                #expect(try policy.decide(candidate, now: validUntil - 1).action == .send, "\(context)")
                let later = try policy.decide(candidate, now: validUntil)
                #expect(later.action != .send || later.slot != slot, "\(context)")
                candidate.history.add(checkIn)
                candidate.history = candidate.history.trimmed(now: now, cap: 20)
            // The next step asks at the same instant: it must wait now.
            case .wait:
                guard let next = decision.nextAt, next > now else {
                    Issue.record("\(context): no step forward at \(now.rfc3339)")
                    return year
                }
                try verify(candidate, policy, now, decision, context)
                now = next
            case .hold, .drop:
                Issue.record("\(context): \(decision)")
                return year
            }
        }
        return year
    }

    /// Asked before `nextAt`, the policy sends nothing. But who waits for the end of quiet hours with a jitter would be sent to from that end on: there the
    /// page says to ask at `nextAt` and not before.
    private func verify(_ candidate: Candidate, _ policy: Policy, _ now: Instant, _ wait: Decision, _ context: String)
        throws
    {
        guard let next = wait.nextAt else { return }
        let jitter = wait.reason == .quietHours ? Int64(policy.rules.quietEndJitterMinutes) * 60 : 0
        let span = next - now
        for instant in [now + span / 3, now + span / 2, next - 1] where instant >= now && instant < next - jitter {
            let decision = try policy.decide(candidate, now: instant)
            #expect(decision.action == .wait, "\(context) at \(instant.rfc3339)")
        }
        let then = try policy.decide(candidate, now: next)
        #expect(then.nextAt != next, "\(context): \(next.rfc3339) changes nothing")
    }

    private struct Case {
        let candidate: Candidate
        let rules: Rules
        let zone: Zone
        let quiet: (start: TimeOfDay, end: TimeOfDay)
    }

    private func random(_ random: inout SplitMix64, _ name: String, _ frequency: Frequency) throws -> Case {
        let zone = try #require(try Fixture.zones.zone(named: name))
        let start = try #require(TimeOfDay(minutes: random.int(0...1439)))
        // Up to fifteen hours.
        let end = try #require(TimeOfDay(minutes: (start.minutes + random.int(30...900)) % 1440))
        var rules = Rules.defaults
        rules.spreadMinutes = random.pick([0, 60, 180])
        rules.quietHours = QuietHours(start: start, end: end)
        rules.quietEndJitterMinutes = random.pick([0, 15, 60])
        rules.maxStalenessMinutes = random.pick([60, 240, 1440])
        rules.maxPerDay = 5
        var object = JSONObject()
        object["check_ins_enabled"] = .bool(true)
        object["frequency"] = .string(frequency.rawValue)
        if random.chance(60) {
            object["check_in_time"] = .string(try #require(TimeOfDay(minutes: random.int(0...1439))).description)
        }
        if random.chance(50) { object["weekday"] = .int(Int64(random.int(1...7))) }
        var questions = RandomQuestions(seed: random.next())
        let id = try #require(UUID(uuidString: questions.uuid()))
        let preferences = Preferences(json: .object(object))
        let candidate = Candidate(userID: id, preferences: preferences, timezone: name, nudge: .checkIn)
        return Case(candidate: candidate, rules: rules, zone: zone, quiet: (start, end))
    }

    @Test(arguments: [Seeds.extra]) func year_whenSteppedFromNextToNext_keepsEveryPromise(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let names = Fixture.zoneNames
        // Every seed takes another quarter of the zones.
        for (index, name) in names.enumerated() where index % 4 == Int(seed % 4) {
            let frequency = [Frequency.daily, .fewTimesAWeek, .weekly][index % 3]
            let asked = try random(&generator, name, frequency)
            let policy = Policy(rules: asked.rules, zones: Fixture.zones)
            let from = Instant(seconds: 1_798_761_600 + Int64(generator.int(0...86_400)))
            let context = "seed \(seed) \(name) \(frequency)"
            let year = try walk(asked.candidate, policy, from: from, days: 365, context)
            check(year.sends, frequency, context)
            let quiet = NaiveQuiet(zone: asked.zone, start: asked.quiet.start.minutes, end: asked.quiet.end.minutes)
            for send in year.sends {
                let isQuiet =
                    quiet.isQuiet(send.at) ?? (index % 8 == Int(seed % 8) && quiet.isQuietNearTransition(send.at))
                #expect(!isQuiet, "\(context) sends in quiet at \(send.at.rfc3339)")
            }
        }
    }

    private func check(_ sends: [CheckIn], _ frequency: Frequency, _ context: String) {
        #expect(Set(sends.map(\.slot)).count == sends.count, "\(context): a slot twice")
        for (earlier, later) in zip(sends, sends.dropFirst()) {
            #expect(later.at > earlier.at && later.slot > earlier.slot, "\(context)")
            if frequency == .daily { #expect(later.at - earlier.at >= 12 * 3600, "\(context)") }
            if frequency == .fewTimesAWeek {
                #expect(later.at - earlier.at >= 36 * 3600 && later.slot - earlier.slot >= 2, "\(context)")
            }
            if frequency == .weekly { #expect(later.slot - earlier.slot >= 4, "\(context)") }
        }
        if frequency == .fewTimesAWeek {
            for (first, fourth) in zip(sends, sends.dropFirst(3)) {
                #expect(fourth.slot - first.slot >= 7, "\(context)")
            }
        }
        // Three in seven days are 156.4 a year; a start in mid-pattern and a late first slot move each count by one or two.
        let expected: ClosedRange<Int> =
            switch frequency {
            case .daily: 364...366
            case .fewTimesAWeek: 155...158
            case .weekly: 52...53
            }
        #expect(expected.contains(sends.count), "\(context): \(sends.count) sends")
    }
}

@Suite struct YearLongTests {
    @Test(arguments: Seeds.fixed) func year_whenSteppedFromNextToNext_keepsEveryPromise(seed: UInt64) throws {
        try YearTests().year_whenSteppedFromNextToNext_keepsEveryPromise(seed: seed)
    }
}
