import APNs
import Fixtures
import Policy
import Testing
import TimeZones

@testable import Core

/// Which lane serves a device.
@Suite struct LaneDirectoryTests {
    typealias F = PlannerFixture
    private static let production = LaneIdentity(environment: "production", topic: F.lane.topic)
    private static let sandbox = F.lane
    private let now = MessageFixture.now

    private let planner = F.planner(lanes: LaneDirectory(standard: Self.production, others: [Self.sandbox]))

    /// Rows of a table that the app had before.
    @Test(
        arguments: [
            ("sandbox", "com.example.app", true), (" Sandbox\r\n", " com.example.app ", true),
            ("Development", nil, true), ("DEV", "COM.EXAMPLE.APP", true), ("", nil, false), (" ", " ", false),
            ("prod", nil, false), ("PRODUCTION", nil, false), (nil, "Com.Example.App", false),
        ] as [(String?, String?, Bool)]
    ) func lane_whenTheRowSpellsItOtherwise_isTheConfiguredOne(environment: String?, topic: String?, isSandbox: Bool)
        throws
    {
        let topic = topic?.replacing("com.example.app", with: F.lane.topic)
            .replacing("COM.EXAMPLE.APP", with: F.lane.topic.uppercased())
            .replacing("Com.Example.App", with: F.lane.topic.capitalized)
        let device = Device(token: F.token(1), registration: nil, environment: environment, topic: topic)
        let lane = isSandbox ? Self.sandbox : Self.production
        #expect(planner.lanes.lane(of: device) == lane)
        #expect(planner.lanes.wanted(by: device) == lane)
        // The token is deleted by what its row says.
        let user = F.user(devices: [device], messages: [MessageFixture.message(1)])
        let plan = try #require(planner.plan(user, now: now).sendPlan)
        let refusal = PushOutcome.rejected(status: 410, reason: "Unregistered", deletes: .olderThanSend)
        let gone = planner.settle(plan, outcomes: [refusal], attemptedAt: now, now: now)
        #expect(gone.staleTokens.map(\.environment) == [environment ?? lane.environment])
        #expect(gone.staleTokens.map(\.topic) == [topic ?? lane.topic])
    }

    @Test func lane_whenTheWordIsUnknown_isNone() {
        for environment in ["staging", "sand box", "\u{212A}"] {
            let device = Device(token: F.token(1), registration: nil, environment: environment)
            #expect(planner.lanes.lane(of: device) == nil && planner.lanes.wanted(by: device).environment != "sandbox")
        }
    }
}
