import Planning
import Postgres
import Store
import TimeZones

/// Reminders for everyone become one row per member, in pages, before the changes are drained: their members are due in this very sweep.
actor FanOuts {
    /// Members of a page: some ten milliseconds in which whoever sets or cancels this very reminder waits.
    private static let membersAtOnce = 1_000
    private static let remindersAtOnce = 100
    /// A view over a million members must not keep the claims waiting.
    private static let milliseconds: Int64 = 150

    private let delivery: DeliveryContext
    private var memory = SpreadMemory()

    init(_ delivery: DeliveryContext) { self.delivery = delivery }

    /// Returns whether more is left than the time was for.
    func run(now: Instant) async throws(PostgresError) -> Bool {
        let end = BootTime.milliseconds() + Self.milliseconds
        guard let left = memory.left(at: BootTime.milliseconds()) else { return false }
        let due = try await delivery.store.dueSpreads(now: now, except: left, limit: Self.remindersAtOnce)
        for one in due {
            guard !delivery.isHalted, BootTime.milliseconds() < end else { return true }
            do throws(PostgresError) {
                if try await isLeft(one, now: now, until: end) { return true }
            } catch {
                // The app's view, or a lock of the app's: that is this reminder's trouble and nobody else's.
                guard error.code == .refusedByServer else { throw error }
                delivery.onEvent(.spreadFailed(one.reminder, error: error.description))
                // query_canceled: the time-out. The next one would wait for the same view.
                if error.sqlState == "57014" {
                    memory.rest(at: BootTime.milliseconds())
                    return false
                }
                memory.leave(one.reminder.id, at: BootTime.milliseconds())
            }
        }
        return due.count == Self.remindersAtOnce
    }

    /// Goes on with one, page after page. Returns whether it is to be gone on with later.
    private func isLeft(_ due: DueSpread, now: Instant, until end: Int64) async throws(PostgresError) -> Bool {
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
            let step: SpreadStep
            switch decision {
            case .drop:
                try await delivery.store.drop(due, now: now)
                return false
            case .wait(let instant): step = try await delivery.store.wait(due, until: instant)
            case .tell(let next):
                let patience = Duration.milliseconds(memory.patience)
                step = try await delivery.store.tell(due, next: next, limit: Self.membersAtOnce, patience: patience)
            }
            await delivery.hooks.reach(.afterSpread)
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
