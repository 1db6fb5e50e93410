import APNs
import OpenSSL
import Postgres
import TimeZones

extension ConfigurationChecks {
    /// What the parts themselves say of their values: the same words in `check-config`, at the start and at a reload.
    public static let system = ConfigurationChecks(
        key: { _ = try P256SigningKey(pem: $0) },
        database: { url, allowInsecure in _ = try Assembly.connection(url, allowInsecure: allowInsecure) },
        zone: { ZoneDatabase().zone(named: $0) != nil },
        words: { title, body in _ = try Notification(title: title, body: body).rendered() }
    )
}
