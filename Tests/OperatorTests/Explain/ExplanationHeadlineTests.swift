import Fixtures
@testable import Core
import Policy
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Operator

/// The first line of `nudged explain`, where times count; `Transcripts` have the other reasons. The user is in Tokyo
/// (+09:00) and has a daily check-in at 10:00.
@Suite struct ExplanationHeadlineTests {
    typealias F = PlannerFixture

    private static let daemonID = UUID(uuid: (9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9))
    private static let early = F.at("2026-11-20T00:00:00Z")
    private static let late = F.at("2026-11-20T02:00:00Z")

    private static func daemon(_ state: String = "{}", unseen: Int64 = 1000) -> DaemonRow {
        DaemonRow(id: daemonID, now: early, unseen: unseen, state: state)
    }

    private static func due(_ user: ClaimedUser, at instant: Instant) -> ClaimedUser {
        var changes = user.values
        changes.dueAt = instant.seconds * 1_000_000
        return ClaimedUser(changes)
    }

    private static func facts(_ user: ClaimedUser, owner: UUID? = daemonID) -> Explanation.Facts {
        Explanation.Facts(userID: user.userID, read: ReadUser(user: user, range: 3, owner: owner), daemons: [daemon()])
    }

    private static func explain(
        _ facts: Explanation.Facts,
        now: Instant,
        at: Instant? = nil,
        rules: Rules = .defaults
    ) -> Explanation {
        var planner = F.planner(rules)
        planner.paused = Set(facts.pauses.map(\.kind))
        return Explanation(facts, planner: planner, now: now, at: at)
    }

    private static let sent = History(
        checkIns: [CheckIn(at: F.at("2026-11-20T01:00:00Z"), slot: F.date("2026-11-20"))],
        sent: [F.at("2026-11-20T01:00:00Z")]
    )

    @Test func headline_ofACheckIn_saysWhenItIsSent() {
        let toCome = Self.explain(Self.facts(F.user()), now: Self.early)
        #expect(toCome.headline == "Next: a check-in today at 10:00 (Asia/Tokyo), to 1 device.")
        #expect(toCome.text(on: Screen(width: 80)).hasPrefix("\(toCome.headline)\n\nuser 01020304-"))
        let tomorrow = Self.explain(Self.facts(F.user(history: Self.sent)), now: Self.late)
        #expect(tomorrow.headline == "Next: a check-in tomorrow at 10:00 (Asia/Tokyo), to 1 device.")
        let due = Self.explain(Self.facts(F.user(devices: [F.device(1), F.device(2)])), now: Self.late)
        #expect(due.headline == "Next: a check-in with the next sweep, to 2 devices.")
        #expect(due.json.contains(#""in_the_way":[]"#), "\(due.json)")
    }

    @Test func headline_whenTheAppSawTheUser_namesTheNextCheckIn_andThePageSaysWhy() {
        var values = F.user().values
        values.seen = Self.late - 600
        let explanation = Self.explain(
            Self.facts(ClaimedUser(values)),
            now: Self.late,
            rules: Rules { $0.skipIfActiveMinutes = 30 }
        )
        #expect(explanation.headline == "Next: a check-in tomorrow at 10:00 (Asia/Tokyo), to 1 device.")
        let page = explanation.text(on: Screen(width: 100))
        for text in ["check_in 2026-11-20: skipped (active)", "active        drop", "the app last saw the user"] {
            #expect(page.contains(text), "\(text): \(page)")
        }
        #expect(!page.contains("ignored"))
    }

    /// The holdout lasts, whatever the user does. A skipped slot is followed by a wait, which is no reason.
    @Test func headline_whenTheUserIsHeldOut_saysSo() {
        let rules = Rules { $0.holdoutPercent = 100 }
        for now in [Self.early, Self.late] {
            let explanation = Self.explain(Self.facts(F.user()), now: now, rules: rules)
            let why = "the user is one of those who get no check-ins, for comparison (policy.holdoutPercent)"
            #expect(explanation.headline == "Nothing is planned: \(why), and no message or reminder waits.")
        }
    }

