import Testing
import TimeZones

@testable import Operator

struct ValueFaultsTests {
    @Test(arguments: [
        ("CET", "Europe/Berlin"), ("est", "America/New_York"), ("berlin", "Europe/Berlin"),
        ("europe/berlin", "Europe/Berlin"), ("Europe/Berln", "Europe/Berlin"), ("New York", "America/New_York"),
        ("UTC+3", "Etc/GMT-3"), ("GMT-05:00", "Etc/GMT+5"), ("utc", "UTC"),
    ]) func zone_whenMisspelt_namesTheOneThatWasMeant(name: String, meant: String) {
        #expect(ValueFaults.zone(name, ZoneDatabase()) == "the zone \(name) is unknown: did you mean \(meant)?")
    }

    @Test func zone_whenValidOrLikeNone_isNoFaultOrUnknown() {
        for name in ["GMT", "UTC", "Europe/Berlin"] { #expect(ValueFaults.zone(name, ZoneDatabase()) == nil) }
        #expect(ValueFaults.zone("qqqqqqqqqqqqqqqq", ZoneDatabase()) == "the zone qqqqqqqqqqqqqqqq is unknown")
    }

    @Test func keys_whenMisspelt_areNamed_andTheAppsOwnAreNot() {
        let text = #"{"check_in_tme":"10:00","checkins_enabled":true,"theme":"dark","weekday":1}"#
        #expect(
            ValueFaults.unknownKeys(text) == [
                "check_in_tme is unknown: did you mean check_in_time?",
                "checkins_enabled is unknown: did you mean check_ins_enabled?",
            ]
        )
        #expect(ValueFaults.unknownKeys(nil).isEmpty && ValueFaults.unknownKeys("{broken").isEmpty)
        let other = ["smartEnabled is unknown: did you mean smart_enabled?"]
        #expect(ValueFaults.unknownKeys(#"{"smartEnabled":true}"#) == other)
    }

    /// The daemon takes it for false and says nothing. So a person must be able to find it.
    @Test(arguments: [#""true""#, "1", "[true]", "{}"]) func consent_whenOfAnotherType_isNamed(value: String) {
        let fault = ValueFaults.consent(#"{"smart_enabled":\#(value)}"#)
        #expect(fault == "smart_enabled counts as false: wanted true or false")
    }

    @Test(
        arguments: [
            #"{"smart_enabled":true}"#, #"{"smart_enabled":false}"#, #"{"smart_enabled":null}"#, "{}", "[]", nil,
        ]
    ) func consent_whenValidOrAbsent_isNoFault(text: String?) { #expect(ValueFaults.consent(text) == nil) }
}
