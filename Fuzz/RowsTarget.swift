import APNs
import Fixtures
import JSON
import NudgedPreferences
import Policy
import TimeZones

import struct FoundationEssentials.UUID

@testable import Configuration
@testable import Core
@testable import Postgres

/// Reads the input as PostgreSQL's answers to a claim: any bytes in any column, with any type. What can be read is
/// planned. Where the first byte is even, the input is a single cell for every reader.
enum RowsTarget {
    private static let id = PlannerFixture.userID
    private static let now = PlannerFixture.at("2026-11-20T01:30:00Z")
    private static let base: Planner = {
        // With jitter and limits, so that every loop of the policy is reached.
        var planner = PlannerFixture.planner(
            Rules { ($0.spreadMinutes, $0.quietEndJitterMinutes, $0.maxPerHour) = (60, 60, 5) }
        )
        planner.asksService = true
        return planner
    }()

    static func run(_ input: [UInt8]) async -> Int32 {
        var drawn = DrawnInput(input)
        let head = drawn.byte()
        if head & 1 == 0 {
            checkCell(&drawn)
            return 0
        }
        var results: [DrawnResult: Rows] = [:]
        let user = withUnsafeBytes(of: id.uuid) { Array($0) }
        for result in DrawnResult.allCases { results[result] = result.draw(from: &drawn, user: user) }
        do throws(PostgresError) {
            try await checkClaim(results, isDistributed: head & 2 != 0)
        } catch {
            checkError(error)
        }
        return 0
    }

    // MARK: A claim

    private static func checkClaim(
        _ results: [DrawnResult: Rows],
        isDistributed: Bool
    ) async throws(PostgresError) {
        func parts(of user: ClaimedUser.Values) async throws(PostgresError) -> UserParts? {
            try await UserParts.read([user], until: now.endOfSecond, bytes: .max, isDistributed: isDistributed) {
                (statements) async throws(PostgresError) in
                statements.compactMap { statement in
                    // `claim_devices_bounded` reads the same columns as `claim_devices`.
                    DrawnResult.allCases.first { statement.name.hasPrefix($0.rawValue) }.flatMap { results[$0] }
                }
            }
        }
        let stranger = try await parts(of: ClaimedUser.Values(stranger: id))
        guard stranger != nil, let people = results[.people], let texts = results[.templates] else {
            return require(false, "no parts of a single user")
        }
        var planner = base
        planner.checkInTexts = CheckInTexts(templates: (try? texts.decoded(StoredTemplate.init)) ?? [])
        for row in 0..<people.count {
            do throws(PostgresError) {
                let user = try await parts(of: try ClaimedUser.Values(people, row))?.user(0)
                // A series from 1970 to now takes a while, so one of them is enough.
                if row == 0, let user { checkUser(user, planner) }
            } catch {
                checkError(error)
            }
        }
    }

    /// What can't be read is named by statement and column, never by value.
    private static func checkError(_ error: PostgresError) {
        let columns = DrawnResult.allCases.flatMap(\.columns).map { "column \($0.name)" }
        require(error.code == .unexpectedResult, "\(error.code)")
        let isNamed = error.object.map { columns.contains($0) || $0 == "nudged.person.state" } ?? false
        require(isNamed || error.detail?.hasPrefix("no cell") == true, "an error that names no column: \(error)")
        require(error.description.utf8.count <= 400, "an error of \(error.description.utf8.count) bytes")
    }

    private static func checkUser(_ user: ClaimedUser, _ planner: Planner) {
        for checkIn in user.history.checkIns {
            require((0...2_932_896).contains(checkIn.slot.days), "a slot that is no date: \(checkIn.slot.days)")
        }
        switch planner.plan(user, now: now) {
        case .nothing(let change, _, _): check(change)
        case .send(let plan, _):
            for nudge in plan.nudges { checkNudge(nudge, user) }
            checkOptIn(plan, user, planner.parsed(user.preferences))
            checkAnnounced(planner.announced(plan, attemptedAt: now))
            let outcomes = Array(repeating: PushOutcome.accepted, count: plan.pushCount)
            check(planner.settle(plan, outcomes: outcomes, attemptedAt: now, now: now))
        case .unreadable: break
        }
    }

    /// The user is evaluated again within a day, and what is written can be read again.
    private static func check(_ change: Change) {
        require(change.dueAt > now && change.dueAt <= now + 86_400, "due at \(change.dueAt.seconds)")
        let history = change.state.history
        require(history.checkIns.count <= 64 && history.closed.count <= 64, "a history that grows")
        require(UserState(bytes: change.state.bytes) == change.state, "a state that reads differently")
        checkRetry(change.retry)
    }

