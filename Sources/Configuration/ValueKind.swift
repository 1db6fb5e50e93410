import APNs
import Base
import Metrics
import NudgedPreferences
import Policy

/// The values of a key: how they are read, where they go, and how errors and the reference describe them.
struct ValueKind: Sendable {
    typealias Place<Value> = any WritableKeyPath<Draft, Value> & Sendable

    let expectation: String
    var takesNone = false
    /// What is wrong with a value that is refused. Only for a key that is no secret.
    let wrong: @Sendable (String) -> String
    /// Puts the value into the draft. Returns it as it would be written. Nil: it is refused.
    let read: @Sendable (RawValue, inout Draft) -> String?
}

extension ValueKind {
    private init<Value>(
        _ expectation: String,
        takesNone: Bool = false,
        shown: @escaping @Sendable (Value) -> String = { "\($0)" },
        wrong: @escaping @Sendable (String) -> String = { "\(ValueKind.quoted($0)) is wrong" },
        parse: @escaping @Sendable (String) -> Value?,
        put: @escaping @Sendable (Value, inout Draft) -> Void
    ) {
        self.init(expectation: expectation, takesNone: takesNone, wrong: wrong) { raw, draft in
            guard let value = parse(raw.text ?? "") else { return nil }
            put(value, &draft)
            return shown(value)
        }
    }

    private static func text(
        _ expectation: String,
        _ place: Place<some TextValue>,
        takesNone: Bool = false,
        if isGood: @escaping @Sendable (String) -> Bool
    ) -> ValueKind {
        ValueKind(expectation, takesNone: takesNone, parse: { isGood($0) ? $0 : nil }) {
            $1[keyPath: place] = .init(text: $0)
        }
    }

    static func text(_ range: ClosedRange<Int>, _ place: Place<some TextValue>) -> ValueKind {
        let wrong: @Sendable (String) -> String = { text in
            if text.isEmpty { return "it is empty" }
            return text.count > range.upperBound ? "\(text.count) characters are too many" : "\(quoted(text)) is wrong"
        }
        let parse: @Sendable (String) -> String? = { text in
            // A block scalar of YAML ends in a newline.
            let line = text.hasSuffix("\n") ? String(text.dropLast()) : text
            return isOneLine(line) && !line.allSatisfy(\.isWhitespace) && range.contains(line.count) ? line : nil
        }
        let expectation = "one line of \(range.lowerBound) to \(range.upperBound) characters"
        return ValueKind(expectation, wrong: wrong, parse: parse) { $1[keyPath: place] = .init(text: $0) }
    }

    static func identifier(_ length: Int, _ place: Place<some TextValue>) -> ValueKind {
        text("\(length) capital letters and digits", place) { text in
            text.utf8.count == length && text.utf8.allSatisfy { isAlphanumeric($0) && $0 < UInt8(ascii: "a") }
        }
    }

    static func bundleID(_ place: Place<some TextValue>) -> ValueKind {
        text("a bundle id such as com.example.app", place) { text in
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            return parts.count >= 2 && text.utf8.count <= 155 && parts.allSatisfy { isWord($0, and: "-") }
        }
    }

    static func path(_ place: Place<some TextValue>) -> ValueKind {
        // The author may have written the key where its path belongs. The error must not repeat it.
        let isKey: @Sendable (String) -> Bool = { text in
            text.contains("-----BEGIN") || text.contains("PRIVATE KEY")
                || text.utf8.count > 100 && text.hasPrefix("MIG")
        }
        return ValueKind(
            "the path of a file",
            wrong: { isKey($0) ? "this is a key's text, not the path of its file" : "\(quoted($0)) is wrong" },
            parse: { !$0.isEmpty && !isKey($0) && isOneLine($0) ? $0 : nil },
            put: { $1[keyPath: place] = .init(text: $0) }
        )
    }

