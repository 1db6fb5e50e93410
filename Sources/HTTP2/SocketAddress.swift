package import Glibc

/// An address and port to dial or to listen on.
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
    package static func resolve(_ host: String, port: UInt16, isNumeric: Bool) -> Result<[SocketAddress], CloseReason> {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICSERV | (isNumeric ? AI_NUMERICHOST : 0)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hints, &list)
        guard code == 0 else {
            let text = String(cString: gai_strerror(code))
            return .failure(
                CloseReason(.resolve, "can't resolve \(host): \(text); check the name and the machine's DNS")
            )
        }
        defer { freeaddrinfo(list) }
        var found: [SocketAddress] = []
        var next = list
        while let entry = next?.pointee {
            if let address = entry.ai_addr { found.append(SocketAddress(address, length: entry.ai_addrlen)) }
            next = entry.ai_next
        }
        return .success(found)
    }

    static func resolve(numeric addresses: [String], port: UInt16) -> Result<[SocketAddress], CloseReason> {
        Result { () throws(CloseReason) in
            var found: [SocketAddress] = []
            for address in addresses { found += try resolve(address, port: port, isNumeric: true).get() }
            return found
        }
    }

    /// Passes the address to a system call.
    package func withAddress(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        withUnsafeBytes(of: storage) { bytes in
            // sockaddr_storage may be read as any sockaddr. Its buffer isn't empty, so it has an address.
            bytes.baseAddress.map { body($0.assumingMemoryBound(to: sockaddr.self), length) } ?? -1
        }
    }
}
