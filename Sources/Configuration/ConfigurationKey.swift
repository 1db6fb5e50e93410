/// One key of the configuration: its names, its type and range, its default and its purpose.
///
/// The reference and the validation of single keys are made from `all`. Rules between keys are in the assemblers.
package struct ConfigurationKey: Sendable {
    /// The type and range of a value.
    package enum Kind: Sendable {
        /// One line of text; the range is its length in characters.
        case text(ClosedRange<Int>)
        /// Exactly this many capital letters and digits.
        case identifier(Int)
        /// One of these words.
        case choice([String])
        /// `true` or `false`.
        case boolean
        /// A whole number. `mayBeNone` also allows `none` and null.
        case integer(ClosedRange<Int>, mayBeNone: Bool)
        /// A duration; see `DurationText`.
        case duration(ClosedRange<Duration>)
        /// `HH:MM`.
        case wallTime
        /// A time zone's name (docs/POLICY.md, "Zone"). `none` or null means no zone.
        case zone
        /// A file's path.
        case path
        /// PEM text. Its newlines may be written as `\n`.
        case pem
        /// `https://host[:port]`.
        case endpoint
        /// `https://host[:port][/path]`, or the same with `http://`.
        case serviceURL
        /// A loopback address with a port.
        case loopback
        /// A libpq URI.
        case databaseURL
        case bundleID
    }

    /// The dotted name, as in the file: `apns.teamId`.
    package let name: String
    package let kind: Kind
    /// The default as it would be written. Nil if there is none.
    package let standard: String?
    /// Whether output must hide the value.
    package let isSecret: Bool
    /// The commands that need the key. Empty if it has a default or is optional.
    package let need: ConfigurationNeeds
    /// What the key is for, in one sentence.
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

    /// The environment variable: `APNS_TEAM_ID` for `apns.teamId`.
    package var environmentName: String { Self.environmentName(name) }

    /// The variable for the app that signs with the key `keyID`, such as `APNS_PRIVATE_KEY_FILE_KEY2345678`.
    func environmentName(forKeyID keyID: String) -> String { environmentName + "_" + keyID }

    /// The file's name in systemd's credentials directory. Only secrets are read from there.
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

    /// Type and range as text, for errors and the reference.
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
            "a duration such as 500ms, 1s or 5m, "
                + "from \(DurationText.format(range.lowerBound)) to \(DurationText.format(range.upperBound))"
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
