import APNs
import Fixtures
import Policy
@testable import Core
import Testing
import TimeZones

/// Which state a row says.
@Suite struct NudgeStateTests {
    typealias F = PlannerFixture
    private let now = F.at("2026-11-20T01:30:00Z")

    /// - Parameter device: the one that is left; 1 is registered.
    private func state(
        device: Int = 1,
        counts: Bool,
        isRefused: Bool = false,
        paused: Set<NudgeKind> = [],
        validUntil: Int64 = 600
    ) throws -> String {
        var planner = F.planner()
        planner.paused = paused
        let retry = Retry(
            identity: .checkIn(F.date("2026-11-20")),
            validUntil: now + validUntil,
            version: 1,
            attempt: 1,
            countedAt: counts ? now - 900 : nil,
            left: [Retry.Left(deviceHash: PushIdentity.deviceHash(token: F.token(device)), notBefore: now)]
        )
        let recipient = try Recipient(F.user(), planner: planner, now: now)
        return switch NudgeState(retry, isRefused: isRefused, .checkIn, of: recipient, now: now) {
        case .new: "new"
        case .unanswered: "unanswered"
        case .answered: "answered"
        case .paused: "paused"
        case .refused: "refused"
        case .gone: "gone"
        }
    }

    @Test func state_whenDevicesAreLeft_isByTheFirstAnswer() throws {
        #expect(try state(counts: false) == "unanswered")
        #expect(try state(counts: true) == "answered")
        #expect(try state(counts: true, isRefused: true) == "refused")
    }

    @Test func state_whenItsKindIsPaused_isPausedUntilTheAnswerEnds() throws {
        #expect(try state(counts: true, paused: [.checkIn]) == "paused")
        #expect(try state(counts: false, paused: [.checkIn]) == "paused")
        #expect(try state(counts: true, paused: [.message]) == "answered")
        #expect(try state(counts: true, paused: [.checkIn], validUntil: 0) == "answered")
    }

    /// Whether or not its kind is paused: nothing is remembered for devices that are gone.
    @Test(arguments: [[], [NudgeKind.checkIn]])
    func state_whenTheDevicesAreGone_isNewOrOver(paused: [NudgeKind]) throws {
        #expect(try state(device: 2, counts: false, paused: Set(paused)) == "new")
        #expect(try state(device: 2, counts: true, paused: Set(paused)) == "gone")
    }
}
