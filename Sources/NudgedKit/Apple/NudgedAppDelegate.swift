#if canImport(UserNotifications) && !os(watchOS) && !os(tvOS)
    public import Combine
    public import Foundation
    public import UserNotifications

    #if canImport(UIKit)
        public import UIKit
    #else
        public import AppKit
    #endif

    /// A SwiftUI app's delegate: reports to `nudges` what the system does, and publishes what a view shows.
    ///
    /// `@UIApplicationDelegateAdaptor private var delegate: NudgedAppDelegate` in the `App` makes it. Views get it as
    /// `@EnvironmentObject`. On macOS the wrapper is `@NSApplicationDelegateAdaptor`.
    ///
    /// An app with a delegate of its own has an object of this class in it. It calls `launched()`, and passes the token
    /// and its failure to `Nudges.received(_:)` and `Nudges.registrationFailed(_:)`.
    @MainActor
    public final class NudgedAppDelegate: NSObject, ObservableObject {
        /// The permission's state.
        @Published public private(set) var state = PermissionState.notRequested
        /// Whether the app's own question should be on the screen.
        @Published public private(set) var isExplaining = false
        /// What the app reports to.
        public private(set) lazy var nudges = Nudges(system: AppleNotifications())

        /// Call this before the launch is over. Otherwise the tap that launched the app is lost.
        public func launched() {
            UNUserNotificationCenter.current().delegate = self
            nudges.changed = { [weak self] in self?.publish() }
            publish()
            #if canImport(UIKit)
                let active = UIApplication.didBecomeActiveNotification
            #else
                let active = NSApplication.didBecomeActiveNotification
            #endif
            // The app's delegate lives as long as the app.
            _ = NotificationCenter.default.addObserver(forName: active, object: nil, queue: .main) { _ in
                Task { @MainActor in await self.nudges.cameToFront() }
            }
            Task { await nudges.started() }
        }

        private func publish() {
            if state != nudges.state { state = nudges.state }
            if isExplaining != nudges.isExplaining { isExplaining = nudges.isExplaining }
        }

        private func received(_ deviceToken: Data) {
            Task { await nudges.received(DeviceToken(deviceToken)) }
        }

        private func failed(_ error: any Error) {
            Task { await nudges.registrationFailed(error) }
        }
    }

    #if canImport(UIKit)
        extension NudgedAppDelegate: UIApplicationDelegate {
            /// Apple's call at the end of the launch.
            public func application(
                _ application: UIApplication,
                didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]? = nil
            ) -> Bool {
                launched()
                return true
            }

            /// Apple's call with the device's token.
            public func application(
                _ application: UIApplication,
                didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
            ) {
                received(deviceToken)
            }

            /// Apple's call if there is no token.
            public func application(
                _ application: UIApplication,
                didFailToRegisterForRemoteNotificationsWithError error: any Error
            ) {
                failed(error)
            }

            /// Apple's call for a background push.
            public func application(
                _ application: UIApplication,
                didReceiveRemoteNotification userInfo: [AnyHashable: Any],
                fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
            ) {
                let payload = Payload(userInfo: userInfo)
                Task {
                    await nudges.received(payload)
                    completionHandler(.newData)
                }
            }
        }
    #else
        extension NudgedAppDelegate: NSApplicationDelegate {
            /// Apple's call before the launch is over.
            public func applicationWillFinishLaunching(_ notification: Notification) {
                launched()
            }

            /// Apple's call with the device's token.
            public func application(
                _ application: NSApplication,
                didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
            ) {
                received(deviceToken)
            }

            /// Apple's call if there is no token.
            public func application(
                _ application: NSApplication,
                didFailToRegisterForRemoteNotificationsWithError error: any Error
            ) {
                failed(error)
            }

            /// Apple's call for a background push.
            public func application(
                _ application: NSApplication,
                didReceiveRemoteNotification userInfo: [String: Any]
            ) {
                let payload = Payload(userInfo: userInfo)
                Task { await nudges.received(payload) }
            }
        }
    #endif

    extension NudgedAppDelegate: UNUserNotificationCenterDelegate {
        /// Apple's call for a push that comes while the app is in the foreground.
        public nonisolated func userNotificationCenter(
            _ center: UNUserNotificationCenter,
            willPresent notification: UNNotification,
            withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void
        ) {
            let payload = Payload(notification)
            // The system calls on the main thread, but promises it nowhere.
            let display = Thread.isMainThread ? MainActor.assumeIsolated { nudges.display(payload) } : .banner
            completionHandler(display == .banner ? [.banner, .list, .sound, .badge] : [.list, .badge])
        }

        /// Apple's call after a tap. A dismissal and the app's own actions are no taps.
        public nonisolated func userNotificationCenter(
            _ center: UNUserNotificationCenter,
            didReceive response: UNNotificationResponse,
            withCompletionHandler completionHandler: @escaping () -> Void
        ) {
            if response.actionIdentifier == UNNotificationDefaultActionIdentifier {
                let payload = Payload(response.notification)
                Task { @MainActor in nudges.tapped(payload) }
            }
            // At once and on the system's thread: on another one it would end the app.
            completionHandler()
        }
    }

    extension Payload {
        /// The payload of a push. Of another notification it is empty.
        public init(_ notification: UNNotification) {
            self.init(userInfo: notification.request.content.userInfo)
        }

        /// The payload of a background push, for `Nudges.received(_:)`.
        public init(userInfo: [AnyHashable: Any]) {
            // Local notifications can hold what JSON can't, for which data(withJSONObject:) would end the app.
            guard JSONSerialization.isValidJSONObject(userInfo),
                let json = try? JSONSerialization.data(withJSONObject: userInfo)
            else {
                self.init(parsing: "{}")
                return
            }
            self.init(parsing: json)
        }
    }
#endif
