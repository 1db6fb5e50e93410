import Base
package import Glibc

package struct SocketAddress {
    package let family: Int32
    private let storage: sockaddr_storage
    private let length: socklen_t

    private init(_ address: UnsafePointer<sockaddr>, length: socklen_t) {
        family = Int32(address.pointee.sa_family)
        var storage = sockaddr_storage()
        let count = min(Int(length), MemoryLayout<sockaddr_storage>.size)
        memcpy(&storage, address, count)
        self.storage = storage
        self.length = socklen_t(count)
    }

    /// The stream addresses of a name, or of a numeric address if `isNumeric`. Blocks on the resolver.
    package static func resolve(_ host: String, port: UInt16, isNumeric: Bool) throws(CloseReason) -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICSERV | (isNumeric ? AI_NUMERICHOST : 0)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hints, &list)
        guard code == 0 else {
            let text = String(cString: gai_strerror(code))
            throw CloseReason(.resolve, "can't resolve \(host): \(text); check the name and the machine's DNS")
        }
        defer { freeaddrinfo(list) }
        var found: [SocketAddress] = []
        var next = list
        while let entry = next?.pointee {
            if let address = entry.ai_addr { found.append(SocketAddress(address, length: entry.ai_addrlen)) }
            next = entry.ai_next
        }
        return found
    }

    package func withAddress(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        withUnsafeBytes(of: storage) { bytes in
            // sockaddr_storage may be read as any sockaddr. Its buffer isn't empty, so it has an address.
            bytes.baseAddress.map { body($0.assumingMemoryBound(to: sockaddr.self), length) } ?? -1
        }
    }
}

/// One name lookup on its own thread. getaddrinfo can block while name servers are silent, and neither a deadline nor a
/// close would interrupt it. A lookup that is no longer needed ends when the resolver gives up.
package final class NameLookup: Sendable {
    package typealias Resolver = @Sendable (_ host: String) -> [String]
    typealias Answer = Result<[SocketAddress], CloseReason>

    /// Readable when the answer is available.
    let wake = WakeDescriptor()
    private let held = Mutex<Answer?>(nil)

    private init() {}

    var answer: Answer? { held.withLock { $0 } }

    /// Starts a lookup. Returns nil if the system has no thread left.
    static func start(_ host: String, _ port: UInt16, _ resolver: Resolver?) -> NameLookup? {
        let lookup = NameLookup()
        let thread = DedicatedThread.start(named: "resolver") {
            let answer = Result { () throws(CloseReason) in
                guard let resolver else { return try SocketAddress.resolve(host, port: port, isNumeric: false) }
                var found: [SocketAddress] = []
                for address in resolver(host) {
                    found += try SocketAddress.resolve(address, port: port, isNumeric: true)
                }
                return found
            }
            lookup.held.withLock { $0 = answer }
            lookup.wake.signal()
        }
        guard let thread else { return nil }
        pthread_detach(thread)
        return lookup
    }
}
