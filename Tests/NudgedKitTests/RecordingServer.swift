import NudgedKit

/// Records each call as `schema.function {parameters}`, and answers as the test says.
@MainActor
final class RecordingServer: NudgedServer {
    struct Failure: Error {}

    /// The calls so far, in their order.
    private(set) var calls: [String] = []
    /// What each call answers; nil: it fails.
    var answer: String? = #"{"id":null,"done":1,"too_late":0,"warnings":[]}"#

    private var isHeld = false
    private var held: [CheckedContinuation<Void, Never>] = []
    private var awaited: [Int: CheckedContinuation<Void, Never>] = [:]

    /// Makes calls wait for `release()`.
    func hold() { isHeld = true }

    /// Lets all calls go on.
    func release() {
        isHeld = false
        for continuation in held { continuation.resume() }
        held = []
    }

    /// Waits for the call with this number, from 1.
    func called(_ number: Int) async {
        guard calls.count < number else { return }
        await withCheckedContinuation { awaited[number] = $0 }
    }

    func rpc(schema: String, function: String, parameters: EncodableJSON) async throws -> String {
        calls.append("\(schema).\(function) \(parameters.text)")
        awaited.removeValue(forKey: calls.count)?.resume()
        if isHeld { await withCheckedContinuation { held.append($0) } }
        guard let answer else { throw Failure() }
        return answer
    }
}
