import TestSupport
import Testing

/// kill -9 at each point, and in mid-flight early and late.
@Suite(.ownThreads) struct CrashLongTests {
    @Test(arguments: ["claimed", "before_intent", "after_intent", "before_settle"], [1, 2])
    func devices_whenKilledAtAFailPoint_getTheirPushOnce(point: String, visit: Int) async throws {
        try await CrashScene.killAtAFailPoint(point, visit: visit)
    }

    @Test(arguments: [1, 40, 200, 450, 700]) func devices_whenKilledInMidFlight_getTheirPushOnce(after: Int)
        async throws
    {
        try await CrashScene.killInMidFlight(after: after)
    }
}
