import Foundation
import UserNotifications

/// Shows the image that a push names (`apns.image_url`). The code of an app's notification service extension.
final class NotificationService: UNNotificationServiceExtension {
    override func didReceive(
        _ request: UNNotificationRequest,
        withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        contentHandler(withImage(request.content) ?? request.content)
    }

    /// It may take half a minute. After that, and without an image, the system shows the push as it came.
    private func withImage(_ content: UNNotificationContent) -> UNNotificationContent? {
        guard let address = content.userInfo["image_url"] as? String, let url = URL(string: address),
            let copy = content.mutableCopy() as? UNMutableNotificationContent, let image = try? Data(contentsOf: url)
        else { return nil }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            .appendingPathExtension(url.pathExtension)
        guard (try? image.write(to: file)) != nil,
            let attachment = try? UNNotificationAttachment(identifier: "image", url: file)
        else { return nil }
        copy.attachments = [attachment]
        return copy
    }
}
