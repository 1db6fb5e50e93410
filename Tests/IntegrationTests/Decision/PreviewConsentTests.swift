import Glibc
import JSON
import LocalPostgres
import TestSupport
import Testing

/// Consent that ends after a preview was planned and before its question leaves (docs/DECISION.md, "Consent").
@Suite(.ownThreads, .timeLimit(.minutes(5))) struct PreviewConsentTests {
    typealias S = DecisionScene

    /// A preview reads its user in a snapshot, and the consent again before the question leaves, outside the snapshot.
    /// So what this view says outside a snapshot is what was committed in between.
    private func scene(isWithdrawn: Bool) async throws -> DecisionScene {
        let scene = try await S.withoutCheckIns(1) { _ in S.answer(false) }
        let later = isWithdrawn ? "notification_preferences - 'smart_enabled'" : "notification_preferences"
        try scene.sql(
            """
            create or replace view nudged.recipient with (security_barrier) as
            select user_id,
                case current_setting('transaction_isolation') when 'repeatable read' then notification_preferences
                    else \(later) end as preferences,
                timezone, coalesce(first_session_complete, false) as first_session_complete, nudge_context as context
            from public.context_profiles where user_id is not null
            """
        )
        return scene
    }

    /// The service would say no.
    private func check(_ answer: JSONValue, _ scene: DecisionScene, isWithdrawn: Bool) throws {
        #expect(answer["by"] == .string(isWithdrawn ? "policy" : "service"), "\(answer)")
        #expect(answer["would_notify"] == .bool(isWithdrawn), "\(answer)")
        #expect(try scene.questions().count == (isWithdrawn ? 0 : 1))
        let received = String(decoding: scene.service.seen.now.received, as: UTF8.self)
        #expect(received.contains(Scene.user(1)) != isWithdrawn)
        #expect(scene.scene.accepted().isEmpty)
    }

    @Test(arguments: [true, false])
    func preview_whenConsentEndsBeforeItsQuestion_asksNobody(isWithdrawn: Bool) async throws {
        let scene = try await scene(isWithdrawn: isWithdrawn)
        let daemon = try scene.scene.start(["run"], scene.environment())
        try await scene.wait(daemon, for: "count(owner) = 64 from nudged.range")
        var said = ""
        _ = try await eventually(within: .seconds(60)) {
            said = try scene.sql("select nudged_api.preview('\(Scene.user(1))', 'Ann', '\(S.text)')")
            return !said.isEmpty
        }
        try check(try JSONValue(parsing: said), scene, isWithdrawn: isWithdrawn)
        try await scene.scene.stop(daemon)
    }

    @Test(arguments: [true, false])
    func explain_whenConsentEndsBeforeItsQuestion_asksNobody(isWithdrawn: Bool) async throws {
        let scene = try await scene(isWithdrawn: isWithdrawn)
        let explain = ["explain", Scene.user(1), "--message", "Ann", "--body", "Hello.", "--json"]
        let run = try await scene.scene.nudged(explain, scene.environment())
        #expect(run.exit == .code(0), "\(run.text)")
        try check(try JSONValue(parsing: run.output), scene, isWithdrawn: isWithdrawn)
    }
}
