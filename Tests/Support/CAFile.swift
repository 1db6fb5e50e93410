/// Trusted roots in a file of their own, which goes with it.
package final class CAFile: Sendable {
    package let path: String
    private let folder: TemporaryFolder

    package init(_ pem: String) throws {
        folder = try TemporaryFolder()
        path = try folder.write(pem, to: "ca.pem")
    }

    deinit { folder.remove() }
}
