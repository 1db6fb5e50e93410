import CLibCurl
import Locks

/// libcurl's multi handle: the transfers that run and the connections that are kept for the next ones.
///
/// @unchecked Sendable: the client's thread alone uses `pointer`, but for `wake`, which libcurl allows from any thread while the handle lives;
/// `isAlive` guards that.
final class MultiHandle: @unchecked Sendable {
    private let curl: UnsafePointer<nudged_curl>
    private let pointer: UnsafeMutableRawPointer
    private let isAlive = Mutex(true)

    /// - Parameter connections: so many are kept open.
    /// - Throws: `.resources` where there is no memory or no descriptor for it, `.library`.
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

    /// Ends the present or next `wait`. From any thread.
    func wake() {
        isAlive.withLock { isAlive in
            // One write to a pipe of libcurl's; under the lock, so that the handle stays.
            if isAlive { _ = curl.pointee.multi_wakeup(pointer) }
        }
    }

    /// Begins a transfer.
    func add(_ easy: UnsafeMutableRawPointer) -> CURLMcode { curl.pointee.multi_add_handle(pointer, easy) }

    /// Ends a transfer; its connection is kept only where the answer had come.
    func remove(_ easy: UnsafeMutableRawPointer) { _ = curl.pointee.multi_remove_handle(pointer, easy) }

    /// Goes on with what can go on now.
    func perform() -> CURLMcode {
        var running: Int32 = 0
        return curl.pointee.multi_perform(pointer, &running)
    }

    /// The next transfer that has come to its end, and how; it is still to be removed.
    func nextEnded() -> (easy: UnsafeMutableRawPointer, result: CURLcode)? {
        var left: Int32 = 0
        while let message = curl.pointee.multi_info_read(pointer, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
            return (easy, message.pointee.data.result)
        }
        return nil
    }

    /// Sleeps until something happens, `wake` is called, or so many milliseconds have passed.
    func wait(_ milliseconds: Int32) -> CURLMcode { curl.pointee.multi_poll(pointer, nil, 0, milliseconds, nil) }

    /// Closes every connection; nothing may be called any more but `wake`. No transfer may be left in it.
    func end() {
        let isLast = isAlive.withLock { isAlive in
            defer { isAlive = false }
            return isAlive
        }
        if isLast { _ = curl.pointee.multi_cleanup(pointer) }
    }
}
