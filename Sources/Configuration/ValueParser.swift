import Base
import Metrics
import NudgedPreferences
import Policy
import Systemd

/// Parses a value by its key's type. Its errors never repeat a secret.
enum ValueParser {
    /// What is wrong with a value, and the remedy.
    struct Failure: Error, Equatable {
        let what: String
        let remedy: String
    }

    static func parse(_ raw: RawValue, for key: ConfigurationKey) throws(Failure) -> ParsedValue {
        if let secret = raw.secret {
            guard isKey(secret) else { throw Failure(what: complaint("", key), remedy: "write \(key.expectation)") }
            return .secret(secret)
        }
        guard let text = raw.text else {
            // A null means `none` if the key takes that, else the default.
            if key.takesNone { return .none }
            return try key.standard.map { text throws(Failure) in try value(of: text, key, raw.source) } ?? .none
        }
        return try value(of: text, key, raw.source)
    }

    private static func value(
        of text: String,
        _ key: ConfigurationKey,
        _ source: ValueSource
    ) throws(Failure) -> ParsedValue {
        if text == "none", key.takesNone { return .none }
        let parsed: ParsedValue? =
            switch key.kind {
            case .text(let range): line(text, range)
            case .identifier(let length): identifier(text, length)
            case .choice(let words): words.contains(text) ? .text(text) : nil
            case .boolean: text == "true" ? .boolean(true) : text == "false" ? .boolean(false) : nil
            case .integer(let range, _): integer(text).flatMap { range.contains($0) ? .integer($0) : nil }
            case .duration(let range): DurationText.parse(text).flatMap { range.contains($0) ? .duration($0) : nil }
            case .wallTime: TimeOfDay(text).map { .wallTime($0) }
            case .zone: isZoneName(text) ? .text(text) : nil
            case .path: isPath(text) ? .text(text) : nil
            case .pem: pem(text)
            case .endpoint: endpoint(text).map { .endpoint($0) }
            case .serviceURL: isServiceURL(text) ? .text(text) : nil
            case .loopback: LoopbackAddress(text).map { .loopback($0) }
            case .databaseURL: isDatabaseURL(text) ? .text(text) : nil
            case .bundleID: isBundleID(text) ? .text(text) : nil
            }
        guard let parsed else {
            let isQuietHours = key.name == ConfigurationKey.quietHoursName
            let remedy = isQuietHours ? quietHoursRemedy(text, source) : "write \(key.expectation)"
            throw Failure(what: complaint(text, key), remedy: remedy)
        }
        return parsed
    }

    /// The form of quiet hours, with the times that the author wrote where they can be read.
    static func quietHoursRemedy(_ text: String?, _ source: ValueSource) -> String {
        let times = text.flatMap(twoTimes)
        let (start, end) = (times?.start.description ?? "22:00", times?.end.description ?? "08:00")
        if case .environment(let name) = source {
            return "set \(name)_START=\(start) and \(name)_END=\(end), or \(name)=none"
        }
        return "write {start: \"\(start)\", end: \"\(end)\"}, or none"
    }

    /// `22:00-08:00`, `22 - 8` and the like. Nil with letters: `10pm` is not 10:00.
    private static func twoTimes(_ text: String) -> (start: TimeOfDay, end: TimeOfDay)? {
        let parts = text.split { !($0.isASCII && $0.isNumber) && $0 != ":" }
        guard parts.count == 2, !text.contains(where: \.isLetter), let start = time(parts[0]), let end = time(parts[1])
        else { return nil }
        return (start, end)
    }

    /// `22`, `9:30` or `09:30`.
    private static func time(_ text: Substring) -> TimeOfDay? {
        let whole = text.contains(":") ? String(text) : "\(text):00"
        return TimeOfDay(whole.count == 4 ? "0" + whole : whole)
    }

    /// What is wrong, as specific as possible.
    private static func complaint(_ text: String, _ key: ConfigurationKey) -> String {
        if key.isSecret { return "the value is wrong" }
        // The author wrote the key where its path belongs. The error must not repeat it.
        if case .path = key.kind, looksLikeKey(text) { return "this is a key's text, not the path of its file" }
        let shown = quoted(text)
        switch key.kind {
        case .integer where integer(text) != nil: return "\(shown) is out of range"
        case .duration where DurationText.parse(text) != nil: return "\(shown) is out of range"
        case .text(let range) where text.count > range.upperBound: return "\(text.count) characters are too many"
        case .text where text.isEmpty: return "it is empty"
        case .loopback: return "\(shown) is not an address and a port that only this machine can reach"
        default: return "\(shown) is wrong"
        }
    }

    /// At most 40 Unicode scalars of the text, in quotes, on one line.
    static func quoted(_ text: String) -> String { "\"\(shown(text, most: 40))\"" }

    /// The beginning of the text, without characters that control a terminal. Scalars are counted, since one character
    /// may have any number of them.
    static func shown(_ text: String, most: Int) -> String {
        let isCut = text.unicodeScalars.dropFirst(most).first != nil
        return String(text.unicodeScalars.prefix(most)).printable + (isCut ? "…" : "")
    }

