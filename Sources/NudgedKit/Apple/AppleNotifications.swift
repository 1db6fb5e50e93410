#if canImport(UserNotifications) && !os(watchOS) && !os(tvOS)
    import Foundation
    import UserNotifications

    #if canImport(UIKit)
        import UIKit
    #else
        import AppKit
    #endif

    /// The notifications of iOS, iPadOS, visionOS and macOS for `Nudges`, with the app's defaults as its store.
    public struct AppleNotifications: NotificationSystem {
        private let topic: String?

        /// - Parameter topic: the app's bundle id, if several apps share the database.
        public init(topic: String? = nil) {
            self.topic = topic
        }

        /// The device's clock.
        public var now: Int64 { Int64(Date().timeIntervalSince1970) }

        /// Reads the authorization status.
        public func permission() async -> SystemPermission { SystemPermission(status: await Self.status()) }

        // Apple's objects stay on one side: only a number crosses to the main actor.
        private nonisolated static func status() async -> Int {
            await UNUserNotificationCenter.current().notificationSettings().authorizationStatus.rawValue
        }

        /// Asks for alerts, sounds and badges.
        public func prompt() async -> PermissionEvent { await Self.request() }

        private nonisolated static func request() async -> PermissionEvent {
            let center = UNUserNotificationCenter.current()
            do {
                return .answered(granted: try await center.requestAuthorization(options: [.alert, .sound, .badge]))
            } catch {
                return event(of: error as NSError)
            }
        }

        /// Opens the app's page of notification settings: of the Settings app, or of macOS' System Settings.
        public func openSettings() async {
            #if canImport(UIKit)
                guard let url = URL(string: UIApplication.openNotificationSettingsURLString) else { return }
                _ = await UIApplication.shared.open(url)
            #else
                let page = "x-apple.systempreferences:com.apple.Notifications-Settings.extension"
                guard let url = URL(string: "\(page)?id=\(Bundle.main.bundleIdentifier ?? "")") else { return }
                _ = NSWorkspace.shared.open(url)
            #endif
        }

        /// Asks for the token. The app's delegate gets it.
        public func registerToken() {
            #if canImport(UIKit)
                UIApplication.shared.registerForRemoteNotifications()
            #else
                NSApplication.shared.registerForRemoteNotifications()
            #endif
        }

        /// Removes this app's pushes and its badge.
        public func removeDelivered() {
            UNUserNotificationCenter.current().removeAllDeliveredNotifications()
            removeBadge()
        }

        /// This app's pushes that can still be seen.
        public func delivered() async -> [(identifier: String, payload: Payload)] { await Self.delivered() }

        private nonisolated static func delivered() async -> [(identifier: String, payload: Payload)] {
            await UNUserNotificationCenter.current().deliveredNotifications().map {
                ($0.request.identifier, Payload($0))
            }
        }

        /// Removes some of this app's pushes.
        public func removeDelivered(_ identifiers: [String]) {
            UNUserNotificationCenter.current().removeDeliveredNotifications(withIdentifiers: identifiers)
        }

        /// Removes the app's badge.
        public func removeBadge() { UNUserNotificationCenter.current().setBadgeCount(0) }

        /// The device with its zone, and the first of the user's languages.
        public func registration(of token: DeviceToken) -> DeviceRegistration {
            DeviceRegistration(
                token: token,
                platform: Self.platform,
                environment: Self.environment(of: .main),
                topic: topic,
                // The current zone would be the one of the app's start.
                timezone: TimeZone.autoupdatingCurrent.identifier,
                locale: Locale.preferredLanguages.first
            )
        }

        private static var platform: DevicePlatform {
            #if os(visionOS)
                return .visionos
            #elseif canImport(UIKit)
                return UIDevice.current.userInterfaceIdiom == .pad ? .ipados : .ios
            #else
                return .macos
            #endif
        }

        private static func environment(of bundle: Bundle) -> DeviceEnvironment? {
            #if targetEnvironment(simulator)
                return .sandbox
            #else
                for path in ["embedded.mobileprovision", "Contents/embedded.provisionprofile"] {
                    guard let profile = try? Data(contentsOf: bundle.bundleURL.appendingPathComponent(path)) else {
                        continue
                    }
                    return DeviceEnvironment(provisioningProfile: profile)
                }
                // Apple removes the profile from what TestFlight and the App Store deliver.
                return .production
            #endif
        }

        /// The error in the user's language. A refusal counts as "denied".
        public func event(of error: any Error) -> PermissionEvent { Self.event(of: error as NSError) }

        private nonisolated static func event(of error: NSError) -> PermissionEvent {
            .error(domain: error.domain, code: error.code, text: error.localizedDescription)
        }

        /// Reads the app's defaults.
        public func stored(_ key: String) -> String? { UserDefaults.standard.string(forKey: key) }

        /// Writes the app's defaults.
        public func store(_ key: String, _ text: String) { UserDefaults.standard.set(text, forKey: key) }
    }
#endif