    /// What an intent holds is what recovery records.
    private static func checkAnnounced(_ change: Change) {
        let read = Change(
            userID: change.userID,
            turn: change.turn,
            content: change.content,
            attemptedAt: now.seconds * 1_000_000,
            reason: ""
        )
        require(read?.state == change.state && read?.records == change.records, "an intent that reads differently")
        checkRetry(change.retry)
    }

    private static func checkRetry(_ retry: String?) {
        guard let retry else { return }
        require((try? JSONValue(parsing: retry)) != nil, "a retry that is no JSON")
        require(!Retry.all(json: retry).isEmpty, "a retry that can't be read")
    }

    private static func checkNudge(_ nudge: PlannedNudge, _ user: ClaimedUser) {
        let devices = Set(user.devices.map(\.token))
        require(nudge.targets.allSatisfy { devices.contains($0.device.token) }, "a device of nobody")
        require(Set(nudge.targets.map(\.hash)).count == nudge.targets.count, "a device twice")
        require(nudge.validUntil.map { $0 > now } ?? true, "an answer that has ended")
        let payload = nudge.payload
        // Data is copied as the row has it, with any white space.
        let isClean = payload.allSatisfy { $0 >= 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
        require(isClean, "a control character in a payload")
        require((try? JSONValue(parsing: payload)) != nil, "a payload that is no JSON")
        require(payload.count <= 4_096 || nudge.identity.kind != .checkIn, "\(payload.count) bytes")
    }

    /// Only what the user wants is sent. Without an earlier attempt: one that counts ends under its first answer.
    private static func checkOptIn(_ plan: SendPlan, _ user: ClaimedUser, _ preferences: Preferences) {
        require(preferences.smartEnabled || !plan.isToBeAsked, "the decision service without a consent")
        guard user.retry == nil else { return }
        let kinds = Set(plan.nudges.map(\.identity.kind))
        let isOn = preferences.malformed == nil && preferences.checkInsEnabled == true && user.firstSessionComplete
        require(isOn || !kinds.contains(.checkIn), "a check-in for a user who did not opt in")
        let isCheckIn = kinds.allSatisfy { $0 == .checkIn }
        require(preferences.messagesEnabled || isCheckIn, "a message for a user who wants none")
    }

    // MARK: A cell

    /// Any bytes of any type, for each reader: a value, or an error that names the column.
    private static func checkCell(_ input: inout DrawnInput) {
        let oid = DrawnResult.oid(Int(input.byte()))
        let flags = input.byte()
        let value = input.bytes(.max)
        let rows = DrawnResult.rows(
            "a_cell",
            ["token"],
            [oid],
            [[flags & 1 != 0 ? nil : value]],
            format: flags & 2 != 0 ? 0 : 1
        )
        checkScalars(rows)
        checkArrays(rows, value.count)
        require((try? rows.isNull(0, 0)) == (flags & 1 != 0), "NULL or not")
        let text = (try? rows.text(0, 0)) ?? ""
        // A wrong byte becomes U+FFFD, of three bytes.
        require(text.utf8.count <= 3 * value.count, "a text of \(text.utf8.count) bytes")
    }

    private static func checkScalars(_ rows: Rows) {
        checkReader(rows.int8)
        checkReader(rows.int8OrNull)
        checkReader(rows.int4)
        checkReader(rows.int4OrNull)
        checkReader(rows.int2OrNull)
        checkReader(rows.bool)
        checkReader(rows.boolOrNull)
        checkReader(rows.text)
        checkReader(rows.textOrNull)
        checkReader(rows.bytes)
        checkReader(rows.bytesOrNull)
        checkReader(rows.uuid)
        checkReader(rows.uuidOrNull)
        checkReader(rows.timestamp)
        checkReader(rows.timestampOrNull)
        checkReader(rows.reachableTimestampOrNull)
        checkReader(rows.dateOrNull)
    }

    private static func checkArrays(_ rows: Rows, _ size: Int) {
        checkList(rows.int4Array, size)
        checkList(rows.int2Array, size)
        checkList(rows.textArray, size)
        checkList(rows.bytesArray, size)
        checkList(rows.uuidArray, size)
        checkList(rows.timestampArray, size)
    }

    /// Each element has at least its length word.
    private static func checkList<T>(_ read: (Int, Int) throws(PostgresError) -> [T], _ size: Int) {
        checkReader(read)
        require((try? read(0, 0))?.count ?? 0 <= size / 4, "more elements than bytes")
    }

    private static func checkReader<T>(_ read: (Int, Int) throws(PostgresError) -> T) {
        do throws(PostgresError) {
            _ = try read(0, 0)
        } catch {
            checkError(error)
        }
        for (row, column) in [(-1, 0), (1, 0), (0, -1), (0, 1), (Int.max, Int.min)] {
            do throws(PostgresError) {
                _ = try read(row, column)
                require(false, "a cell outside of the result")
            } catch {
                checkError(error)
            }
        }
    }
}
