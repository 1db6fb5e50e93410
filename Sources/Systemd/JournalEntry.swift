/// One entry for the journal. Fields keep their order, and a name may occur more than once.
public struct JournalEntry: Sendable {
    /// The fields. Names follow the journal's rule: `A-Z`, `0-9` and `_`, with a letter first, at most 64 bytes. Values
    /// are any text.
    public private(set) var fields: [(name: String, value: String)] = []

    /// An entry with its text and its syslog priority: 0 (emergency) to 7 (debug).
    public init(message: String, priority: Int) {
        fields = [("MESSAGE", message), ("PRIORITY", String(priority))]
    }

    /// Adds a field. A name that the journal would refuse is changed.
    public mutating func add(_ name: String, _ value: String) {
        fields.append((Self.fieldName(name, prefix: ""), value))
    }

    /// The journal's spelling of a metadata key after the prefix: `sweep_id`, `sweep-id` and `sweepId` all give
    /// `SWEEP_ID`.
    public static func fieldName(_ key: String, prefix: String) -> String {
        var name = Array(prefix.utf8)
        var wasLower = false
        for byte in key.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"):
                if wasLower { name.append(UInt8(ascii: "_")) }
                name.append(byte)
                wasLower = false
            case UInt8(ascii: "a")...UInt8(ascii: "z"):
                name.append(byte & 0xDF)
                wasLower = true
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                name.append(byte)
                wasLower = true
            default:
                name.append(UInt8(ascii: "_"))
                wasLower = false
            }
        }
        // journald drops fields that start with `_` or a digit. Names with `_` are its own trusted fields.
        if let first = name.first, !(UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first) {
            name = Array("X".utf8) + name
        }
        return name.isEmpty ? "X" : String(decoding: name.prefix(64), as: UTF8.self)
    }

    /// The datagram of the native protocol (systemd, "Native Journal Protocol"). A field is `NAME=value\n`. If the
    /// value has a newline: the name, a newline, the value's length in 8 bytes little endian, the value and a newline.
    public func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        for (name, value) in fields {
            bytes += name.utf8
            let value = Array(value.utf8)
            if value.contains(UInt8(ascii: "\n")) {
                bytes.append(UInt8(ascii: "\n"))
                withUnsafeBytes(of: UInt64(value.count).littleEndian) { bytes += $0 }
            } else {
                bytes.append(UInt8(ascii: "="))
            }
            bytes += value
            bytes.append(UInt8(ascii: "\n"))
        }
        return bytes
    }
}
