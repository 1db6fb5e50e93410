package import Configuration
import Delivery
import APNs
import OpenSSL
import Postgres
import TimeZones

extension ConfigurationChecks {
    /// Checks values with the code that uses them. So `check-config`, the start and a reload report the same errors.
    package static let system = ConfigurationChecks(
        key: { _ = try P256SigningKey(pem: $0) },
        database: { url, allowInsecure in _ = try Assembly.connection(url, allowInsecure: allowInsecure) },
        zone: { isZone($0) },
        service: { url, token in _ = try Decider.checked(url, token: token) },
        heartbeat: { url in _ = try HeartbeatCaller.checked(url) },
        words: { title, body in _ = try Notification(title: title, body: body).rendered() }
    )

    /// A zone whose file can't be read now is not a fault of the configuration. Its users wait for the file.
    private static func isZone(_ name: String) -> Bool {
        do throws(TimeZoneError) {
            return try ZoneDatabase().zone(named: name) != nil
        } catch {
            return true
        }
    }
}
