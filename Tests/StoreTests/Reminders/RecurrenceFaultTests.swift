import Policy
import TestSupport
import Testing

@testable import Core

/// SQL refuses what Swift's parser refuses, and says why.
@Suite(.ownThreads) struct RecurrenceFaultTests {
    /// What SQL says of each rule; `-`: nothing.
    private func faults(_ fixture: F, _ rules: [String]) throws -> [String] {
        let quoted = rules.map {
            "'" + $0.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
        }
        return try fixture.lines(
            """
            select coalesce(nudged.recurrence_fault(r.rule), '-')
            from unnest(array[\(quoted.joined(separator: ","))]) with ordinality as r (rule, place) order by r.place
            """
        )
    }

    @Test func fault_whenTheRuleIsOfTheTable_isWhatTheTableSays() async throws {
        let fixture = try await F()
        let rules = TabledRule.good + TabledRule.bad
        let faults = try faults(fixture, rules.map(\.text))
        try #require(faults.count == rules.count)
        for (rule, fault) in zip(rules, faults) { #expect(fault == rule.error ?? "-", "\(rule.text)") }
    }

    @Test(arguments: Seeds.all) func fault_whenTheRuleIsRandom_isThereIfTheParserRefuses(seed: UInt64) async throws {
        let fixture = try await F()
        var random = RandomRules(seed: seed)
        let rules = (0..<200).map { _ in random.rule() } + (0..<800).map { _ in random.spoilt() }
        let faults = try faults(fixture, rules)
        try #require(faults.count == rules.count)
        for (rule, fault) in zip(rules, faults) {
            #expect((fault == "-") == (Recurrence(parsing: rule) != nil), "seed \(seed): \(rule): \(fault)")
        }
        #expect(Set(faults).count > 10, "seed \(seed)")
    }
}
