package import Configuration
package import Glibc

import class FoundationEssentials.FileManager
import struct FoundationEssentials.UUID

/// A folder with a configuration file, and the shortest way to load it.
package final class ConfigurationFixture: Sendable {
    package let folder: String
    package var path: String { folder + "/nudged.yaml" }

    package static let key = "-----BEGIN PRIVATE KEY-----\nplanted-secret\n-----END PRIVATE KEY-----"
    /// All that `run` needs.
    package static let environment = [
        "APNS_TEAM_ID": "ABCDE12345", "APNS_KEY_ID": "KEY1234567", "APNS_PRIVATE_KEY": key,
        "APNS_BUNDLE_ID": "com.example.app",
        "APNS_ENVIRONMENT": "sandbox", "DATABASE_URL": "postgresql://nudged:planted-password@localhost/app",
    ]

    package init() {
        folder = "/tmp/nudged-config-\(UUID().uuidString)"
        mkdir(folder, 0o700)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    @discardableResult
    package func write(_ text: String, to name: String = "nudged.yaml", mode: mode_t = 0o600) -> String {
        let file = open(folder + "/" + name, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        let bytes = Array(text.utf8)
        _ = Glibc.write(file, bytes, bytes.count)
        fchmod(file, mode)
        close(file)
        return folder + "/" + name
    }

    /// - Parameter more: variables beside the environment.
    package func load(
        _ yaml: String? = nil,
        environment: [String: String] = ConfigurationFixture.environment,
        with more: [String: String] = [:],
        without: [String] = [],
        needs: ConfigurationNeeds = .all,
        checks: ConfigurationChecks = ConfigurationChecks(),
        mode: mode_t = 0o600
    ) throws(ConfigurationError) -> LoadedConfiguration {
        if let yaml { write(yaml, mode: mode) }
        return try ConfigurationLoader.load(
            path: yaml == nil ? nil : path,
            environment: environment.merging(more) { $1 }.filter { !without.contains($0.key) },
            needs: needs,
            checks: checks,
            standardPath: path
        )
    }

    /// The faults, the folder's name cut off.
    package func faults(
        _ yaml: String? = nil,
        environment: [String: String] = ConfigurationFixture.environment,
        with more: [String: String] = [:],
        without: [String] = [],
        needs: ConfigurationNeeds = .all,
        checks: ConfigurationChecks = ConfigurationChecks(),
        mode: mode_t = 0o600
    ) -> [String] {
        do throws(ConfigurationError) {
            let environment = environment.merging(more) { $1 }
            _ = try load(yaml, environment: environment, without: without, needs: needs, checks: checks, mode: mode)
            return []
        } catch {
            return error.problems.map { short($0.description) }
        }
    }

    package func short(_ text: String) -> String { text.replacing(folder + "/", with: "") }
}
