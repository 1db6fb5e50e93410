package import Configuration
import Delivery
import APNs
import OpenSSL
import Postgres
import TimeZones

extension ConfigurationChecks {
    /// What the parts themselves say of their values: the same words in `check-config`, at the start and at a reload.
    package static let system = ConfigurationChecks(
        key: { _ = try P256SigningKey(pem: $0) },
        database: { url, allowInsecure in _ = try Assembly.connection(url, allowInsecure: allowInsecure) },
        zone: { isZone($0) },
        service: { url, token in _ = try Decider.checked(url, token: token) },
        heartbeat: { url in _ = try HeartbeatCaller.checked(url) },
        words: { title, body in _ = try Notification(title: title, body: body).rendered() }
    )

    /// A name whose file can't be read now is no fault of the configuration: users who depend on it wait for the file.
    private static func isZone(_ name: String) -> Bool {
        do throws(TimeZoneError) {
            return try ZoneDatabase().zone(named: name) != nil
        } catch {
            return true
        }
    }
}
