import Planning
import Store
import TimeZones

import struct FoundationEssentials.UUID

/// The users whom this daemon has in hand: claimed, and not settled or let go. A claim skips them; a stop waits for them.
final class Hand: Sendable {
    private struct State: Sendable {
        var users: Set<UUID> = []
        /// Writes beside the users' own: verdicts on refused devices, postponements.
        var errands = 0
        /// The stop's time is over.
        var isAbandoned = false
    }

    private let state = Monitor(State())
    /// What is being sent.
    let intents = OpenIntents()

    /// Taken before a claim's statement is sent: who is let go while it is under way is still skipped by it, since it may have read their old row.
    var users: [UUID] { state.withLock { Array($0.users) } }

    var isEmpty: Bool { state.withLock { $0.users.isEmpty && $0.errands == 0 } }

    /// nil: the user is in hand already.
    func take(_ user: ClaimedUser, member: UUID, claimedAt: Instant, run: SweepRun) -> HeldUser? {
        guard state.withLock({ $0.users.insert(user.userID).inserted }) else { return nil }
        return HeldUser(user, member: member, claimedAt: claimedAt, run: run, hand: self)
    }

    fileprivate func letGo(_ userID: UUID) { state.withLock { _ = $0.users.remove(userID) } }

    /// Does something that a stop waits for, beside whoever calls.
    func errand(_ body: @escaping @Sendable () async -> Void) {
        state.withLock { $0.errands += 1 }
        Task {
            await body()
            state.withLock { $0.errands -= 1 }
        }
    }

    /// Returns once nobody is in hand, or `abandon` was called.
    func wait() async { await state.wait { $0.isAbandoned || $0.users.isEmpty && $0.errands == 0 } }

    /// What the database does not take is left to be recorded as unknown.
    func abandon() { state.withLock { $0.isAbandoned = true } }

    var isAbandoned: Bool { state.withLock(\.isAbandoned) }
}

/// A user in hand. It travels with the user from stage to stage; with the last reference to it the user is let go, and can be claimed again.
final class HeldUser: Sendable {
    let userID: UUID
    /// The membership under which the user was claimed.
    let member: UUID
    /// The policy's now of the claim.
    let claimedAt: Instant
    let run: SweepRun
    /// When the user had been evaluated before, as the claim read it.
    let stamp: PersonUpdate.Stamp
    private let hand: Hand

    fileprivate init(_ user: ClaimedUser, member: UUID, claimedAt: Instant, run: SweepRun, hand: Hand) {
        userID = user.userID
        stamp = .at(user.askedAt)
        self.member = member
        self.claimedAt = claimedAt
        self.run = run
        self.hand = hand
        run.begin()
    }

    deinit {
        // In this order: who waits until nobody is in hand finds the sweep's report.
        run.end()
        hand.letGo(userID)
    }
}

/// What a user gets now, on its way to a lane.
struct PlannedUser: Sendable {
    let plan: SendPlan
    let held: HeldUser
}
