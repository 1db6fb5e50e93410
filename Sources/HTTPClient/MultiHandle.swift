import CLibCurl
import Locks

/// libcurl's multi handle: the transfers that run and the connections that are kept for the next ones.
///
/// @unchecked Sendable: the client's thread alone uses `pointer`, but for `wake`, which libcurl allows from any thread while the handle lives;
/// `isAlive` guards that.
final class MultiHandle: @unchecked Sendable {
    private let pointer: UnsafeMutableRawPointer
    private let isAlive = Mutex(true)

    /// Once for the process; thread-safe as a static. nonisolated by its type: a Bool.
    private static let isLibraryReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// nil where there is no memory or no descriptor for it.
    ///
    /// - Parameter connections: so many are kept open.
    init?(keeping connections: Int) {
        guard Self.isLibraryReady, let pointer = curl_multi_init() else { return nil }
        self.pointer = pointer
        nudged_curl_multi_set_number(pointer, CURLMOPT_MAXCONNECTS, connections)
    }

    deinit { end() }

    /// Ends the present or next `wait`. From any thread.
    func wake() {
        isAlive.withLock { isAlive in
            // One write to a pipe of libcurl's; under the lock, so that the handle stays.
            if isAlive { curl_multi_wakeup(pointer) }
        }
    }

    /// Begins a transfer.
    func add(_ easy: UnsafeMutableRawPointer) -> CURLMcode { curl_multi_add_handle(pointer, easy) }

    /// Ends a transfer; its connection is kept only where the answer had come.
    func remove(_ easy: UnsafeMutableRawPointer) { curl_multi_remove_handle(pointer, easy) }

    /// Goes on with what can go on now.
    func perform() -> CURLMcode {
        var running: Int32 = 0
        return curl_multi_perform(pointer, &running)
    }

    /// The next transfer that has come to its end, and how; it is still to be removed.
    func nextEnded() -> (easy: UnsafeMutableRawPointer, result: CURLcode)? {
        var left: Int32 = 0
        while let message = curl_multi_info_read(pointer, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
            return (easy, message.pointee.data.result)
        }
        return nil
    }

    /// Sleeps until something happens, `wake` is called, or so many milliseconds have passed.
    func wait(_ milliseconds: Int32) -> CURLMcode { curl_multi_poll(pointer, nil, 0, milliseconds, nil) }

    /// Closes every connection; nothing may be called any more but `wake`. No transfer may be left in it.
    func end() {
        let isLast = isAlive.withLock { isAlive in
            defer { isAlive = false }
            return isAlive
        }
        if isLast { curl_multi_cleanup(pointer) }
    }
}
