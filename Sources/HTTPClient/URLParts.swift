import CLibCurl

/// libcurl's own reading of an address, so that what is checked is what it will do.
struct URLParts: ~Copyable {
    private let curl: UnsafePointer<nudged_curl>
    private let handle: OpaquePointer

    /// nil where it can't be read or names a user.
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

    /// A part; a port that isn't written is the scheme's.
    subscript(part: CURLUPart) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl.pointee.url_get(handle, part, &text, UInt32(CURLU_DEFAULT_PORT)) == CURLUE_OK, let text else {
            return nil
        }
        defer { curl.pointee.free(text) }
        return String(cString: text)
    }
}
