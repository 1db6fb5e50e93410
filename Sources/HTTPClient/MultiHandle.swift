import CLibCurl
import Base

/// libcurl's multi handle: the running transfers and the kept connections.
///
/// @unchecked Sendable: only the client's thread uses `pointer`, except in `wake`. libcurl allows that from any thread
/// while the handle exists, and `isAlive` guards it.
final class MultiHandle: @unchecked Sendable {
    private let curl: UnsafePointer<nudged_curl>
    private let pointer: UnsafeMutableRawPointer
    private let isAlive = Mutex(true)

    /// - Parameter connections: How many connections are kept open.
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

    /// Continues all transfers that can continue now.
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
        let isLast = isAlive.withLock { isAlive in
            defer { isAlive = false }
            return isAlive
        }
        if isLast { _ = curl.pointee.multi_cleanup(pointer) }
    }
}
