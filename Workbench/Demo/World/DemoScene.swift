import LocalPostgres
import TimeZones

/// What the day is played with.
struct DemoScene: Sendable {
    let population: Population
    let directory: Directory
    let zones: ZoneDatabase
    /// Names in the zone database.
    let zoneCount: Int
    /// The day's first instant, a full UTC hour.
    let start: Instant
    let apple: SimulatedApple
    let cluster: LocalCluster
}
