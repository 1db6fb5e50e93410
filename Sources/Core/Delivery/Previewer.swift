import Policy
import Postgres
package import TimeZones

package import struct FoundationEssentials.UUID

/// Says what would become of a message, with a sweep's data and planner and, where the user consents, with the decision
/// service. Sends, writes and counts nothing.
package struct Previewer: Sendable {
    private let store: Store
    private let planner: Planner
    /// nil: no decision service is configured.
    private let decider: Decider?

    package init(store: Store, planner: Planner, decider: Decider?) {
        self.store = store
        self.planner = planner
        self.decider = decider
    }

    /// For each statement. Claims wait for the same connection.
    private static let patience = Duration.seconds(2)

    /// The question can't be answered now: the daemon stops, or has a new decision service.
    private struct Stopped: Error {}

    /// - Parameter given: the policy's now, for tests and the demo. nil: the database's clock.
    package func preview(_ message: PendingMessage, to user: UUID, now given: Instant? = nil) async throws -> Preview {
        let (found, now, paused) = try await store.reading(
            within: Self.patience
        ) { reader -> (ClaimedUser?, Instant, Set<NudgeKind>) in
            let clock = Instant(seconds: try await reader.clock() / 1_000_000)
            let now = given ?? clock
            return (try await reader.user(user, now: now)?.user, now, try await reader.paused())
        }
        var planner = planner
        planner.paused = paused
        let claimed = found ?? Self.stranger(user)
        let preview = planner.preview(message, for: claimed, now: now)
        guard let decider, let question = preview.question else { return preview }
        let limit = planner.parsed(claimed.preferences).maxAnalysesPerHour
        return try await decided(preview, question, by: decider, limit: limit, now: now)
    }

    private func decided(
        _ preview: Preview,
        _ question: DecisionQuestion,
        by decider: Decider,
        limit: Int,
        now: Instant
    ) async throws -> Preview {
        guard !decider.isDead else { return preview.fallback(because: .resting) }
        let budget = AnalysisBudget(try await store.analysed(question.userID), now: now)
        guard budget.allows(limit, now: now) else { return preview.fallback(because: .overLimit) }
        // The last thing before the question leaves. Without consent, only the policy decides.
        guard try await consents(question.userID) else { return preview }
        switch await decider.ask(question, nil) {
        case .success(let answer):
            // An answer that comes after a withdrawal is not used.
            return try await consents(question.userID) ? preview.decided(answer) : preview
        case .failure(.stopped): throw Stopped()
        case .failure(let failure): return preview.fallback(because: failure)
        }
    }

    private func consents(_ user: UUID) async throws(PostgresError) -> Bool {
        planner.parsed(try await store.preferences(of: user)).smartEnabled
    }

    /// A user without data. A message would create their row.
    private static func stranger(_ user: UUID) -> ClaimedUser {
        ClaimedUser(
            userID: user,
            version: 1,
            dueAt: 0,
            touchedAt: nil,
            since: nil,
            evaluatedAt: nil,
            state: UserState(),
            retry: nil,
            preferences: nil,
            timezone: nil,
            firstSessionComplete: false,
            devices: []
        )
    }
}