    private static func line(_ text: String, _ range: ClosedRange<Int>) -> ParsedValue? {
        // A block scalar of YAML ends in a newline.
        let trimmed = text.hasSuffix("\n") ? String(text.dropLast()) : text
        let isClean = trimmed.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 127 }
        let isBlank = trimmed.allSatisfy(\.isWhitespace)
        return isClean && !isBlank && range.contains(trimmed.count) ? .text(trimmed) : nil
    }

    /// Any text on one line that does not look like a key.
    private static func isPath(_ text: String) -> Bool {
        !text.isEmpty && !looksLikeKey(text) && text.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 127 }
    }

    private static func looksLikeKey(_ text: String) -> Bool {
        text.contains("-----BEGIN") || text.contains("PRIVATE KEY") || text.utf8.count > 100 && text.hasPrefix("MIG")
    }

    private static func identifier(_ text: String, _ length: Int) -> ParsedValue? {
        let isGood =
            text.utf8.count == length && text.utf8.allSatisfy { (48...57).contains($0) || (65...90).contains($0) }
        return isGood ? .text(text) : nil
    }

    private static func integer(_ text: String) -> Int? {
        // Only ASCII digits and `-`: `Int` would also take `+5`.
        text.utf8.allSatisfy { (48...57).contains($0) || $0 == UInt8(ascii: "-") } ? Int(text) : nil
    }

    private static func pem(_ text: String) -> ParsedValue? {
        // A variable on one line writes its newlines as backslash and n.
        var result = ""
        var rest = Substring(text)
        while let backslash = rest.firstIndex(of: "\\") {
            result += rest[..<backslash]
            rest = rest[rest.index(after: backslash)...]
            if rest.first == "n" {
                result += "\n"
                rest = rest.dropFirst()
            } else {
                result += "\\"
            }
        }
        result += rest
        let secret = Secret(result)
        return isKey(secret) ? .secret(secret) : nil
    }

    private static func isKey(_ secret: Secret) -> Bool {
        secret.withBytes { $0.starts(with: "-----BEGIN ".utf8) }
    }

    /// The form of a zone's name (docs/POLICY.md, "Zone"). `ConfigurationChecks.zone` looks for the zone itself.
    private static func isZoneName(_ text: String) -> Bool {
        if text == "UTC" { return true }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count >= 2, parts[0] != "posix", parts[0] != "right" else { return false }
        return parts.allSatisfy { part in
            !part.isEmpty && part != "." && part != ".."
                && part.utf8.allSatisfy { isAlphanumeric($0) || $0 == 95 || $0 == 43 || $0 == 45 }
        }
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
    }

    private static func endpoint(_ text: String) -> Configuration.Endpoint? {
        guard text.hasPrefix("https://") else { return nil }
        var rest = text.dropFirst("https://".count)
        if rest.hasSuffix("/") { rest = rest.dropLast() }
        var host: Substring
        if rest.first == "[" {
            guard let close = rest.firstIndex(of: "]") else { return nil }
            host = rest[rest.index(after: rest.startIndex)..<close]
            guard host.contains(":"), host.utf8.allSatisfy({ isAlphanumeric($0) || $0 == 58 || $0 == 46 }) else {
                return nil
            }
            rest = rest[rest.index(after: close)...]
        } else {
            host = rest.prefix { $0 != ":" }
            guard !host.isEmpty, host.utf8.allSatisfy({ isAlphanumeric($0) || $0 == 45 || $0 == 46 }) else {
                return nil
            }
            rest = rest[host.endIndex...]
        }
        if rest.isEmpty { return Configuration.Endpoint(host: String(host), port: 443) }
        guard rest.first == ":", let port = integer(String(rest.dropFirst())), (1...65_535).contains(port) else {
            return nil
        }
        return Configuration.Endpoint(host: String(host), port: UInt16(port))
    }

    private static func isDatabaseURL(_ text: String) -> Bool {
        (text.hasPrefix("postgresql://") || text.hasPrefix("postgres://"))
            && !text.utf8.contains { $0 <= 32 || $0 == 127 }
    }

    /// Only the form. `ConfigurationChecks.service` and `ConfigurationChecks.heartbeat` check the rest.
    private static func isServiceURL(_ text: String) -> Bool {
        (text.hasPrefix("https://") || text.hasPrefix("http://")) && !text.utf8.contains { $0 <= 32 || $0 >= 127 }
    }

    private static func isBundleID(_ text: String) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count >= 2 && text.utf8.count <= 155
            && parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { isAlphanumeric($0) || $0 == 45 } }
    }
}

extension ConfigurationKey {
    /// Whether the key takes `none` and null as values.
    var takesNone: Bool {
        switch kind {
        case .integer(_, let mayBeNone): mayBeNone
        case .zone: true
        case .choice(let words): words == ["none"]
        default: false
        }
    }
}
