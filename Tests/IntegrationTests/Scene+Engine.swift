import Configuration
import Core
import Service
import Testing
import TimeZones

/// nudged's engine in this process, so that the test makes each sweep.
extension Scene {
    func engine(clock: PolicyClock = PolicyClock()) throws -> Engine {
        let none = "/nonexistent"
        let loaded = try ConfigurationLoader.load(environment: environment(), checks: .system, standardPath: none)
        let assembly = try Assembly(loaded.configuration, zones: ZoneDatabase())
        return try Engine(assembly, reporter: Reporter { _ in }, clock: clock)
    }

    /// Sweeps until nobody is due at an instant, which is SQL. The first sweep asks everyone, and what it found may
    /// outlive it. Users in hand until their settlement is known are left out by the next one.
    func sweep(_ engine: Engine, untilNobodyIsDueAt instant: String = "now()", atMost most: Int = 1000) async throws {
        let due = "(select count(*) from nudged.person where due_at <= \(instant))"
        var left = ""
        for _ in 0..<most where left != "0" {
            try await engine.pipeline.sweep()
            await engine.pipeline.quiesce()
            left = try sql("select \(due) + (select count(*) from nudged.touched)")
        }
        try #require(left == "0", "somebody is still due at \(instant)")
    }
}
