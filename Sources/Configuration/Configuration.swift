package import APNs
package import Base
package import Metrics
package import Policy
package import Systemd

/// The complete, valid configuration. `ConfigurationLoader` makes it. `ConfigurationKey.all` explains its values.
package struct Configuration: Sendable, Equatable {
    package struct APNs: Sendable, Equatable {
        /// Of the main app, then of `apns.apps`. Never empty; environment and bundle id together are unique.
        package var lanes: [Lane]
        package var maxInFlight: Int
        package var responseTimeout: Duration
    }

    /// One key, environment and topic. A device's row names the environment and the topic.
    package struct Lane: Sendable, Equatable {
        package var teamID: String
        package var keyID: String
        /// The signing key as PEM text. It is overwritten when the configuration is released, after the key is parsed.
        package var privateKey: Secret
        package var bundleID: String
        package var environment: APNsEnvironment
        package var endpoint: SenderConfiguration.Endpoint?
        package var caFile: String?
    }

    package struct Database: Sendable, Equatable {
        package var url: Secret
        package var allowInsecure: Bool
        package var statementTimeout: Duration
    }

    package struct Schedule: Sendable, Equatable {
        package var interval: Duration
        /// How long ranges are owned without a renewal. More than twice `apns.responseTimeout`.
        package var lease: Duration
        package var batch: Int
    }

    package struct Messages: Sendable, Equatable {
        package var digestAfter: Int
        package var digestTitle: String
        package var digestBody: String

        package static let countPlaceholder = "{count}"

        package init(digestAfter: Int, digestTitle: String, digestBody: String) {
            (self.digestAfter, self.digestTitle, self.digestBody) = (digestAfter, digestTitle, digestBody)
        }
    }

    package struct Decision: Sendable, Equatable {
        /// `https://…`, or `http://` to this machine. It holds no secret.
        package var url: String
        package var token: Secret?
        package var timeout: Duration
        package var concurrency: Int
        package var caFile: String?
    }

    package struct Metrics: Sendable, Equatable {
        package var listen: ListenAddress
        /// Nil: everyone who reaches the address can read the metrics.
        package var token: Secret?
    }

    package struct Heartbeat: Sendable, Equatable {
        /// `https://…`, or `http://` to this machine. Its path is a secret.
        package var url: Secret
        package var interval: Duration
        package var caFile: String?
    }

    /// Nil only if the command does not need it and it is not configured.
    package var apns: APNs?
    package var database: Database?
    package var schedule: Schedule
    package var messages: Messages
    package var decision: Decision?
    package var policy: Rules
    package var metrics: Metrics?
    package var heartbeat: Heartbeat?
    package var logLevel: LogLevel
}
