import Planning
import Postgres
import Store
import TimeZones

/// Reminders for everyone become one row per member, in pages, before the changes are drained: who is told is due in this very sweep.
extension Sweeper {
    /// Members of a page: some ten milliseconds in which whoever sets or cancels this very reminder waits.
    private static let membersAtOnce = 1_000
    private static let spreadsAtOnce = 100
    /// A view over a million members must not keep the claims waiting.
    private static let spreadMilliseconds: Int64 = 150

    /// Returns whether more is left than the time was for.
    func spread(now: Instant) async throws(PostgresError) -> Bool {
        let end = BootTime.milliseconds() + Self.spreadMilliseconds
        guard let left = spreadMemory.left(at: BootTime.milliseconds()) else { return false }
        let spreads = try await store.dueSpreads(now: now, except: left, limit: Self.spreadsAtOnce)
        for spread in spreads {
            guard !isStopping, BootTime.milliseconds() < end else { return true }
            do throws(PostgresError) {
                if try await isLeft(spread, now: now, until: end) { return true }
            } catch {
                // The app's view, or a lock of the app's: that is this reminder's trouble and nobody else's.
                guard error.code == .refusedByServer else { throw error }
                onEvent(.spreadFailed(spread.reminder, error: error.description))
                // query_canceled: the time-out. The next one would wait for the same view.
                if error.sqlState == "57014" {
                    spreadMemory.rest(at: BootTime.milliseconds())
                    return false
                }
                spreadMemory.leave(spread.reminder.id, at: BootTime.milliseconds())
            }
        }
        return spreads.count == Self.spreadsAtOnce
    }

    /// Goes on with one, page after page. Returns whether it is to be gone on with later.
    private func isLeft(_ spread: DueSpread, now: Instant, until end: Int64) async throws(PostgresError) -> Bool {
        let decision: SpreadDecision
        do throws(TimeZoneError) {
            decision = try judge.decide(spread, now: now)
        } catch {
            onEvent(.zonesUnread(error, users: 1))
            spreadMemory.leave(spread.reminder.id, at: BootTime.milliseconds())
            return false
        }
        var spread = spread
        while true {
            let step: SpreadStep
            switch decision {
            case .drop:
                try await store.drop(spread, now: now)
                return false
            case .wait(let instant): step = try await store.wait(spread, until: instant)
            case .tell(let next):
                let patience = Duration.milliseconds(spreadMemory.patience)
                step = try await store.tell(spread, next: next, limit: Self.membersAtOnce, patience: patience)
            }
            await hooks.reach(.afterSpread)
            guard step != .held else {
                spreadMemory.leave(spread.reminder.id, at: BootTime.milliseconds())
                return false
            }
            spreadMemory.wentOn(spread.reminder.id)
            guard case .told(_, let last) = step else { return false }
            spread = spread.after(last)
            guard !isStopping, BootTime.milliseconds() < end else { return true }
        }
    }
}
