import CLibCurl

/// libcurl's functions, loaded when the first address is read: a daemon that calls nobody doesn't carry the library, nor the two dozen that it brings
/// along (Sources/CLibCurl/shim.h).
enum LibCurl {
    /// The ABI that curl has kept since 2006 (https://curl.se/libcurl/abi.html).
    private static let name = "libcurl.so.4"

    /// Once for the process, thread-safe as a static. nonisolated(unsafe): the table is written before it is returned, and then only read.
    private nonisolated(unsafe) static let library: UnsafePointer<nudged_curl>? = {
        guard let library = nudged_curl_load(name), library.pointee.global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
        else { return nil }
        return library
    }()

    /// The functions.
    ///
    /// - Throws: `.library` where the system has none, with the mend.
    static func loaded() throws(HTTPClientError) -> UnsafePointer<nudged_curl> {
        guard let library else {
            throw HTTPClientError(
                .library,
                "can't load \(name), which every call but those to Apple needs: install it (on Debian: apt install libcurl4)"
            )
        }
        return library
    }

    /// libcurl's words for a result; its number where there is no libcurl.
    static func words(_ result: CURLcode) -> String {
        library.flatMap { $0.pointee.easy_strerror(result) }.map { String(cString: $0) }
            ?? "libcurl's result \(result.rawValue)"
    }
}
