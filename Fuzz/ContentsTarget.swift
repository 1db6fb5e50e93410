import Fixtures
import Policy
import TimeZones

import struct FoundationEssentials.UUID

@testable import Core

/// Reads the input as a value that only the daemon writes: a user's state, or a user's part of an intent.
///
/// The first byte chooses. Whatever the bytes are, they are read within their bounds, and what was read can be written
/// and read again.
enum ContentsTarget {
    private static let attemptedAt = PlannerFixture.at("2026-11-20T01:00:00Z").microseconds + 7

    static func run(_ input: UnsafeRawBufferPointer) -> Int32 {
        guard let head = input.first else { return -1 }
        let bytes = Array(input.dropFirst())
        if head & 1 == 0 { checkState(bytes) } else { checkChange(bytes) }
        return 0
    }

    private static func checkState(_ bytes: [UInt8]) {
        guard let state = UserState(bytes: bytes) else { return }
        let history = state.history
        let count = history.sent.count + history.checkIns.count + history.closed.count
        require(count <= bytes.count, "more elements than bytes")
        let days = history.checkIns.map(\.slot.days) + history.closed.map(\.days)
        require(days.allSatisfy { (0...2_932_896).contains($0) }, "a slot that is no date")
        require(UserState(bytes: state.bytes) == state, "another state")
        require(state.bytes.count <= 10 * bytes.count, "a state that grows")
    }

    private static func checkChange(_ bytes: [UInt8]) {
        guard let change = read(bytes) else { return }
        let count = change.records.count + change.ended.count + change.continued.count
        require(count <= bytes.count, "more elements than bytes")
        require(change.version == nil && change.staleTokens.isEmpty, "what no intent holds")
        require(change.records.allSatisfy { $0.userID == PlannerFixture.userID }, "a record of another user")
        let pushes = change.records.filter { $0.apnsID != nil }
        require(pushes.allSatisfy { $0.attemptedAtMicroseconds == attemptedAt }, "a push at another instant")
        require(pushes.allSatisfy { $0.reason == "daemon_lost" && $0.status == nil }, "a push that was answered")
        require(read(change.content) == change, "another change")
        // As a settlement writes it.
        _ = ReminderContinuation.json(change.continued)
        _ = change.records.map { ($0.attemptedAtMicroseconds, $0.decision?.asciiJSON) }
    }

    private static func read(_ bytes: [UInt8]) -> Change? {
        Change(
            userID: PlannerFixture.userID,
            turn: 1,
            content: bytes,
            attemptedAt: attemptedAt,
            reason: "daemon_lost"
        )
    }

    // MARK: Seeds

    static var seeds: [[UInt8]] {
        let now = PlannerFixture.at("2026-11-20T01:00:00Z")
        let slot = PlannerFixture.date("2026-11-20")
        let states = [
            UserState(), UserState(fingerprint: .min, template: .max),
            UserState(
                fingerprint: 7,
                history: History(
                    checkIns: [CheckIn(at: now, slot: slot), CheckIn(at: now - 86_400, slot: slot - 1)],
                    closed: [slot - 2],
                    sent: [now, now - 60, now - 86_400],
                    unseen: UnseenPushes(count: 3, lastAt: now)
                )
            ),
        ]
        let planned = LocalDateTime(slot + 1, secondOfDay: 32_400)
        let continuation = ReminderContinuation(
            userID: PlannerFixture.userID,
            id: ReminderFixture.id(1),
            number: 2,
            first: .at(now),
            planned: planned,
            due: .local(planned),
            instant: now + 86_400
        )
        let changes = states.map { state in
            Change(
                userID: PlannerFixture.userID,
                turn: 1,
                version: nil,
                dueAt: now,
                evaluatedAt: now,
                since: state.fingerprint.map { _ in now },
                state: state,
                retry: "[]",
                records: [record(.unknown, ReminderFixture.id(7)), record(.skipped, nil)],
                ended: [ReminderFixture.id(1)],
                continued: [continuation]
            )
        }
        return states.map { [0] + $0.bytes } + changes.map { [1] + $0.content }
    }

    private static func record(_ outcome: DeliveryRecord.Outcome, _ apnsID: UUID?) -> DeliveryRecord {
        DeliveryRecord(
            userID: PlannerFixture.userID,
            kind: "check_in",
            key: "2026-11-20",
            slot: PlannerFixture.date("2026-11-20"),
            deviceHash: "a",
            apnsID: apnsID,
            outcome: outcome,
            reason: "late",
            status: 400,
            attemptedAt: PlannerFixture.at("2026-11-20T01:00:00Z"),
            decision: #"{"by":"service"}"#,
            template: 3
        )
    }
}
