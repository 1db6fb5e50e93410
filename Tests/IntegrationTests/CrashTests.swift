import TestSupport
import Testing

/// One kill -9 of each kind. `CrashLongTests` has the others.
@Suite(.ownThreads) struct CrashTests {
    @Test(arguments: [("after_intent", 1), ("before_settle", 2)])
    func devices_whenKilledAtAFailPoint_getTheirPushOnce(point: String, visit: Int) async throws {
        try await CrashScene.killAtAFailPoint(point, visit: visit)
    }

    @Test func devices_whenKilledInMidFlight_getTheirPushOnce() async throws {
        try await CrashScene.killInMidFlight(after: 200)
    }
}
