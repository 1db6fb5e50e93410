import CLibCurl
import Base

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

/// libcurl's multi handle: the running transfers and the kept connections.
///
/// @unchecked Sendable: only the client's thread uses `pointer`, except in `wake`. libcurl allows that from any thread
/// while the handle exists, and `isAlive` guards it.
final class MultiHandle: @unchecked Sendable {
    private let curl: UnsafePointer<nudged_curl>
    private let pointer: UnsafeMutableRawPointer
    private let isAlive = Mutex(true)

    /// - Throws: `.resources` if there is no memory or descriptor, `.library`.
    init(keeping connections: Int) throws(HTTPClientError) {
        let curl = try LibCurl.loaded()
        guard let pointer = curl.pointee.multi_init() else {
            throw HTTPClientError(.resources, "no memory or descriptor left for an HTTP client")
        }
        self.curl = curl
        self.pointer = pointer
        _ = nudged_curl_multi_set_number(curl, pointer, CURLMOPT_MAXCONNECTS, connections)
    }

    deinit { end() }

    /// Ends the current or next `wait`. May be called on any thread.
    func wake() {
        isAlive.withLock { isAlive in
            // Writes to a pipe of libcurl. The lock keeps the handle alive meanwhile.
            if isAlive { _ = curl.pointee.multi_wakeup(pointer) }
        }
    }

    func add(_ easy: UnsafeMutableRawPointer) -> CURLMcode { curl.pointee.multi_add_handle(pointer, easy) }

    /// Ends a transfer. Its connection is kept only if the answer was complete.
    func remove(_ easy: UnsafeMutableRawPointer) { _ = curl.pointee.multi_remove_handle(pointer, easy) }

    func perform() -> CURLMcode {
        var running: Int32 = 0
        return curl.pointee.multi_perform(pointer, &running)
    }

    /// The next ended transfer and its result. The caller must `remove` it.
    func nextEnded() -> (easy: UnsafeMutableRawPointer, result: CURLcode)? {
        var left: Int32 = 0
        while let message = curl.pointee.multi_info_read(pointer, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
            return (easy, message.pointee.data.result)
        }
        return nil
    }

    /// Sleeps until something happens, `wake` is called, or this time has passed.
    func wait(_ milliseconds: Int32) -> CURLMcode { curl.pointee.multi_poll(pointer, nil, 0, milliseconds, nil) }

    /// Closes every connection. No transfer may be left. Afterwards only `wake` may be called.
    func end() {
        if isAlive.withLock({ exchange(&$0, with: false) }) { _ = curl.pointee.multi_cleanup(pointer) }
    }
}
