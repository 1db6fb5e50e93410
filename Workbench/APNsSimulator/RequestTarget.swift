/// The target of a request: `POST /3/device/<hexadecimal token>`.
enum RequestTarget {
    private static let prefix = "/3/device/"

    /// The token as in the path.
    static func token(method: String, path: String) throws(RequestRefusal) -> String {
        guard method == "POST" else { throw RequestRefusal(405, "MethodNotAllowed") }
        if path == "/3/device" || path == prefix { throw RequestRefusal(400, "MissingDeviceToken") }
        guard path.hasPrefix(prefix) else { throw RequestRefusal(404, "BadPath") }
        let token = path.dropFirst(prefix.count)
        guard !token.utf8.contains(UInt8(ascii: "/")) else { throw RequestRefusal(404, "BadPath") }
        let isHexadecimal = token.utf8.allSatisfy {
            (48...57).contains($0) || (97...102).contains($0) || (65...70).contains($0)
        }
        guard isHexadecimal, token.utf8.count % 2 == 0, token.utf8.count <= 200 else {
            throw RequestRefusal(400, "BadDeviceToken")
        }
        return String(token)
    }
}
