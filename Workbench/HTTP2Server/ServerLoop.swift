import CNGHTTP2
import Glibc
import HTTP2
import Base
import Certificates
import OpenSSL

/// The work of a server's thread: it accepts, reads, calls the handler and writes.
///
/// @unchecked Sendable: only `run`, on the server's thread, uses the properties. `counters` and `inbox` have mutexes.
final class ServerLoop: @unchecked Sendable {
    let inbox = ServerInbox()
    let port: UInt16
    private let configuration: ServerConfiguration
    private let context: TLSContext
    private var listeners: [Int32]
    private let handler: any ServerHandler
    private let poller: Int32
    private let buffer: UnsafeMutableRawBufferPointer
    private var wires: [Int: ServerWire] = [:]
    /// Connections to serve again although epoll reports nothing for them.
    private var again: [Int] = []
    private var later = DelayQueue<(connection: Int, stream: Int32, reply: ServerReply)>()
    private var lastID = 0
    let counters = LiveCounters()

    init(_ configuration: ServerConfiguration, _ handler: any ServerHandler) throws {
        self.configuration = configuration
        self.handler = handler
        context = try TLSContext.server(configuration.certificate, offersHTTP2: configuration.offersHTTP2)
        let (listeners, port) = try Server.listen(configuration, port: configuration.port)
        self.listeners = listeners
        self.port = port
        poller = epoll_create1(Int32(EPOLL_CLOEXEC))
        buffer = .allocate(byteCount: 65_536, alignment: 16)
    }

    deinit {
        for listener in listeners { Glibc.close(listener) }
        if poller >= 0 { Glibc.close(poller) }
        buffer.deallocate()
    }

    func run() {
        // Connections are numbered from 1; 0 is every listener and -1 the inbox.
        for listener in listeners { watch(listener, 0, EPOLLIN.rawValue, EPOLL_CTL_ADD) }
        watch(inbox.wake.descriptor, -1, EPOLLIN.rawValue, EPOLL_CTL_ADD)
        var events = [epoll_event](repeating: epoll_event(), count: 64)
        while true {
            let count = epoll_wait(poller, &events, Int32(events.count), timeout())
            let held = again
            again.removeAll(keepingCapacity: true)
            for event in events[..<Int(max(count, 0))] { ready(Int(bitPattern: UInt(event.data.u64)), event.events) }
            for id in held { ready(id, 0) }
            let (orders, stops) = inbox.take()
            if stops { return Array(wires.keys).forEach(drop) }
            for order in orders { order(self) }
            performDue()
        }
    }

    /// Closes the listening sockets and connections whose handshake isn't over, or listens again. False if the system
    /// refuses.
    func listen(_ listens: Bool) -> Bool {
        for listener in listeners {
            watch(listener, 0, 0, EPOLL_CTL_DEL)
            Glibc.close(listener)
        }
        listeners = []
        guard listens else {
            for id in wires.filter({ !$0.value.isHandshaken }).keys { drop(id) }
            return true
        }
        guard let (opened, _) = try? Server.listen(configuration, port: port) else { return false }
        listeners = opened
        for listener in listeners { watch(listener, 0, EPOLLIN.rawValue, EPOLL_CTL_ADD) }
        return true
    }

    private func timeout() -> Int32 {
        if !again.isEmpty { return 0 }
        guard let due = later.nextDue else { return -1 }
        let now = UInt64(MonotonicTime.milliseconds())
        return due > now ? Int32(clamping: due - now) : 0
    }

    private func watch(_ descriptor: Int32, _ id: Int, _ events: UInt32, _ operation: Int32) {
        var event = epoll_event()
        event.events = events
        event.data.u64 = UInt64(UInt(bitPattern: id))
        epoll_ctl(poller, operation, descriptor, &event)
    }

    private func ready(_ id: Int, _ events: UInt32) {
        guard id != 0 else { return listeners.forEach(accept) }
        guard id > 0, let wire = wires[id] else { return }
        if events & EPOLLOUT.rawValue != 0 { wire.isBlocked = false }
        // While reading is stopped, epoll would report a closed peer without end.
        if !wire.isReading, events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 { return drop(id) }
        if !wire.isHandshaken {
            guard let state = wire.shake() else { return update(id, wire) }
            if state == .ended { return drop(id) }
            handler.connectionOpened(wire.session.connection)
        }
        if wire.isReading, wire.read(into: buffer) == .ended { return drop(id) }
        serve(id, wire)
    }

    private func serve(_ id: Int, _ wire: ServerWire) {
        let (orders, _) = inbox.take()
        for order in orders { order(self) }
        guard wires[id] != nil else { return }
        if wire.write() == .ended { return drop(id) }
        update(id, wire)
    }