    @Test func headline_whenTheUserIgnoredAll_saysSo() {
        var values = F.user(history: Self.sent).values
        values.ignored = 15
        let rules = Rules { $0.backOffAfter = 5 }
        let ended = Self.explain(Self.facts(ClaimedUser(values)), now: Self.late, rules: rules)
        let why = "Nothing is planned: the user has ignored check-ins for so long that they have"
        #expect(ended.headline.hasPrefix(why))
        let page = ended.text(on: Screen(width: 100))
        #expect(page.contains("15 check-ins, the app has never seen the user"), "\(page)")
        values.seen = Self.late - 60
        let seen = Self.explain(Self.facts(ClaimedUser(values)), now: Self.late, rules: rules)
        #expect(seen.headline.hasPrefix("Next: a check-in tomorrow") && seen.ignored == 0)
        #expect(seen.text(on: Screen(width: 100)).contains("0 check-ins, since then"))
    }

    @Test func headline_whenNoDaemonRuns_saysSoAndWhatWaits() {
        var facts = Self.facts(Self.due(F.user(), at: F.at("2026-11-20T01:00:00Z")))
        facts.daemons = [Self.daemon(unseen: 120_000)]
        let due = Self.explain(facts, now: Self.late)
        #expect(due.headline == "Waits: no daemon runs. A check-in is due since 10:00 (Asia/Tokyo).")
        let start = "in the way       no daemon runs. Start one: systemctl start nudged."
        #expect(due.text(on: Screen(width: 100)).contains(start))
        #expect(due.json.contains(#""in_the_way":[{"cause":"no_daemon"}]"#), "\(due.json)")
        facts.daemons = []
        let next = "Waits: no daemon runs. Next would be a check-in today at 10:00 (Asia/Tokyo), to 1 device."
        #expect(Self.explain(facts, now: Self.early).headline == next)
    }

    @Test func headline_whenTheRangeHasNoLivingOwner_saysSo() {
        let free = Self.explain(Self.facts(F.user(), owner: nil), now: Self.late)
        #expect(free.headline == "Waits: no daemon owns range 3, which this user is in. A check-in is due.")
        let gone = Self.explain(Self.facts(F.user(), owner: F.userID), now: Self.late)
        #expect(gone.headline == "Waits: the daemon that owns the user's range is gone. A check-in is due.")
    }

    private static func lane(_ state: String, _ reason: String) -> String {
        #"{"lanes":[{"environment":"sandbox","topic":"com.example.app","state":"\#(state)","reason":"\#(reason)"}]}"#
    }

    @Test func headline_whenTheLaneIsStopped_saysWhy() {
        var facts = Self.facts(Self.due(F.user(), at: F.at("2026-11-20T01:00:00Z")))
        facts.daemons = [Self.daemon(Self.lane("stopped", "InvalidProviderToken"))]
        let due = "A check-in is due since 10:00 (Asia/Tokyo)."
        let stopped = "the lane sandbox com.example.app is stopped (Apple answers InvalidProviderToken)"
        #expect(Self.explain(facts, now: Self.late).headline == "Waits: \(stopped). \(due)")
        // A lane that tries again by itself keeps only back what is due.
        facts.daemons = [Self.daemon(Self.lane("backing_off", "Apple closes its connections"))]
        let waits = "the lane sandbox com.example.app waits before its next try (Apple closes its connections)"
        #expect(Self.explain(facts, now: Self.late).headline == "Waits: \(waits). \(due)")
        #expect(Self.explain(facts, now: Self.early).headline.hasPrefix("Next: a check-in today at 10:00"))
    }

