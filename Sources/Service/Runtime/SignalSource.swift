import Dispatch
import Glibc

/// Calls handlers for signals. From `init` on, their default action is off.
package final class SignalSource: Sendable {
    // Thread-safe, like `Ticker.timer`.
    nonisolated(unsafe) private let sources: [any DispatchSourceSignal]

    /// - Parameter handlers: called on one queue, one at a time.
    package init(_ handlers: [Int32: @Sendable () -> Void]) {
        let queue = DispatchQueue(label: "nudged.signals")
        sources = handlers.map { number, handler in
            // Otherwise the signal would end the process before the source gets it.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { handler() }
            source.resume()
            return source
        }
    }

    deinit {
        for source in sources { source.cancel() }
    }
}
