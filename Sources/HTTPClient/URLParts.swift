import CLibCurl

/// An address as libcurl parses it, so that the checks see the same parts as libcurl's request.
struct URLParts: ~Copyable {
    private let curl: UnsafePointer<nudged_curl>
    private let handle: OpaquePointer

    /// Nil if the address can't be read or contains a user.
    init?(_ text: String, _ curl: UnsafePointer<nudged_curl>) {
        guard let handle = curl.pointee.url() else { return nil }
        guard curl.pointee.url_set(handle, CURLUPART_URL, text, UInt32(CURLU_DISALLOW_USER)) == CURLUE_OK else {
            curl.pointee.url_cleanup(handle)
            return nil
        }
        self.curl = curl
        self.handle = handle
    }

    deinit { curl.pointee.url_cleanup(handle) }

    /// A part of the address. A missing port is the scheme's default.
    subscript(part: CURLUPart) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl.pointee.url_get(handle, part, &text, UInt32(CURLU_DEFAULT_PORT)) == CURLUE_OK, let text else {
            return nil
        }
        defer { curl.pointee.free(text) }
        return String(cString: text)
    }
}
