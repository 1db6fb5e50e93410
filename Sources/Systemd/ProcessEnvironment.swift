// glibc declares `environ` as a global variable, which Swift 6 refuses to read. `current()` says why the read is safe.
@preconcurrency import Glibc

/// The environment of this process, as a value.
public enum ProcessEnvironment {
    /// A copy of all variables. Of two equal names the first one counts, as for getenv(3). Invalid UTF-8 is repaired.
    ///
    /// Call it once at the start, before other threads run. `nudged` never calls setenv(3), so `environ` doesn't change
    /// meanwhile.
    public static func current() -> [String: String] {
        var variables: [String: String] = [:]
        var entry: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> = environ
        while let text = entry.pointee {
            let pair = String(cString: text)
            if let equals = pair.firstIndex(of: "="), equals > pair.startIndex {
                let name = String(pair[..<equals])
                if variables[name] == nil { variables[name] = String(pair[pair.index(after: equals)...]) }
            }
            entry += 1
        }
        return variables
    }
}
