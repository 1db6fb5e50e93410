package import Configuration
import Core
import APNs
import Postgres
import TimeZones

extension ConfigurationChecks {
    /// Checks values with the code that uses them. So `check-config`, the start and a reload report the same errors.
    package static let system = ConfigurationChecks {
        $0.key = { _ = try Assembly.signingKey($0) }
        $0.database = { url, allowInsecure in try databaseTarget(url, allowInsecure: allowInsecure) }
        $0.zone = { isZone($0) }
        $0.service = { url, token in _ = try Decider.checked(url, token: token) }
        $0.heartbeat = { url in _ = try HeartbeatCaller.checked(url) }
        $0.text = { title, body in _ = try Notification(title: title, body: body).rendered() }
    }

    /// What may be shown of the URL.
    private static func databaseTarget(_ url: String, allowInsecure: Bool) throws(ConfigurationFault) -> String {
        do throws(PostgresError) {
            return try Assembly.connection(url, allowInsecure: allowInsecure).description
        } catch {
            throw ConfigurationFault(
                key: "database.url",
                what: error.detail ?? "libpq can't read it",
                remedy: error.remedy ?? "write it as the reference says"
            )
        }
    }

    /// A zone whose file can't be read now is not a fault of the configuration. Its users wait for the file.
    private static func isZone(_ name: String) -> Bool {
        do throws(TimeZoneError) {
            return try ZoneDatabase().zone(named: name) != nil
        } catch {
            return true
        }
    }
}
