import NudgedPreferences
import Policy
import Testing

@testable import Core

@Suite struct PreferencesCacheTests {
    @Test func parsed_whenAskedAgain_isTheSame() {
        let cache = PreferencesCache()
        for text in [#"{"check_ins_enabled":true,"frequency":"daily"}"#, "[1]", "{", ""] {
            #expect(cache.parsed(text) == Preferences(parsing: text))
            #expect(cache.parsed(text) == Preferences(parsing: text))
        }
        #expect(cache.parsed(nil) == Preferences(parsing: nil))
    }

    /// U+212A KELVIN SIGN is canonically equivalent to K, and no zone's letter.
    @Test func parsed_whenTextsAreOnlyCanonicallyEqual_keepsThemApart() {
        let cache = PreferencesCache()
        let plain = #"{"timezone":"Asia/Kolkata"}"#
        let odd = "{\"timezone\":\"Asia/\u{212A}olkata\"}"
        #expect(plain == odd)
        #expect(cache.parsed(plain).timezone?.utf8.count == 12)
        #expect(cache.parsed(odd).timezone?.utf8.count == 14)
    }

    @Test func parsed_whenThereAreMany_staysRight() {
        let cache = PreferencesCache()
        for round in 0..<2 {
            for number in 0..<5000 {
                let text = #"{"max_per_day":\#(number + 1)}"#
                #expect(cache.parsed(text).maxPerDay == Int64(number + 1), "\(round)")
            }
        }
    }
}
