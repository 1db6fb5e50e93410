import Base
import Glibc
import OpenSSL

/// An open connection: the session, TLS and the socket, used by one thread.
struct ClientWire: ~Copyable {
    let loop: ClientLoop
    let session: ClientSession
    let tls: TLSConnection
    let descriptor: Int32
    /// When the server's first SETTINGS frame must have arrived.
    let deadline: UInt64

    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
    /// What the socket must be ready for before TLS can write more. Nil: not blocked.
    var blockedOn: Int16?
    /// Whether TLS may hold bytes that poll doesn't report.
    var mayHoldMore = true
    var lastReceived = UInt64(MonotonicTime.milliseconds())
    var pingSent: UInt64 = 0

    deinit { buffer.deallocate() }

    /// Runs until the connection ends. The caller delivers the remaining completions.
    consuming func serve() -> CloseReason {
        while true {
            let isReadable = wait()
            let now = UInt64(MonotonicTime.milliseconds())
            session.boottime = UInt64(BootTime.milliseconds())
            guard let requests = loop.inbox.take() else {
                // Bytes that TLS wasn't offered are never sent, so their requests are unsent.
                if blockedOn == nil, session.output.isEmpty { tls.close() }
                return CloseReason(.closed, "closed")
            }
            for (submission, slots) in requests { session.queue.append(submission, slots) }
            var reason: CloseReason?
            if isReadable || mayHoldMore { reason = read(now: now) }
            session.expire(now: now)
            reason = reason ?? watch(now: now) ?? pump(now: now)
            if session.isSpent { reason = reason ?? spent() }
            if let reason { return reason }
            tell()
        }
    }

    /// Sleeps until something happens. Returns whether the socket is readable.
    private mutating func wait() -> Bool {
        guard !mayHoldMore else { return false }
        let timeout = loop.inbox.goToSleep() ? self.timeout() : 0
        let ready = loop.inbox.poll(descriptor, Int16(POLLIN) | (blockedOn ?? 0), timeout)
        if ready & Int16(POLLOUT) != 0 || (blockedOn == Int16(POLLIN) && ready != 0) { blockedOn = nil }
        return ready & Int16(POLLIN | POLLHUP | POLLERR) != 0
    }

    /// Milliseconds until the next timer, rounded up by 1, so that its time has passed when poll returns.
    private func timeout() -> Int32 {
        let now = UInt64(MonotonicTime.milliseconds())
        var next =
            session.awaitsPong
            ? pingSent + UInt64(session.configuration.pingTimeout)
            : lastReceived + UInt64(session.configuration.pingInterval)
        if session.capacity == nil { next = min(next, deadline) }
        if let nearest = session.streams.nearestDeadline { next = min(next, nearest) }
        var left = next > now ? next - now : 0
        if !session.queue.isEmpty {
            let boottime = UInt64(BootTime.milliseconds())
            let earliest = session.queue.earliestWriteBy
            left = min(left, earliest > boottime ? earliest - boottime : 0)
        }
        return Int32(clamping: left + 1)
    }

    /// Reads what has arrived, but at most a megabyte, so that writes are not delayed.
    private mutating func read(now: UInt64) -> CloseReason? {
        for _ in 0..<64 {
            do throws(TLSError) {
                let step = try tls.read(into: buffer)
                session.noteReceived(tls.received)
                switch step {
                case .done(let count):
                    lastReceived = now
                    session.receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                    if session.violation != nil { return nil }
                case .wantsRead, .wantsWrite:
                    mayHoldMore = false
                    if step == .wantsWrite { blockedOn = Int16(POLLOUT) }
                    return nil
                case .closed: return lost("the server closed the connection")
                }
            } catch {
                return lost(error.description)
            }
        }
        mayHoldMore = true
        return nil
    }

    private func lost(_ text: String) -> CloseReason {
        session.goaway.map { CloseReason(.goaway(code: $0.code), text) } ?? CloseReason(.lost, text)
    }

