// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The part of Apple's AppKit that NudgedKit uses, as in UserNotifications.swift. Declared after
// <https://developer.apple.com/documentation/appkit>.

public import Foundation

@MainActor
public class NSApplication: NSObject {
    public static let shared = NSApplication()
    public nonisolated static let didBecomeActiveNotification = Notification.Name("didBecomeActive")
    public func registerForRemoteNotifications() {}
}

public class NSWorkspace: NSObject {
    public class var shared: NSWorkspace { NSWorkspace() }
    @discardableResult
    public func open(_ url: URL) -> Bool { false }
}

// Optional requirements need Objective-C, so all are required here.
@MainActor
public protocol NSApplicationDelegate: NSObjectProtocol {
    func applicationWillFinishLaunching(_ notification: Notification)
    func application(
        _ application: NSApplication,
        didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    )
    func application(
        _ application: NSApplication,
        didFailToRegisterForRemoteNotificationsWithError error: any Error
    )
}
