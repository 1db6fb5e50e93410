import Dispatch
import Glibc

/// Signals as calls on a queue: the default action is off from `init` on.
package final class SignalSource: Sendable {
    // Thread-safe, as `Ticker.timer`.
    nonisolated(unsafe) private let sources: [any DispatchSourceSignal]

    /// - Parameter handlers: called on one queue, one after another.
    package init(_ handlers: [Int32: @Sendable () -> Void]) {
        let queue = DispatchQueue(label: "nudged.signals")
        sources = handlers.map { number, handler in
            // Else the process would end before the source sees it.
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
