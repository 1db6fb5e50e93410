import HTTPClient
import TestSupport
import Testing

/// How many run, who waits, and how calls end from our side.
@Suite(.ownThreads, .timeLimit(.minutes(10))) struct BoundsTests {
    @Test func calls_runNoMoreThanAllowedAtATime() async throws {
        let rig = try Rig { _ in
            [.hold] + HTTPSAct.answer()
        } settings: {
            $0.concurrency = 2
        }
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<6 { group.addTask { try await rig.send().status } }
            await rig.server.seen.wait { $0.open == 2 }
            rig.server.release()
            for try await status in group { #expect(status == 200) }
        }
        let seen = rig.server.seen.now
        #expect(seen.requests.count == 6 && seen.mostOpen == 2 && seen.accepted == 2)
    }

    @Test func call_whenTooManyWait_isRefusedAtOnce() async throws {
        let rig = try Rig { _ in
            [.hold] + HTTPSAct.answer()
        } settings: {
            ($0.concurrency, $0.queueLength) = (1, 1)
        }
        async let first = rig.failure()
        await rig.server.seen.wait { $0.open == 1 }
        try await withThrowingTaskGroup(of: HTTPClientError?.self) { group in
            for _ in 0..<2 { group.addTask { try await rig.failure() } }
            // One of them waits; the other one does not wait for the gate.
            let refused: HTTPClientError? = try await group.next() ?? nil
            #expect(refused.isClean(.queueFull))
            rig.server.release()
            #expect(try await group.next() == .some(nil))
        }
        #expect(try await first == nil)
        #expect(rig.server.seen.now.requests.count == 2)
    }

    @Test func call_whenItsTimePassesInTheQueue_isNeverBegun() async throws {
        let rig = try Rig { _ in
            [.hold] + HTTPSAct.answer()
        } settings: {
            $0.concurrency = 1
        }
        async let first = rig.failure()
        await rig.server.seen.wait { $0.open == 1 }
        #expect(try await rig.failure(within: .milliseconds(100)).isClean(.timedOut))
        rig.server.release()
        #expect(try await first == nil)
        #expect(rig.server.seen.now.requests.count == 1)
    }

    @Test func call_whenItWaitedLong_hasOnlyTheRest() async throws {
        // The first takes four of the second's five seconds; the second is held as well.
        let rig = try Rig { _ in
            [.hold]
        } settings: {
            $0.concurrency = 1
        }
        let start = ContinuousClock.now
        async let first = rig.failure(within: .seconds(4))
        await rig.server.seen.wait { $0.open == 1 }
        #expect(try await rig.failure(within: .seconds(5))?.code == .timedOut)
        // Without its wait it would have had until nine seconds after the start.
        #expect(ContinuousClock.now - start < .milliseconds(8_500))
        #expect(try await first?.code == .timedOut)
    }

    @Test func call_whenItsTaskIsCancelled_endsAtOnce() async throws {
        let rig = try Rig { _ in [.hold] }
        let task = Task { try await rig.failure() }
        await rig.server.seen.wait { $0.open == 1 }
        task.cancel()
        #expect(try await task.value.isClean(.cancelled))
        // And its connection goes.
        await rig.server.seen.wait { $0.left == 1 }
    }

    @Test func call_whenCancelledInTheQueue_leavesItsPlace() async throws {
        let rig = try Rig { _ in
            [.hold] + HTTPSAct.answer()
        } settings: {
            ($0.concurrency, $0.queueLength) = (1, 1)
        }
        async let first = rig.failure()
        await rig.server.seen.wait { $0.open == 1 }
        let waiting = Task { try await rig.failure() }
        waiting.cancel()
        #expect(try await waiting.value?.code == .cancelled)
        async let next = rig.failure()
        rig.server.release()
        #expect(try await first == nil)
        #expect(try await next == nil)
        #expect(rig.server.seen.now.requests.count == 2)
    }

    @Test func call_whenCancelledBefore_isNotAnswered() async throws {
        let rig = try Rig { _ in [.hold] }
        // Often: the client's thread may look between the cancellation and the call, or not.
        for _ in 0..<200 {
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await rig.failure()
            }
            #expect(try await task.value?.code == .cancelled)
        }
    }

    @Test func close_endsConnectionsThatIdle() async throws {
        let rig = try Rig()
        #expect(try await rig.send().status == 200)
        await rig.client.close()
        await rig.server.seen.wait { $0.ended == 1 }
        // The client is not let go yet.
        #expect(try await rig.failure()?.code == .closed)
    }

    @Test func close_endsEveryCallAndConnection() async throws {
        let rig = try Rig { _ in
            [.hold]
        } settings: {
            $0.concurrency = 2
        }
        // Two run, one waits.
        let calls = (0..<3).map { _ in Task { try await rig.failure() } }
        await rig.server.seen.wait { $0.open == 2 }
        await rig.client.close()
        for call in calls { #expect(try await call.value.isClean(.closed)) }
        await rig.server.seen.wait { $0.ended == $0.accepted }
        #expect(try await rig.failure()?.code == .closed)
        await rig.client.close()
    }

    @Test func client_whenLetGo_closesItsConnections() async throws {
        let server: HTTPSServer
        do {
            let rig = try Rig()
            #expect(try await rig.send().status == 200)
            server = rig.server
        }
        await server.seen.wait { $0.ended == 1 }
    }
}
