import JSON
import Policy
import Testing

struct RulesTests {
    @Test func rules_whenOutOfRange_nameTheField() throws {
        #expect(try Rules(json: .object(JSONObject())) == .defaults)
        let error = #expect(throws: PolicyError.self) { try Rules(spreadMinutes: 1441) }
        #expect(error?.field == "spread_minutes")
        #expect(throws: PolicyError.self) { try Rules(maxStalenessMinutes: 0) }
        #expect(throws: PolicyError.self) { try Rules(maxPerDay: 0) }
        #expect(throws: PolicyError.self) { try Rules(quietEndJitterMinutes: 241) }
    }
}
