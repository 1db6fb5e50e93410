import Glibc
import Service
import Synchronization
import TestSupport
import Testing

@Suite(.serialized) struct SignalSourceTests {
    @Test func signal_whenItComesAtOnce_isHandled() async {
        let handled = Atomic(0)
        for number in 1...200 {
            let source = SignalSource([SIGUSR2: { handled.add(1, ordering: .relaxed) }])
            kill(getpid(), SIGUSR2)
            let isHandled = await eventually { handled.load(ordering: .relaxed) == number }
            withExtendedLifetime(source) {}
            guard isHandled else { break }
        }
        #expect(handled.load(ordering: .relaxed) == 200)
    }
}