    /// The form of a zone's name (docs/POLICY-SPEC.md, "Zone"). `ConfigurationChecks.zone` looks for the zone itself.
    static func zone(_ place: Place<String?>) -> ValueKind {
        text("a zone name such as Europe/Berlin, UTC, or none", place, takesNone: true) { text in
            let parts = text.split(separator: "/", omittingEmptySubsequences: false)
            return text == "UTC"
                || parts.count >= 2 && parts[0] != "posix" && parts[0] != "right"
                    && parts.allSatisfy { isWord($0, and: "_+-") }
        }
    }

    static func databaseURL(_ place: Place<some TextValue>) -> ValueKind {
        text("a URI such as postgresql://user@host/database?sslmode=verify-full", place) { text in
            (text.hasPrefix("postgresql://") || text.hasPrefix("postgres://"))
                && !text.utf8.contains { $0 <= 32 || $0 == 127 }
        }
    }

    /// Only the form. `ConfigurationChecks.service` and `ConfigurationChecks.heartbeat` check the rest.
    static func serviceURL(_ place: Place<some TextValue>) -> ValueKind {
        text("https://host/path, or http:// where the host is this machine (localhost, 127.0.0.1, [::1])", place) {
            ($0.hasPrefix("https://") || $0.hasPrefix("http://")) && !$0.utf8.contains { $0 <= 32 || $0 >= 127 }
        }
    }

    static func choice<Word: RawRepresentable<String> & CaseIterable & Sendable>(_ place: Place<Word>) -> ValueKind {
        let names = Word.allCases.map(\.rawValue).joined(separator: " or ")
        return ValueKind(names, shown: \.rawValue, parse: { Word(rawValue: $0) }) { $1[keyPath: place] = $0 }
    }

    static func boolean(_ place: Place<Bool>) -> ValueKind {
        ValueKind("true or false", parse: { Bool($0) }) { $1[keyPath: place] = $0 }
    }

    static func integer(_ range: ClosedRange<Int>, _ place: Place<Int>) -> ValueKind {
        integer("a whole number from \(range.lowerBound) to \(range.upperBound)", range) { $1[keyPath: place] = $0 }
    }

    static func integerOrNone(_ range: ClosedRange<Int>, _ place: Place<Int64?>) -> ValueKind {
        let end = range.upperBound == .max ? "" : " to \(range.upperBound)"
        return integer("a whole number from \(range.lowerBound)\(end), or none", range, takesNone: true) {
            $1[keyPath: place] = Int64($0)
        }
    }

    private static func integer(
        _ expectation: String,
        _ range: ClosedRange<Int>,
        takesNone: Bool = false,
        put: @escaping @Sendable (Int, inout Draft) -> Void
    ) -> ValueKind {
        ValueKind(
            expectation,
            takesNone: takesNone,
            wrong: { "\(quoted($0)) is \(number($0) == nil ? "wrong" : "out of range")" },
            parse: { number($0).flatMap { range.contains($0) ? $0 : nil } },
            put: put
        )
    }

    static func duration(_ range: ClosedRange<Duration>, _ place: Place<Duration>) -> ValueKind {
        ValueKind(
            "a duration such as 500ms, 1s or 5m, from \(range.lowerBound.text) to \(range.upperBound.text)",
            shown: \Duration.text,
            wrong: { "\(quoted($0)) is \(Duration(text: $0) == nil ? "wrong" : "out of range")" },
            parse: { Duration(text: $0).flatMap { range.contains($0) ? $0 : nil } },
            put: { $1[keyPath: place] = $0 }
        )
    }

    static func wallTime(_ place: Place<TimeOfDay>) -> ValueKind {
        ValueKind("a time HH:MM from 00:00 to 23:59, in quotes", parse: { TimeOfDay($0) }) { $1[keyPath: place] = $0 }
    }

    static func endpoint(_ place: Place<SenderConfiguration.Endpoint?>) -> ValueKind {
        ValueKind("https://host or https://host:port", shown: { "https://\($0)" }, parse: endpoint(_:)) {
            $1[keyPath: place] = $0
        }
    }

    static func listen(_ place: Place<ListenAddress?>) -> ValueKind {
        let expectation = "a numeric address and a port such as 127.0.0.1:9464 or [::]:9464"
        return ValueKind(expectation, parse: { ListenAddress($0) }) { $1[keyPath: place] = $0 }
    }

