import Glibc
import Certificates
import OpenSSL

/// One connection of a server of the tests, on a thread of its own.
final class HTTPSConnection {
    private let descriptor: Int32
    private let tls: TLSConnection?
    private let id: Int
    private let gate: HTTPSGate
    private let seen: Observed<HTTPSServer.Seen>
    private var input: [UInt8] = []

    init(_ descriptor: Int32, _ context: TLSContext?, id: Int, gate: HTTPSGate, seen: Observed<HTTPSServer.Seen>) {
        self.descriptor = descriptor
        self.id = id
        self.gate = gate
        self.seen = seen
        tls = context.flatMap { try? TLSConnection(server: $0, descriptor: descriptor) }
    }

    deinit { Glibc.close(descriptor) }

    func serve(_ answer: (HTTPSRequest) -> [HTTPSAct]) {
        if let tls, !go({ try tls.handshake() }) { return seen.change { $0.refused += 1 } }
        while let request = read() {
            seen.change { seen in
                seen.requests.append(request)
                seen.open += 1
                seen.mostOpen = max(seen.mostOpen, seen.open)
            }
            var isKept = true
            for act in answer(request) where isKept { isKept = perform(act) }
            seen.change { $0.open -= 1 }
            if !isKept { return }
        }
    }

    private func perform(_ act: HTTPSAct) -> Bool {
        switch act {
        case .send(let text): return write(Array(text.utf8))
        case .fill(let count): return write([UInt8](repeating: UInt8(ascii: " "), count: count))
        case .close: return false
        case .hold:
            let client = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            var ready = [pollfd(fd: gate.descriptor, events: 0, revents: 0), client]
            poll(&ready, 2, -1)
            // A client sends nothing before it is answered: whatever came is its leaving.
            if ready[1].revents != 0 { seen.change { $0.left += 1 } }
            return ready[1].revents == 0
        }
    }

    private func read() -> HTTPSRequest? {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            if let request = HTTPSRequest(input, connection: id) {
                input.removeFirst(request.size)
                return request
            }
            var count = 0
            let isRead = go {
                let step = try buffer.withUnsafeMutableBytes { try self.step(reading: $0) }
                if case .done(let read) = step { count = read }
                return step
            }
            guard isRead else { return nil }
            input += buffer[..<count]
            seen.change { $0.received += buffer[..<count] }
            // TLS to a plain server: it answers as such servers do.
            if tls == nil, input.first == 0x16 {
                _ = write(Array("HTTP/1.1 400 Word\r\ncontent-length: 0\r\n\r\n".utf8))
                return nil
            }
        }
    }

    private func write(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            var count = 0
            let isWritten = go {
                let step = try rest.withUnsafeBytes { try self.step(writing: $0) }
                if case .done(let written) = step { count = written }
                return step
            }
            guard isWritten else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private func step(reading buffer: UnsafeMutableRawBufferPointer) throws -> TLSStep {
        if let tls { return try tls.read(into: buffer) }
        return plain(recv(descriptor, buffer.baseAddress, buffer.count, 0), .wantsRead)
    }

    private func step(writing bytes: UnsafeRawBufferPointer) throws -> TLSStep {
        if let tls { return try tls.write(bytes) }
        return plain(Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)), .wantsWrite)
    }

    private func plain(_ count: Int, _ want: TLSStep) -> TLSStep {
        count > 0 ? .done(count) : count < 0 && errno == EAGAIN ? want : .closed
    }

    /// Repeats a step until it is done; false where the connection is no more.
    private func go(_ step: () throws -> TLSStep) -> Bool {
        while let step = try? step() {
            let events: Int32
            switch step {
            case .done: return true
            case .closed: return false
            case .wantsRead: events = POLLIN
            case .wantsWrite: events = POLLOUT
            }
            var ready = pollfd(fd: descriptor, events: Int16(events), revents: 0)
            poll(&ready, 1, -1)
        }
        return false
    }
}
