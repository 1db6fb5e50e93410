import ArgumentParser
import JSON
import NudgedPreferences
import Policy
import Seeded
import TimeZones

struct Decide: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Measures decisions per second on one core.")

    @Option(help: "How many decisions to make.") var count = 1_000_000

    /// Evaluates up to 100,000 users again and again. A first pass, not measured, reads the zone files.
    func run() throws {
        let zones = ZoneDatabase()
        var population = CandidatePopulation(random: SplitMix64(seed: 1), zoneNames: zones.names)
        let questions = (0..<min(max(count, 1), 100_000)).map { _ in population.next() }
        // With every option set.
        let rules = Rules {
            $0.defaultTimezone = "Europe/Berlin"
            $0.spreadMinutes = 60
            $0.quietEndJitterMinutes = 15
            $0.maxPerHour = 4
            $0.maxPerDay = 10
        }
        let policy = Policy(rules: rules, zones: zones)
        var actions: [Action: Int] = [:]
        for question in questions {
            actions[try policy.decide(question.candidate, now: question.now).action, default: 0] += 1
        }
        var (taken, sends) = (0, 0)
        let start = monotonicSeconds()
        while taken < count {
            for question in questions.prefix(count - taken) {
                // The sum keeps the optimizer from removing the decision.
                if try policy.decide(question.candidate, now: question.now).action == .send { sends += 1 }
                taken += 1
            }
        }
        let seconds = max(monotonicSeconds() - start, 1e-9)
        precondition(sends >= 0)
        let text = actions.map { #""\#($0.key.rawValue)":\#($0.value)"# }.sorted().joined(separator: ",")
        print(
            #"{"count":\#(taken),"seconds":\#(seconds.text(3)),"decisions_per_second":"#
                + #"\#((Double(taken) / seconds).text(0)),"actions":{\#(text)}}"#
        )
    }
}

/// A seeded population like an app's: every zone, mixed preferences, and histories that fit the frequency.
struct CandidatePopulation {
    var random: SplitMix64
    let zoneNames: [String]

    mutating func next() -> (candidate: Candidate, now: Instant) {
        let now = Instant(seconds: 1_767_225_600 + Int64.random(in: 0..<31_536_000, using: &random))
        let frequency = ["daily", "daily", "few_times_a_week", "weekly"].randomElement(using: &random) ?? "daily"
        var candidate = Candidate(
            userID: random.uuid(),
            preferences: preferences(frequency),
            timezone: chance(10) ? nil : zoneNames.randomElement(using: &random),
            nudge: .checkIn
        )
        candidate.devices = chance(3) ? 0 : 1
        candidate.since = chance(20) ? now - Int64.random(in: 0..<2_000_000, using: &random) : nil
        candidate.history = history(frequency, before: now)
        candidate.nudge = nudge(at: now)
        return (candidate, now)
    }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    private mutating func time(_ hours: Range<Int>) -> JSONValue {
        let minutes = Int.random(in: hours, using: &random) * 60 + Int.random(in: 0..<4, using: &random) * 15
        return .string(TimeOfDay(minutes: minutes)?.description ?? "10:00")
    }

    private mutating func preferences(_ frequency: String) -> Preferences {
        if chance(3) { return Preferences(json: nil) }
        var object = JSONObject()
        object["check_ins_enabled"] = .bool(!chance(10))
        object["frequency"] = .string(frequency)
        if chance(50) { object["timezone"] = .string(zoneNames.randomElement(using: &random) ?? "UTC") }
        if chance(60) { object["check_in_time"] = time(7..<22) }
        if chance(30) {
            object["quiet_hours_start"] = time(20..<24)
            object["quiet_hours_end"] = time(5..<10)
        }
        if chance(20) {
            object["priority_keywords"] = .array([.string("urgent"), .string("server down"), .string("ASAP")])
        }
        if chance(10) { object["max_per_day"] = .int(3) }
        return Preferences(json: .object(object))
    }

    private mutating func history(_ frequency: String, before now: Instant) -> History {
        let days: Int64 = frequency == "daily" ? 1 : frequency == "weekly" ? 7 : 2
        var history = History()
        var at = now - Int64.random(in: 0..<days * 86_400, using: &random)
        for _ in 0..<Int.random(in: 0..<6, using: &random) {
            history.add(CheckIn(at: at, slot: LocalDate(days: Int32(at.seconds / 86_400))))
            at = at - days * 86_400
        }
        for _ in 0..<Int.random(in: 0..<4, using: &random) {
            history.add(sent: now - Int64.random(in: 0..<86_400, using: &random))
        }
        return history
    }

    private mutating func nudge(at now: Instant) -> Nudge {
        if chance(85) { return .checkIn }
        let expiresAt = chance(50) ? now + Int64.random(in: 60..<86_400, using: &random) : nil
        if chance(30) {
            let dueAt = now - Int64.random(in: -3600..<3600, using: &random)
            return .reminder(Reminder(dueAt: dueAt, expiresAt: expiresAt, recipientIsAuthor: chance(50)))
        }
        let body = "The nightly backup of your project has ended; it took a little longer than yesterday."
        var message = Message(title: "Backup", body: body, urgent: chance(10))
        message.expiresAt = expiresAt
        return .message(message)
    }
}
