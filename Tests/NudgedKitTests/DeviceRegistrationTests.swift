import NudgedKit
import Testing

struct DeviceRegistrationTests {
    /// A provisioning profile as Xcode embeds it: a signed message around a property list.
    private func profile(_ key: String, _ value: String, between: String = "\n\t\t") -> [UInt8] {
        let list = """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict>
            \t<key>AppIDName</key><string>aps-environment</string>
            \t<key>Entitlements</key>
            \t<dict>
            \t\t<key>\(key)</key>\(between)\(value)
            \t\t<key>get-task-allow</key>
            \t\t<true/>
            \t</dict>
            </dict></plist>
            """
        return [0x30, 0x82, 0x2F, 0xFF, 0x06, 0x09] + Array(list.utf8) + [0xA0, 0x82, 0x00, 0x3C, 0xFE]
    }

    @Test(arguments: ["aps-environment", "com.apple.developer.aps-environment"])
    func environment_whenInTheProfile_isThatOfTheEntitlement(key: String) {
        for between in ["\n\t\t", "", "\r\n "] {
            let development = profile(key, "<string>development</string>", between: between)
            #expect(DeviceEnvironment(provisioningProfile: development) == .sandbox)
            let production = profile(key, "<string>production</string>", between: between)
            #expect(DeviceEnvironment(provisioningProfile: production) == .production)
        }
    }

    @Test func environment_whenTheProfileHasNone_isNil() {
        for bytes in [
            [], Array("aps-environment".utf8), Array("aps-environment</key>".utf8),
            profile("keychain-access-groups", "<string>development</string>"),
            profile("aps-environment", "<string>sandbox</string>"), profile("aps-environment", "<string></string>"),
            profile("aps-environment", "<true/>"), Array("aps-environment</key><string>production".utf8.dropLast(4)),
        ] { #expect(DeviceEnvironment(provisioningProfile: bytes) == nil) }
    }

    @Test func token_whenShown_isNot() {
        let token = DeviceToken([0x00, 0x0F, 0xA5, 0xFF])
        #expect(token.hexadecimal == "000fa5ff" && "\(token)" == "(token)")
        #expect("\(DeviceRegistration(token: token, platform: .ios, environment: nil))".contains("000fa5ff") == false)
    }

    @Test func place_whenTheDaemonWouldRefuseIt_isLeftOut() {
        let token = DeviceToken([1])
        func registration(_ timezone: String?, _ locale: String?) -> DeviceRegistration {
            DeviceRegistration(token: token, platform: .ios, environment: .sandbox, timezone: timezone, locale: locale)
        }
        let known = registration("Asia/Tokyo", "pt_BR")
        #expect(known.timezone == "Asia/Tokyo" && known.locale == "pt-BR")
        let unknown = registration("GMT+0900", "")
        #expect(unknown.timezone == nil && unknown.locale == nil && registration(nil, nil) == unknown)
    }

    @Test(arguments: [
        ("de", "de"), ("pt_BR", "pt-BR"), ("zh-Hans-CN", "zh-Hans-CN"), ("de_AT@calendar=gregorian", "de-AT"),
        ("en_US.UTF-8", "en-US"), ("es-419", "es-419"),
    ]) func locale_whenOfTheSystem_isATag(name: String, tag: String) { #expect(LocaleName.tag(name) == tag) }

    @Test(arguments: [
        "", "d", "abcdefghi", "419", "de-", "-de", "de--AT", "de-abcdefghi", "d\u{e9}", "de-\u{e9}t", "@x", "en US",
        "en" + String(repeating: "-abcdefgh", count: 7),
    ]) func locale_whenNoLanguage_isNil(identifier: String) { #expect(LocaleName.tag(identifier) == nil) }
}