    @Test func headline_whenCheckInsArePaused_saysWhoAndWhatIsHeld() {
        var facts = Self.facts(F.user())
        facts.pauses = [
            Pause(
                kind: .checkIn,
                since: Self.early,
                heldSince: Self.early,
                byWhom: "ops@web-1",
                reason: "a wrong text",
                resumedAt: nil
            )
        ]
        let explanation = Self.explain(facts, now: Self.late)
        let said = "Waits: check-ins are paused since 09:00 (ops@web-1: a wrong text). A check-in is due."
        #expect(explanation.headline == said)
        #expect(explanation.json.contains(#""next":null,"held":{"at":"2026-11-20T02:00:00Z""#), "\(explanation.json)")
    }

    @Test func headline_whenThereIsNoProfile_saysSo() {
        let user = F.user(preferences: nil)
        var facts = Self.facts(user)
        facts.read = ReadUser(user: user, range: 3, owner: Self.daemonID, hasProfile: false)
        let why = "nudged.recipient has no row of this user, and no message or reminder waits"
        #expect(Self.explain(facts, now: Self.late).headline == "Nothing is planned: \(why).")
    }

    // MARK: Another instant

    @Test func headline_whenTheInstantIsTomorrow_simulatesTheTimeBefore() {
        let explanation = Self.explain(Self.facts(F.user()), now: Self.early, at: F.at("2026-11-21T03:00:00Z"))
        let next = "Next: a check-in on Sunday 2026-11-22 at 10:00 (Asia/Tokyo), to 1 device."
        #expect(explanation.headline == "Then (tomorrow at 12:00, Asia/Tokyo): nothing is sent. \(next)")
        #expect(explanation.outlook?.before.map(\.at.rfc3339) == ["2026-11-20T01:00:00Z", "2026-11-21T01:00:00Z"])
        // The check-in of that day counts as sent: it is not skipped.
        #expect(explanation.plan?.records.isEmpty == true)
        let text = explanation.text(on: Screen(width: 100))
        #expect(text.contains("before that      2026-11-20 10:00:00 +09:00  a check-in, to 1 device"), "\(text)")
        #expect(!text.contains("\n  due "), "\(text)")
        let first = #"{"at":"2026-11-20T01:00:00Z","nudges":[{"kind":"check_in","key":"2026-11-20"}],"devices":1}"#
        #expect(explanation.json.contains(#""before":[\#(first),"#), "\(explanation.json)")
    }

    @Test func headline_whenTheInstantIsASlot_saysWhatIsSentThen() {
        var facts = Self.facts(F.user())
        let at = F.at("2026-11-21T01:00:00Z")
        let then = "Then (tomorrow at 10:00, Asia/Tokyo): a check-in is sent to 1 device."
        #expect(Self.explain(facts, now: Self.early, at: at).headline == then)
        facts.daemons = []
        #expect(Self.explain(facts, now: Self.early, at: at).headline == "\(then) But now no daemon runs.")
    }

    @Test func headline_whenTheInstantIsPast_countsTheRecord() {
        let record = DeliveryRecord(
            userID: F.userID,
            kind: "check_in",
            key: "2026-11-19",
            slot: F.date("2026-11-19"),
            deviceHash: "aa",
            outcome: .accepted,
            attemptedAt: F.at("2026-11-19T01:00:00Z")
        )
        var facts = Self.facts(F.user())
        facts.records = [record]
        let past = Self.explain(facts, now: Self.late, at: F.at("2026-11-19T12:00:00Z"))
        #expect(past.headline == "Past: from a day before to a day after this instant, the record has 1 accepted.")
        #expect(past.plan == nil && past.next == nil)
    }

    /// What is sent at one instant is one sentence.
    @Test func text_whenSeveralNudgesAreSent_countsThem() {
        let messages = ([1, 2] as [UInt8]).map { number in
            PendingMessage(id: ReminderFixture.id(number), createdAt: Self.early, title: "Ann", body: "x")
        }
        let explanation = Self.explain(Self.facts(F.user(messages: messages)), now: Self.late)
        #expect(explanation.headline == "Next: 2 messages and a check-in with the next sweep, to 1 device.")
    }
}