    /// Checks that the server still answers: its SETTINGS must come, and its PING answers.
    private mutating func watch(now: UInt64) -> CloseReason? {
        let configuration = session.configuration
        if session.capacity == nil, now >= deadline {
            return CloseReason(.handshake, "\(configuration.host) sent no SETTINGS frame in time")
        }
        if session.awaitsPong {
            guard now < pingSent + UInt64(configuration.pingTimeout) else {
                let text = "\(configuration.host) didn't answer a PING in \(configuration.pingTimeout) ms"
                return CloseReason(.pingTimeout, text)
            }
        } else if now >= lastReceived + UInt64(configuration.pingInterval) {
            pingSent = now
            session.ping()
        }
        return nil
    }

    /// Writes until nothing is left or the socket is full.
    private mutating func pump(now: UInt64) -> CloseReason? {
        while blockedOn == nil {
            session.fill(now: now)
            if session.output.isEmpty { return nil }
            do throws(TLSError) {
                switch try tls.write(session.output.offer()) {
                case .done(let count): session.output.accept(count)
                case .wantsRead: blockedOn = Int16(POLLIN)
                case .wantsWrite: blockedOn = Int16(POLLOUT)
                case .closed: return lost("the server closed the connection")
                }
            } catch {
                return lost(error.description)
            }
        }
        return nil
    }

    private func tell() {
        exchange(&session.events, with: []).forEach(loop.onEvent)
        guard !session.completions.isEmpty else { return }
        let completions = exchange(&session.completions, with: [])
        session.completions.reserveCapacity(min(completions.count, 4_096))
        loop.onEvent(.completions(completions))
    }

    private mutating func spent() -> CloseReason {
        let host = session.configuration.host
        if session.isFlooded {
            let text = "\(host) sends HTTP/2 frames without end that answer no request; "
            return CloseReason(.flooded, text + "if it repeats, check whether a proxy is between nudged and that host")
        }
        if let violation = session.violation {
            return CloseReason(.protocolError, "\(host) broke the HTTP/2 protocol: \(violation)")
        }
        if session.streams.count == 0 {
            session.sayGoodbye()
            _ = pump(now: UInt64(MonotonicTime.milliseconds()))
            if blockedOn == nil { tls.close() }
        }
        if let goaway = session.goaway {
            return CloseReason(.goaway(code: goaway.code), "\(host) is going away (GOAWAY with code \(goaway.code))")
        }
        return session.isExhausted
            ? CloseReason(.closed, "no stream id left")
            : CloseReason(.protocolError, "\(host) ended the HTTP/2 session")
    }
}

/// Frames on their way into TLS, with the positions that they have reached.
///
/// Positions count plain bytes from the connection's start. A frame is on the wire when `offered` has reached its end.
package struct OutputBuffer: ~Copyable {
    /// The plain bytes of one TLS record (RFC 8446 section 5.1). This many are collected before a write.
    package static let record = 16_384
    /// Enough for a record and one more frame of the largest size that nghttp2 sends.
    private static let capacity = 4 * record

    private let memory: UnsafeMutableRawPointer
    private var start = 0
    private var end = 0
    /// The position after the last appended byte.
    private(set) var produced: UInt64 = 0
    /// The position after the last byte that TLS was offered. Bytes before it may be on the wire.
    private(set) var offered: UInt64 = 0

    package init() { memory = .allocate(byteCount: Self.capacity, alignment: 16) }

    deinit { memory.deallocate() }

    package var isEmpty: Bool { start == end }

    package var isFull: Bool { end - start >= Self.record }

    /// Appends a frame. Returns false if it doesn't fit, which only an oversized frame can cause.
    package mutating func append(_ frame: UnsafeRawPointer, _ count: Int) -> Bool {
        if end + count > Self.capacity {
            memmove(memory, memory + start, end - start)
            (start, end) = (0, end - start)
        }
        guard end + count <= Self.capacity else { return false }
        memcpy(memory + end, frame, count)
        end += count
        produced += UInt64(count)
        return true
    }

    /// The next bytes for TLS, at most one record. They count as offered.
    package mutating func offer() -> UnsafeRawBufferPointer {
        let count = min(end - start, Self.record)
        offered = max(offered, produced - UInt64(end - start) + UInt64(count))
        return UnsafeRawBufferPointer(start: memory + start, count: count)
    }

    package mutating func accept(_ count: Int) {
        start += count
        if isEmpty { (start, end) = (0, 0) }
    }
}
