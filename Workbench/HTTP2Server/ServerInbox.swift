import Base
import HTTP2

/// Orders from other threads to the server's thread.
final class ServerInbox: Sendable {
    enum Order {
        case reply(Int32, ServerReply)
        case settings(maxConcurrentStreams: UInt32?, initialWindowSize: UInt32?)
        case goAway(lastStreamID: Int32, code: UInt32, debug: String)
        case shutdownGracefully(debug: String)
        /// For the server itself, with connection 0.
        case listen(Bool, Latch)
        case openWindow(Int32)
        case closeOnceWritten
        case closeRaw
        case resetTCP
        case writeRaw([UInt8])
        case reading(Bool)
    }

    private struct State {
        var orders: [(connection: Int, order: Order)] = []
        var isSignalled = false
        var stops = false
    }

    let wake = WakeDescriptor()
    private let state = Mutex(State())

    func put(_ order: Order, for connection: Int) {
        let signals = state.withLock { state in
            state.orders.append((connection, order))
            defer { state.isSignalled = true }
            return !state.isSignalled
        }
        if signals { wake.signal() }
    }

    func stop() {
        state.withLock { $0.stops = true }
        wake.signal()
    }

    /// The orders since the last call, and whether the server must stop.
    func take() -> (orders: [(connection: Int, order: Order)], stops: Bool) {
        state.withLock { state in
            guard state.isSignalled || state.stops else { return ([], false) }
            // On a stop the signal stays set, so that no wait begins.
            if !state.stops { wake.clear() }
            state.isSignalled = false
            let orders = state.orders
            state.orders = []
            return (orders, state.stops)
        }
    }
}
