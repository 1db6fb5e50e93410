import CLibCurl

/// libcurl's functions, loaded when the first address is read. A daemon without HTTP calls then needs no memory for
/// libcurl and the libraries that it loads (Sources/CLibCurl/shim.h).
enum LibCurl {
    /// The ABI of libcurl since 2006 (https://curl.se/libcurl/abi.html).
    private static let name = "libcurl.so.4"

    /// Loaded once for the process. nonisolated(unsafe): a static is initialised once, and the table is only read.
    private nonisolated(unsafe) static let library: UnsafePointer<nudged_curl>? = {
        guard let library = nudged_curl_load(name), library.pointee.global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
        else { return nil }
        return library
    }()

    static func loaded() throws(HTTPClientError) -> UnsafePointer<nudged_curl> {
        guard let library else {
            throw HTTPClientError(
                .library,
                "can't load \(name), which every call but those to Apple needs: install it (on Debian: apt install libcurl4)"
            )
        }
        return library
    }

    static func text(_ result: CURLcode) -> String {
        library.flatMap { $0.pointee.easy_strerror(result) }.map { String(cString: $0) }
            ?? "libcurl's result \(result.rawValue)"
    }
}
