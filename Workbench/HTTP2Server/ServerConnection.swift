import HTTP2
import Base

/// A way to misbehave, or to control a connection.
package enum ConnectionAction: Sendable, Equatable {
    /// FIN, without GOAWAY or close_notify.
    case close
    /// RST, by SO_LINGER 0.
    case resetTCP
    /// The two GOAWAYs of RFC 9113 section 6.8. The first has the highest stream id. The second follows when a PING came
    /// back, with the last stream that was processed.
    case shutdown(debug: String)
    /// Streams above `lastStreamID` are not processed. A later GOAWAY can only lower it.
    case goAway(lastStreamID: Int32, code: UInt32 = 0, debug: String = "")
    /// SETTINGS with this MAX_CONCURRENT_STREAMS. Later streams over a lowered limit are refused (REFUSED_STREAM).
    case streams(UInt32)
    /// SETTINGS with this INITIAL_WINDOW_SIZE. 0 stops all bodies, also on streams that are open.
    case window(UInt32)
    /// WINDOW_UPDATE for the connection: the client may send this many more bytes over all its streams.
    case connectionWindow(Int32)
    case stopReading, resumeReading
    /// Any bytes in the TLS stream, after all frames that wait; then FIN if it closes.
    case garbage([UInt8], closes: Bool = false)
}

/// A client's connection on the server's side.
///
/// Any thread may call the methods. They run in order on the server's thread: after the handler has answered the
/// requests that were already read, and before the next write. On a closed connection they do nothing.
package final class ServerConnection: Sendable {
    package let id: Int
    private let inbox: ServerInbox

    init(id: Int, inbox: ServerInbox) { (self.id, self.inbox) = (id, inbox) }

    /// Replies to a request that was answered with `silence`.
    package func reply(_ reply: ServerReply, to streamID: Int32) {
        inbox.put { [id] in $0.reply(reply, to: streamID, on: id) }
    }

    package func perform(_ action: ConnectionAction) { inbox.put { [id] in $0.perform(action, on: id) } }
}

/// Orders from other threads to the server's thread.
final class ServerInbox: Sendable {
    typealias Order = @Sendable (ServerLoop) -> Void

    let wake = WakeDescriptor()
    private let state = Mutex((orders: [Order](), isSignalled: false, stops: false))

    func put(_ order: @escaping Order) {
        let signals = state.withLock { state in
            state.orders.append(order)
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
    func take() -> (orders: [Order], stops: Bool) {
        state.withLock { state in
            guard state.isSignalled || state.stops else { return ([], false) }
            // On a stop the signal stays set, so that no wait begins.
            if !state.stops { wake.clear() }
            state.isSignalled = false
            defer { state.orders = [] }
            return (state.orders, state.stops)
        }
    }
}
