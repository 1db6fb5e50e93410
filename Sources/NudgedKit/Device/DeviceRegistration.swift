/// What `nudged_me.register_device` stores of this device (docs/CLIENT.md, "What to store").
public struct DeviceRegistration: Sendable, Equatable {
    /// The device's token.
    public let token: DeviceToken
    /// The device's platform.
    public let platform: DevicePlatform
    /// The service that the token belongs to. Nil: as the daemon is configured.
    public let environment: DeviceEnvironment?
    /// The bundle id, if several apps share the database. Nil: as the daemon is configured.
    public let topic: String?
    /// The device's time zone. Nil if the daemon would refuse the name.
    public let timezone: String?
    /// The user's language as a tag, such as `pt-BR`. Nil if it is none.
    public let locale: String?
    /// What the token is for. Nil: the device itself.
    public var surface: Surface?

    /// - Parameters:
    ///   - timezone: the system's name of the zone, such as `Europe/Paris`. A name that no daemon takes (`GMT+0200`)
    ///     counts as nil.
    ///   - locale: an identifier of the system's, such as `pt_BR`. Anything else counts as nil.
    public init(
        token: DeviceToken,
        platform: DevicePlatform,
        environment: DeviceEnvironment?,
        topic: String? = nil,
        timezone: String? = nil,
        locale: String? = nil,
        surface: Surface? = nil
    ) {
        self.token = token
        self.platform = platform
        self.environment = environment
        self.topic = topic
        self.surface = surface
        self.timezone = timezone.flatMap { ZoneName.isWellFormed($0) ? $0 : nil }
        self.locale = locale.flatMap { LocaleName.tag($0) }
    }
}

/// A device's APNs token, as Apple gave it to the app. Its description does not show it.
public struct DeviceToken: Sendable, Hashable, CustomStringConvertible {
    /// The token as hexadecimal digits in lower case, as `nudged_me.register_device` takes it.
    public let hexadecimal: String

    /// - Parameter bytes: what the system handed over. Apple says that the length may change.
    public init(_ bytes: some Sequence<UInt8>) {
        let digits: StaticString = "0123456789abcdef"
        var text: [UInt8] = []
        for byte in bytes {
            text.append(digits.utf8Start[Int(byte >> 4)])
            text.append(digits.utf8Start[Int(byte & 15)])
        }
        hexadecimal = String(decoding: text, as: UTF8.self)
    }

    /// The same text for every token, so that no log shows one.
    public var description: String { "(token)" }
}

/// The platforms that nudged sends to.
public enum DevicePlatform: String, Sendable, CaseIterable {
    case ios, ipados, macos, watchos, tvos, visionos
}

/// Which of Apple's two push services a token belongs to.
public enum DeviceEnvironment: String, Sendable, CaseIterable {
    /// For builds that are signed for development. Apple calls it `development`.
    case sandbox
    /// For TestFlight, the App Store, ad-hoc and enterprise builds.
    case production

    /// Reads the entitlement `aps-environment` (macOS: `com.apple.developer.aps-environment`) from an app's embedded
    /// provisioning profile: `embedded.mobileprovision`, on macOS `Contents/embedded.provisionprofile`.
    ///
    /// The profile is a property list as XML inside a signed message. A build configuration such as `DEBUG` does not
    /// say which service a token belongs to: a release build that Xcode installs is signed for development too. Apple:
    /// <https://developer.apple.com/documentation/bundleresources/entitlements/aps-environment>
    ///
    /// - Returns: nil if the profile has no such entitlement: then the app may not receive pushes.
    public init?(provisioningProfile: some Collection<UInt8>) {
        let bytes = Array(provisioningProfile)
        let key = Array("aps-environment</key>".utf8)
        guard let start = bytes.indices.first(where: { bytes[$0...].starts(with: key) }) else { return nil }
        let rest = bytes[(start + key.count)...].drop { $0 <= UInt8(ascii: " ") }
        let tag = Array("<string>".utf8)
        guard rest.starts(with: tag) else { return nil }
        switch String(decoding: rest.dropFirst(tag.count).prefix { $0 != UInt8(ascii: "<") }, as: UTF8.self) {
        case "development": self = .sandbox
        case "production": self = .production
        default: return nil
        }
    }
}

/// What an app shows beside notifications. Each has tokens of its own.
public enum Surface: Sendable, Hashable {
    case widgets
    case controls
    /// Starts Live Activities of a Swift type, such as `OrderAttributes` (`attributes_type` in the push).
    case start(type: String)
    /// A running Live Activity, by the app's own name of it.
    case activity(id: String)

    /// As `nudged_me.register_device` takes it.
    public var text: String {
        switch self {
        case .widgets: "widgets"
        case .controls: "controls"
        case .start(let type): "start:\(type)"
        case .activity(let id): "activity:\(id)"
        }
    }
}

/// A user's language, as nudged's texts are chosen by it (docs/TABLES.md, "Check-in texts").
public enum LocaleName {
    /// A language tag from an identifier of the system's: `de_AT@calendar=gregorian` gives `de-AT`.
    ///
    /// - Returns: nil if the text is no language of 2 to 8 letters with further parts of 1 to 8 letters and digits, or
    ///   if it is longer than 64 bytes.
    public static func tag(_ identifier: String) -> String? {
        let bytes = identifier.utf8.prefix { $0 != UInt8(ascii: "@") && $0 != UInt8(ascii: ".") }
            .map { $0 == UInt8(ascii: "_") ? UInt8(ascii: "-") : $0 }
        let parts = bytes.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard bytes.count <= 64, (2...8).contains(parts[0].count), parts[0].allSatisfy(isLetter) else { return nil }
        for part in parts.dropFirst() {
            guard (1...8).contains(part.count), part.allSatisfy({ isLetter($0) || isDigit($0) }) else { return nil }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
