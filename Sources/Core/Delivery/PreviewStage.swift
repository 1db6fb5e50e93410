import Base
import Policy
import Postgres
package import TimeZones

package import struct FoundationEssentials.UUID

/// Answers the questions of `nudged_api.preview` about users of this daemon's ranges, even during a long sweep.
actor PreviewStage {
    private let delivery: DeliveryContext
    private var inHand: Set<UUID> = []
    /// Until when (CLOCK_BOOTTIME milliseconds) a refused question is left, so that it does not keep others waiting.
    private var refused: [UUID: Int64] = [:]
    private var nextPruning: Int64 = 0

    /// An empty look reads one page of an index.
    private static let pauseMilliseconds: Int64 = 300
    /// After an error.
    private static let troubleMilliseconds: Int64 = 2_000
    /// Longer than `Store.openPreviews` returns a question.
    private static let refusedMilliseconds: Int64 = 60_000
    private static let pruneMilliseconds: Int64 = 60_000
    /// How many are answered at a time: few, since they use the claims' connection. A slow decision service delays
    /// other previews, but no sweep.
    static let mostAtOnce = 4

    init(_ delivery: DeliveryContext) { self.delivery = delivery }

    func run() async {
        while !Task.isCancelled, !delivery.isStopping {
            var pause = Self.pauseMilliseconds
            do throws(PostgresError) {
                try await look()
            } catch {
                pause = Self.troubleMilliseconds
                report(error)
            }
            try? await Task.sleep(for: .milliseconds(pause))
        }
    }

    private func look() async throws(PostgresError) {
        guard !delivery.isHalted, let share = delivery.ownership.share, inHand.count < Self.mostAtOnce else { return }
        let now = BootTime.milliseconds()
        refused = refused.filter { $0.value > now }
        let (known, room) = (inHand.union(refused.keys), Self.mostAtOnce - inHand.count)
        let questions = try await delivery.store.openPreviews(ranges: share.ranges, inHand: known, limit: room)
        for question in questions where inHand.insert(question.message.id).inserted { Task { await answer(question) } }
        guard now >= nextPruning else { return }
        nextPruning = now + Self.pruneMilliseconds
        try await delivery.store.prunePreviews()
    }

    /// If it fails, the question stays open. Unless the database refuses the user's data, a later look takes it again.
    private func answer(_ question: PreviewQuestion) async {
        // Decided now, as by the sweep that would find the message.
        let (store, terms, now) = (delivery.store, delivery.terms, delivery.clock.now)
        do {
            let (message, user) = (question.message, question.userID)
            let preview = try await store.preview(message, to: user, by: terms.planner, terms.decider, now: now)
            try await store.answer(question, preview.json)
        } catch let error as PostgresError where error.isAboutContent || error.code == .refusedByServer {
            refused[question.message.id] = BootTime.milliseconds() + Self.refusedMilliseconds
            report(error)
        } catch { try? await Task.sleep(for: .milliseconds(Self.troubleMilliseconds)) }
        inHand.remove(question.message.id)
    }

    /// The sweeps report a database that does not answer.
    private func report(_ error: PostgresError) {
        guard !error.isTransient, error.code != .cancelled, !delivery.isHalted else { return }
        delivery.onEvent(.settlementFailed(error: error.description))
    }
}

extension Store {
    /// What would become of a message, by a sweep's data, planner and decision service. Nothing is sent or written.
    package func preview(
        _ message: PendingMessage,
        to user: UUID,
        by planner: Planner,
        _ decider: Decider?,
        now given: Instant?
    ) async throws -> Preview {
        // The limit for each statement. Claims wait for the same connection.
        let (found, now, paused) = try await reading(
            within: .seconds(2)
        ) { reader -> (ClaimedUser?, Instant, Set<NudgeKind>) in
            let clock = Instant(seconds: try await reader.clock() / 1_000_000)
            let now = given ?? clock
            return (try await reader.user(user, now: now)?.user, now, try await reader.paused())
        }
        var planner = planner
        planner.paused = paused
        let claimed = found ?? ClaimedUser(ClaimedUser.Values(stranger: user))
        let preview = planner.preview(message, for: claimed, now: now)
        guard let decider, let question = preview.question else { return preview }
        guard !decider.isDead else { return preview.decided(by: .failure(.resting)) }
        let budget = AnalysisBudget(try await analysed(question.userID), now: now)
        let limit = planner.parsed(claimed.preferences).maxAnalysesPerHour
        guard budget.allows(limit, now: now) else { return preview.decided(by: .failure(.overLimit)) }
        // Without consent, only the policy decides.
        guard let result = try await ask(question, decider, nil) else { return preview }
        // It can't be answered now: the daemon stops, or has a new decision service.
        if result == .failure(.stopped) { throw DecisionFailure.stopped }
        return preview.decided(by: result)
    }
}
