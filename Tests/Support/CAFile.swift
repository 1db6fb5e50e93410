import Foundation

/// Trusted roots in a file of their own, which goes with it.
package final class CAFile: Sendable {
    package let path: String
    private let folder: URL

    package init(_ pem: String) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("apns-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = folder.appendingPathComponent("ca.pem").path
        try pem.write(toFile: path, atomically: true, encoding: .utf8)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }
}