    /// A bearer token (RFC 6750, section 2.1), or the word that stands for none. The range is its length.
    static func token(_ range: ClosedRange<Int>, _ place: Place<Secret?>) -> ValueKind {
        ValueKind(
            "\(range.lowerBound) to \(range.upperBound) letters, digits and -._~+/=, or \(openToken)",
            parse: { $0 == openToken || range.contains($0.utf8.count) && isWord($0, and: "-._~+/=") ? $0 : nil },
            put: { $1[keyPath: place] = $0 == openToken ? nil : Secret($0) }
        )
    }

    static let openToken = "open"

    /// A signing key's text, from a credential as bytes. A variable on one line writes its newlines as `\n`.
    static func pem(_ place: Place<Secret>) -> ValueKind {
        let expectation = "the text of the .p8 file, from -----BEGIN PRIVATE KEY----- on"
        return ValueKind(expectation: expectation, wrong: { _ in "" }) { raw, draft in
            let secret = raw.secret ?? Secret((raw.text ?? "").replacing("\\n", with: "\n"))
            guard secret.withBytes({ $0.starts(with: "-----BEGIN ".utf8) }) else { return nil }
            draft[keyPath: place] = secret
            return Secret.hidden
        }
    }

    /// `22:00-08:00`
    static func quietHours(_ place: Place<QuietHours?>) -> ValueKind {
        ValueKind(
            "two times HH:MM-HH:MM such as 22:00-08:00, or none",
            takesNone: true,
            parse: { text in
                let times = text.split(separator: "-", omittingEmptySubsequences: false).map { TimeOfDay(String($0)) }
                guard times.count == 2, let start = times[0], let end = times[1] else { return nil }
                return QuietHours(start: start, end: end)
            },
            put: { (hours: QuietHours, draft) in draft[keyPath: place] = hours }
        )
    }

    /// At most 40 Unicode scalars of the text, in quotes, on one line.
    static func quoted(_ text: String) -> String { "\"\(beginning(of: text, most: 40))\"" }

    /// Without characters that control a terminal. Scalars are counted, since a character may have any number of them.
    static func beginning(of text: String, most: Int) -> String {
        let scalars = text.unicodeScalars.prefix(most)
        return String(scalars).printable + (scalars.endIndex < text.endIndex ? "…" : "")
    }

    private static func isOneLine(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 127 }
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
    }

    private static func isWord(_ text: some StringProtocol, and others: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { isAlphanumeric($0) || others.utf8.contains($0) }
    }

    /// Only ASCII digits and `-`: `Int` would also take `+5`.
    private static func number(_ text: some StringProtocol) -> Int? {
        text.utf8.allSatisfy { (48...57).contains($0) || $0 == UInt8(ascii: "-") } ? Int(text) : nil
    }

    private static func endpoint(_ text: String) -> SenderConfiguration.Endpoint? {
        guard text.hasPrefix("https://") else { return nil }
        var rest = text.dropFirst("https://".count)
        if rest.hasSuffix("/") { rest = rest.dropLast() }
        let isBracketed = rest.first == "["
        if isBracketed { rest = rest.dropFirst() }
        let host = rest.prefix { $0 != (isBracketed ? "]" : ":") }
        rest = rest[host.endIndex...]
        guard isWord(host, and: isBracketed ? ":." : "-."), !isBracketed || host.contains(":") && rest.first == "]"
        else { return nil }
        if isBracketed { rest = rest.dropFirst() }
        if rest.isEmpty { return SenderConfiguration.Endpoint(host: String(host), port: 443) }
        guard rest.first == ":", let port = number(rest.dropFirst()), (1...65_535).contains(port) else { return nil }
        return SenderConfiguration.Endpoint(host: String(host), port: UInt16(port))
    }
}

protocol TextValue: Sendable { init(text: String) }

extension String: TextValue { init(text: String) { self = text } }

extension Secret: TextValue { convenience init(text: String) { self.init(text) } }

extension Optional: TextValue where Wrapped: TextValue { init(text: String) { self = .some(.init(text: text)) } }
