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
