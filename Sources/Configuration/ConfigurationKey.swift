/// One key of the configuration: its names, its type and range, its default, and what it is for.
///
/// The reference is generated from `all`; so is the validation, but for the rules that tie two keys together.
package struct ConfigurationKey: Sendable {
    /// What a value must be.
    package enum Kind: Sendable {
        /// One line of text, of so many characters.
        case text(ClosedRange<Int>)
        /// Exactly so many capital letters and digits.
        case identifier(Int)
        /// One of these words.
        case choice([String])
        /// `true` or `false`.
        case boolean
        /// A whole number. `none` and null where `mayBeNone`.
        case integer(ClosedRange<Int>, mayBeNone: Bool)
        /// A duration; see `DurationText`.
        case duration(ClosedRange<Duration>)
        /// `HH:MM`.
        case wallTime
        /// A time-zone name as docs/POLICY.md says; `none` or null for no zone.
        case zone
        /// The path of a file.
        case path
        /// A PEM text; its newlines may be written `\n`.
        case pem
        /// `https://host[:port]`.
        case endpoint
        /// `https://host[:port][/path]`.
        case serviceURL
        /// An address of this machine, with a port.
        case loopback
        /// A libpq URI.
        case databaseURL
        /// A bundle id.
        case bundleID
    }

    /// Dotted, as in the file: `apns.teamId`.
    package let name: String
    /// What a value must be.
    package let kind: Kind
    /// The default as it would be written; nil where there is none.
    package let standard: String?
    /// Whether no output shows the value.
    package let isSecret: Bool
    /// Which commands' work needs it, where there is no default.
    package let need: ConfigurationNeeds
    /// What it is for, in a sentence.
    package let summary: String

    init(
        _ name: String,
        _ kind: Kind,
        standard: String? = nil,
        isSecret: Bool = false,
        need: ConfigurationNeeds = [],
        _ summary: String
    ) {
        self.name = name
        self.kind = kind
        self.standard = standard
        self.isSecret = isSecret
        self.need = need
        self.summary = summary
    }

    /// The environment variable: `apns.teamId` is `APNS_TEAM_ID`.
    package var environmentName: String { Self.environmentName(name) }

    /// The variable that gives this key's value to the app that signs with the key `keyID`: `APNS_PRIVATE_KEY_FILE_KEY2345678`.
    func environmentName(forKeyID keyID: String) -> String { environmentName + "_" + keyID }

    /// The file in systemd's credentials directory; only secrets come from there.
    package var credentialName: String? { isSecret ? name : nil }

    static func environmentName(_ name: String) -> String {
        var result = ""
        for character in name {
            if character == "." {
                result += "_"
            } else if character.isUppercase {
                result += "_\(character)"
            } else {
                result += character.uppercased()
            }
        }
        return result
    }

    /// Type and range in words, for errors and the reference.
    package var expectation: String {
        switch kind {
        case .text(let range): "one line of \(range.lowerBound) to \(range.upperBound) characters"
        case .identifier(let length): "\(length) capital letters and digits"
        case .choice(let words): words.joined(separator: " or ")
        case .boolean: "true or false"
        case .integer(let range, let mayBeNone):
            (range.upperBound == .max
                ? "a whole number from \(range.lowerBound)"
                : "a whole number from \(range.lowerBound) to \(range.upperBound)")
                + (mayBeNone ? ", or none" : "")
        case .duration(let range):
            "a duration such as 500ms, 1s or 5m, from \(DurationText.format(range.lowerBound)) to \(DurationText.format(range.upperBound))"
        case .wallTime: "a time HH:MM from 00:00 to 23:59, in quotes"
        case .zone: "a zone name such as Europe/Berlin, UTC, or none"
        case .path: "the path of a file"
        case .pem: "the text of the .p8 file, from -----BEGIN PRIVATE KEY----- on"
        case .endpoint: "https://host or https://host:port"
        case .serviceURL: "https://host/path, or http:// where the host is this machine (localhost, 127.0.0.1, [::1])"
        case .loopback: "an address of this machine and a port, 127.0.0.1:9464 or [::1]:9464"
        case .databaseURL: "a URI such as postgresql://user@host/database?sslmode=verify-full"
        case .bundleID: "a bundle id such as com.example.app"
        }
    }
}
