import LocalPostgres
import TimeZones

/// Everything that a day needs.
struct DemoScene: Sendable {
    let population: DemoPopulation
    let directory: Directory
    let zones: ZoneDatabase
    /// How many names the zone database has.
    let zoneCount: Int
    /// The day's first instant, a full UTC hour.
    let start: Instant
    let apple: SimulatedApple
    let cluster: LocalCluster
}
