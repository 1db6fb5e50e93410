import TestSupport
import Testing

@testable import Postgres

/// Behind real poolers: `DoctorTests`.
@Suite(.ownThreads) struct PoolingTests {
    @Test(arguments: [
        ([Pooling.Turn(first: 1, second: 2)], Pooling.session),
        ([.init(first: 1, second: 2), .init(first: 1, second: 3)], .session),
        // Both were answered by one process, though the first never left.
        ([.init(first: 1, second: 1)], .transaction),
        ([.init(first: 1, second: 2), .init(first: 1, second: 1)], .transaction),
        // Somebody else took the first one's meanwhile.
        ([.init(first: 1, second: 2), .init(first: 3, second: 2)], .transaction),
    ])
    func mode_isToldByWhoAnswers(turns: [Pooling.Turn], expected: Pooling) {
        #expect(Pooling(behind: turns) == expected)
    }

    @Test func server_whenNobodyStandsBetween_isDirect() async throws {
        #expect(try await Pooling.of(ServerFixture.configuration()) == .direct)
    }

    @Test func server_whenItIsAway_isAnError() async throws {
        let error = await ServerFixture.error { _ = try await Pooling.of(.parse(url: "postgresql://a@127.0.0.1:1/a")) }
        #expect(error?.code == .connectionFailed)
    }
}