    private func update(_ id: Int, _ wire: ServerWire) {
        if wire.mayHoldMore, wire.isReading { again.append(id) }
        guard wire.wanted != wire.watched else { return }
        wire.watched = wire.wanted
        watch(wire.descriptor, id, wire.wanted, EPOLL_CTL_MOD)
    }

    private func accept(_ listener: Int32) {
        while true {
            let descriptor = Glibc.accept(listener, nil, nil)
            guard descriptor >= 0 else { return }
            // accept4 would do both, but Swift's Glibc doesn't have it.
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            var one: Int32 = 1
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
            lastID += 1
            counters.now.withLock { $0.accepted += 1 }
            let connection = ServerConnection(id: lastID, inbox: inbox)
            // Unowned, because this loop owns the session and outlives it.
            let session = ServerSession(configuration, connection, counters) { [unowned self] in self.asked($0, $1) }
            guard let session, let tls = try? TLSConnection(server: context, descriptor: descriptor) else {
                Glibc.close(descriptor)
                continue
            }
            let wire = ServerWire(descriptor: descriptor, tls: tls, session: session)
            wires[lastID] = wire
            wire.isReading = configuration.shakesHands
            wire.watched = wire.wanted
            watch(descriptor, lastID, wire.wanted, EPOLL_CTL_ADD)
        }
    }

    private func asked(_ request: ServerRequest, _ session: ServerSession) {
        let reply = handler.request(request, on: session.connection)
        perform(reply, on: request.streamID, session)
    }

    private func perform(_ reply: ServerReply, on stream: Int32, _ session: ServerSession) {
        guard case .delayed(let delay, let then) = reply else { return session.perform(reply, on: stream) }
        let due = UInt64(MonotonicTime.milliseconds()) + UInt64(max(0, delay / .milliseconds(1)))
        later.insert((session.connection.id, stream, then), due: due)
    }

    private func performDue() {
        guard later.nextDue != nil else { return }
        let now = UInt64(MonotonicTime.milliseconds())
        var touched: Set<Int> = []
        for item in later.takeDue(now) {
            guard let wire = wires[item.connection] else { continue }
            perform(item.reply, on: item.stream, wire.session)
            touched.insert(item.connection)
        }
        for id in touched { if let wire = wires[id] { serve(id, wire) } }
    }

    // MARK: Orders

    func reply(_ reply: ServerReply, to stream: Int32, on id: Int) {
        guard let wire = wires[id] else { return }
        perform(reply, on: stream, wire.session)
        revisit(id)
    }

    func perform(_ action: ConnectionAction, on id: Int) {
        guard let wire = wires[id] else { return }
        let session = wire.session
        switch action {
        case .close: return drop(id)
        case .resetTCP:
            wire.armReset()
            return drop(id)
        case .shutdown(let debug): session.beginShutdown(debug: debug)
        case .goAway(let lastStreamID, let code, let debug):
            session.submitGoAway(lastStreamID: lastStreamID, code: code, debug: debug)
        case .streams(let count): session.submitSettings(maxConcurrentStreams: count)
        case .window(let size): session.submitSettings(initialWindowSize: size)
        case .connectionWindow(let bytes): session.openWindow(by: bytes)
        case .stopReading: wire.isReading = false
        case .resumeReading: wire.isReading = true
        case .garbage(let bytes, let closes):
            session.raw += bytes
            wire.endsOnceWritten = closes || wire.endsOnceWritten
        }
        revisit(id)
    }

    /// The next round writes, and reads if reading begins again.
    private func revisit(_ id: Int) { if !again.contains(id) { again.append(id) } }

    private func drop(_ id: Int) {
        guard let wire = wires.removeValue(forKey: id) else { return }
        if wire.isHandshaken { handler.connectionClosed(wire.session.connection) }
        counters.now.withLock { $0.closed += 1 }
    }
}

/// Elements with a due time, the earliest first. Equal times keep their order.
struct DelayQueue<Element> {
    private var entries: [(due: UInt64, element: Element)] = []

    var nextDue: UInt64? { entries.first?.due }

    /// Looks from the end, because most answers are delayed alike.
    mutating func insert(_ element: Element, due: UInt64) {
        let place = entries.lastIndex { $0.due <= due }.map { $0 + 1 } ?? 0
        entries.insert((due, element), at: place)
    }

    mutating func takeDue(_ now: UInt64) -> [Element] {
        let count = entries.firstIndex { $0.due > now } ?? entries.count
        defer { entries.removeFirst(count) }
        return entries[..<count].map(\.element)
    }
}
