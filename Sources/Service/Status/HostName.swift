import Glibc

/// This host's name, as the journal and the daemons' rows give it.
package enum HostName {
    /// `?` where the kernel does not tell.
    package static var own: String {
        var name = [CChar](repeating: 0, count: 256)
        // POSIX leaves open whether a name that was cut ends in a zero.
        guard gethostname(&name, name.count - 1) == 0 else { return "?" }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
