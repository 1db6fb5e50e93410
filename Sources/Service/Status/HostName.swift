import Glibc

/// This host's name, for the journal and the daemons' rows.
package enum HostName {
    /// `?` if the kernel does not give it.
    package static var own: String {
        var name = [CChar](repeating: 0, count: 256)
        // POSIX does not say whether a truncated name ends with a zero byte.
        guard gethostname(&name, name.count - 1) == 0 else { return "?" }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
