import TimeZones

import struct FoundationEssentials.UUID

/// The users that this daemon has in hand: claimed, and neither settled nor let go. A claim skips them, and a stop
/// waits for them.
final class Hand: Sendable {
    private struct State: Sendable {
        var users: Set<UUID> = []
        /// Writes besides settlements: quarantines and postponements.
        var errands = 0
        /// The time for stopping is over.
        var isAbandoned = false
    }

    private let state = Monitor(State())
    /// The intents that this daemon is sending.
    let intents = OpenIntents()

    /// Read it before a claim's statement is sent. A user who is let go during the statement must still be skipped: the
    /// statement may have read their old row.
    var users: [UUID] { state.withLock { Array($0.users) } }

    var isEmpty: Bool { state.withLock { $0.users.isEmpty && $0.errands == 0 } }

    /// nil: the user is in hand already.
    func take(_ user: ClaimedUser, member: UUID, claimedAt: Instant, run: SweepRun) -> HeldUser? {
        guard state.withLock({ $0.users.insert(user.userID).inserted }) else { return nil }
        return HeldUser(user, member: member, claimedAt: claimedAt, run: run, hand: self)
    }

    fileprivate func letGo(_ userID: UUID) { state.withLock { _ = $0.users.remove(userID) } }

    /// Runs a task that a stop waits for. The caller does not wait.
    func errand(_ body: @escaping @Sendable () async -> Void) {
        state.withLock { $0.errands += 1 }
        Task {
            await body()
            state.withLock { $0.errands -= 1 }
        }
    }

    /// Returns when nobody is in hand, or after `abandon`.
    func wait() async { await state.wait { $0.isAbandoned || $0.users.isEmpty && $0.errands == 0 } }

    /// Gives up what the database does not accept: it will be recorded as unknown.
    func abandon() { state.withLock { $0.isAbandoned = true } }

    var isAbandoned: Bool { state.withLock(\.isAbandoned) }
}

/// A user in hand. It travels with the user from stage to stage. When its last reference is dropped, the user is let go
/// and can be claimed again.
final class HeldUser: Sendable {
    let userID: UUID
    /// The membership under which the user was claimed.
    let member: UUID
    /// The policy's `now` at the claim.
    let claimedAt: Instant
    let run: SweepRun
    /// When the user was last evaluated, as the claim read it.
    let stamp: PersonUpdate.Stamp
    private let hand: Hand

    fileprivate init(_ user: ClaimedUser, member: UUID, claimedAt: Instant, run: SweepRun, hand: Hand) {
        userID = user.userID
        stamp = .at(user.evaluatedAt)
        self.member = member
        self.claimedAt = claimedAt
        self.run = run
        self.hand = hand
        run.begin()
    }

    deinit {
        // The order matters: when nobody is in hand, the sweep's report must be complete.
        run.end()
        hand.letGo(userID)
    }
}

struct PlannedUser: Sendable {
    let plan: SendPlan
    let held: HeldUser
}
