// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The part of Apple's UIKit that NudgedKit uses, as in UserNotifications.swift. Declared after
// <https://developer.apple.com/documentation/uikit>.

public import Foundation

@MainActor
public class UIApplication: NSObject {
    public struct LaunchOptionsKey: Hashable, Sendable {}

    public static let shared = UIApplication()
    public nonisolated static let didBecomeActiveNotification = Notification.Name("didBecomeActive")
    public nonisolated static let openNotificationSettingsURLString = "app-settings:notifications"
    public func registerForRemoteNotifications() {}
    @discardableResult
    public func open(_ url: URL) async -> Bool { false }
}

@MainActor
public class UIDevice: NSObject {
    public enum UserInterfaceIdiom: Sendable {
        case phone, pad
    }

    public static let current = UIDevice()
    public var userInterfaceIdiom: UserInterfaceIdiom { .phone }
}

public enum UIBackgroundFetchResult: UInt { case newData, noData, failed }

// Optional requirements need Objective-C, so all are required here.
@MainActor
public protocol UIApplicationDelegate: NSObjectProtocol {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool
    func application(
        _ application: UIApplication,
        didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    )
    func application(
        _ application: UIApplication,
        didFailToRegisterForRemoteNotificationsWithError error: any Error
    )
    func application(
        _ application: UIApplication,
        didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
    )
}
