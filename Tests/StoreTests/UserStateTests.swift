import Policy
import Seeded
import TestSupport
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Core

/// The values that only the daemon writes and reads: a user's state, and a user's part of an intent.
struct UserStateTests {
    private static let userID = F.user(1)
    private static let attemptedAt = F.now.microseconds + 7

    private static func state(_ random: inout SplitMix64) -> UserState {
        func instant() -> Instant {
            guard random.chance(5) else { return F.now - Int64(random.int(0...9_000_000)) }
            return Instant(seconds: Int64(bitPattern: random.next()))
        }
        func slot() -> LocalDate {
            LocalDate(days: random.chance(5) ? random.pick([0, 2_932_896]) : F.slot.days - Int32(random.int(0...99)))
        }
        return UserState(
            fingerprint: random.chance(20) ? nil : Int64(bitPattern: random.next()),
            template: random.chance(50) ? nil : random.pick([1, 7, .min, .max]),
            history: History(
                checkIns: (0..<random.int(0...9)).map { _ in CheckIn(at: instant(), slot: slot()) },
                closed: (0..<random.int(0...9)).map { _ in slot() },
                sent: (0..<random.int(0...99)).map { _ in instant() },
                unseen: random.chance(50) ? nil : UnseenPushes(count: random.pick([1, 7, .max]), lastAt: instant())
            )
        )
    }

    private static func due(_ random: inout SplitMix64) -> PendingReminder.Due {
        random.chance(50) ? .at(F.now + Int64(random.int(0...999))) : .local(local(&random))
    }

    private static func local(_ random: inout SplitMix64) -> LocalDateTime {
        LocalDateTime(F.slot + random.int(0...99), secondOfDay: random.int(0...86_399))
    }

    private static func record(_ random: inout SplitMix64) -> DeliveryRecord {
        let isPush = random.chance(50)
        let kind = random.pick(NudgeKind.allCases)
        return DeliveryRecord(
            userID: userID,
            kind: kind.rawValue,
            key: random.pick(["2026-11-20", UUID().uuidString, ""]),
            slot: kind == .checkIn ? F.slot - random.int(0...9) : nil,
            deviceHash: isPush ? "00000000000000aa" : "",
            apnsID: isPush ? UUID() : nil,
            outcome: isPush ? .unknown : random.pick(DeliveryRecord.Outcome.allCases),
            reason: isPush ? "daemon_lost" : random.pick([nil, "stale", "é\u{0}\"\\"]),
            status: isPush ? nil : random.pick([nil, 410]),
            attemptedAt: isPush ? F.now : F.now - Int64(random.int(0...99_999)),
            fraction: isPush ? 7 : 0,
            decision: random.chance(30) ? #"{"by": "service", "reason": "🔥"}"# : nil,
            template: random.chance(30) ? Int32(random.int(0...9)) : nil
        )
    }

    private static func change(_ random: inout SplitMix64) -> Change {
        let at = F.now - Int64(random.int(0...99))
        return Change(
            userID: userID,
            turn: Int32(random.int(0...9)),
            version: nil,
            dueAt: at,
            evaluatedAt: at,
            since: random.chance(50) ? at - 86_400 : nil,
            state: state(&random),
            retry: random.pick([nil, "[]", "é"]),
            records: (0..<random.int(0...9)).map { _ in record(&random) },
            ended: (0..<random.int(0...3)).map { _ in UUID() },
            continued: (0..<random.int(0...3)).map { _ in
                ReminderContinuation(
                    userID: userID,
                    id: UUID(),
                    number: random.int(0...999),
                    first: due(&random),
                    planned: local(&random),
                    due: due(&random),
                    instant: at
                )
            }
        )
    }

    private static func read(_ content: [UInt8], turn: Int32) -> Change? {
        Change(userID: userID, turn: turn, content: content, attemptedAt: attemptedAt, reason: "daemon_lost")
    }

    @Test(arguments: [1, Seeds.extra]) func values_whenWrittenAndRead_areEqual(seed: UInt64) {
        print("seed \(seed)")
        var random = SplitMix64(seed: seed)
        for number in 0..<2_000 {
            let state = Self.state(&random)
            #expect(UserState(bytes: state.bytes) == state, "seed \(seed), state \(number)")
            let change = Self.change(&random)
            #expect(Self.read(change.content, turn: change.turn) == change, "seed \(seed), change \(number)")
        }
    }

    /// A part of a value, a value and more, and the next format are not read.
    @Test(arguments: [1, Seeds.extra]) func values_whenCutOrLonger_areNotRead(seed: UInt64) {
        print("seed \(seed)")
        var random = SplitMix64(seed: seed)
        let state = Self.state(&random).bytes
        let content = Self.change(&random).content
        for count in 0..<state.count { #expect(UserState(bytes: Array(state.prefix(count))) == nil) }
        for count in 0..<content.count { #expect(Self.read(Array(content.prefix(count)), turn: 1) == nil) }
        #expect(UserState(bytes: state + [0]) == nil && UserState(bytes: [3] + state.dropFirst()) == nil)
        #expect(Self.read(content + [0], turn: 1) == nil && Self.read([2] + content.dropFirst(), turn: 1) == nil)
    }

    /// What older daemons wrote is read, and what needs no newer format has none.
    @Test func state_whenNothingIsUnseen_hasTheFirstFormat() {
        let state = UserState(fingerprint: 7, history: History(sent: [F.now]))
        #expect(state.bytes.first == 1)
        // A count that no daemon writes is none.
        let hostile = [2] + state.bytes.dropFirst() + [0, 0]
        #expect(UserState(bytes: hostile) == state)
    }

    /// Three sends and a check-in a day, for a week.
    @Test func state_whenItIsOfAWeek_isSmall() {
        let sent = (0..<21).map { F.now - Int64($0) * 28_800 }
        let checkIns = (0..<7).map { CheckIn(at: F.now - Int64($0) * 86_400, slot: F.slot - $0) }
        let state = UserState(fingerprint: .max, template: 7, history: History(checkIns: checkIns, sent: sent))
        #expect(state.bytes.count < 150, "\(state.bytes.count) bytes")
    }
}
