import Service
import Glibc

/// Who runs a command, as far as this host knows: `user@host`.
enum HostUser {
    /// - Parameter environment: its `SUDO_USER` names the person who uses root's rights.
    static func name(environment: [String: String]) -> String {
        "\(user(environment))@\(HostName.own)"
    }

    private static func user(_ environment: [String: String]) -> String {
        if let behind = environment["SUDO_USER"], !behind.isEmpty { return behind }
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 4096)
        let status = getpwuid_r(getuid(), &entry, &buffer, buffer.count, &found)
        guard status == 0, found != nil, let name = entry.pw_name else { return "uid \(getuid())" }
        return String(cString: name)
    }
}
