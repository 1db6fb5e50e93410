import Base
import Postgres
import TimeZones

import struct FoundationEssentials.UUID

/// Fans out reminders for everyone: one row per recipient, in pages. The drain follows, so recipients are due at once.
actor FanOuts {
    /// Recipients per page: about ten milliseconds. Setting or cancelling this reminder waits for that.
    private static let membersAtOnce = 1_000
    private static let remindersAtOnce = 100
    /// The longest time for one call. A view over a million recipients must not delay the claims.
    private static let milliseconds: Int64 = 150

    private let delivery: DeliveryContext
    private var memory = FanOutMemory()

    init(_ delivery: DeliveryContext) { self.delivery = delivery }

    /// Returns whether more is left than the time allowed.
    func run(now: Instant) async throws(PostgresError) -> Bool {
        let end = BootTime.milliseconds() + Self.milliseconds
        guard let left = memory.left(at: BootTime.milliseconds()) else { return false }
        var refused: [(reminder: PendingReminder, error: PostgresError)] = []
        let due = try await delivery.store.dueFanOuts(now: now, except: left, limit: Self.remindersAtOnce) {
            refused.append(($0, $1))
        }
        for one in refused {
            delivery.onEvent(.fanOutFailed(one.reminder, error: one.error.description))
            memory.leave(one.reminder.id, at: BootTime.milliseconds())
        }
        for one in due {
            guard !delivery.isHalted, BootTime.milliseconds() < end else { return true }
            do throws(PostgresError) {
                if try await isLeft(one, now: now, until: end) { return true }
            } catch {
                // The app's view or a lock of the app failed. That concerns only this reminder.
                guard error.code == .refusedByServer else { throw error }
                delivery.onEvent(.fanOutFailed(one.reminder, error: error.description))
                // query_canceled: the statement timed out. The next reminder would read the same slow view.
                if error.sqlState == "57014" {
                    memory.rest(at: BootTime.milliseconds())
                    return false
                }
                memory.leave(one.reminder.id, at: BootTime.milliseconds())
            }
        }
        return due.count == Self.remindersAtOnce
    }

    /// Continues one fan-out, page after page. Returns whether time ran out before its end.
    private func isLeft(_ due: DueFanOut, now: Instant, until end: Int64) async throws(PostgresError) -> Bool {
        let decision: FanOutDecision
        do throws(TimeZoneError) {
            decision = try delivery.terms.planner.decide(due, now: now)
        } catch {
            delivery.onEvent(.zonesUnread(error, users: 1))
            memory.leave(due.reminder.id, at: BootTime.milliseconds())
            return false
        }
        var due = due
        while true {
            let step: FanOutStep
            switch decision {
            case .drop:
                try await delivery.store.drop(due, now: now)
                return false
            case .wait(let instant): step = try await delivery.store.wait(due, until: instant)
            case .tell(let next):
                let patience = Duration.milliseconds(memory.patience)
                var refused: [Refusal] = []
                step = try await delivery.store.tell(due, next: next, limit: Self.membersAtOnce, patience: patience) {
                    refused.append($0)
                }
                if !refused.isEmpty { delivery.onEvent(.noticed(refused.map(Notice.refused))) }
            }
            await delivery.hooks.reach(.afterFanOut)
            guard step != .held else {
                memory.leave(due.reminder.id, at: BootTime.milliseconds())
                return false
            }
            memory.wentOn(due.reminder.id)
            guard case .told(_, let last) = step else { return false }
            due = due.after(last)
            guard !delivery.isHalted, BootTime.milliseconds() < end else { return true }
        }
    }
}

/// Remembers fan-outs that failed: each is left out, longer each time, so that it delays no other. If the view does not
/// answer in time, all are left out, since each would delay the claims. In milliseconds of CLOCK_BOOTTIME.
struct FanOutMemory: Sendable {
    private static let pause: Int64 = 5_000
    private static let longestPause: Int64 = 600_000
    /// The view's first time-out. It doubles each time it was too short.
    private static let firstPatience: Int64 = 2_000

    private var left: [UUID: (until: Int64, failures: Int)] = [:]
    private var restsUntil: Int64 = .min
    private var timeouts = 0

    /// The fan-outs to leave out now. nil: all.
    func left(at now: Int64) -> [UUID]? { now < restsUntil ? nil : left.filter { $0.value.until > now }.map(\.key) }

    /// The view's time-out now, in milliseconds.
    var patience: Int64 { Self.firstPatience << Int64(min(timeouts, 10)) }

    mutating func leave(_ id: UUID, at now: Int64) {
        let failures = (left[id]?.failures ?? 0) + 1
        left[id] = (now + Self.pause(failures), failures)
        // Forget old ones. If they fail again, they are noted again.
        if left.count > 1_000 { left = left.filter { $0.value.until > now } }
    }

    mutating func rest(at now: Int64) {
        timeouts += 1
        // At least five times the next time-out, up to ten minutes: the view must not use up the time of the claims.
        restsUntil = now + max(Self.pause(timeouts), min(5 * patience, Self.longestPause))
    }

    mutating func wentOn(_ id: UUID) {
        left[id] = nil
        timeouts = 0
    }

    private static func pause(_ failures: Int) -> Int64 { min(pause << Int64(min(failures - 1, 10)), longestPause) }
}
