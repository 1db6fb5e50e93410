final class ClientLoop: Sendable {
    private let inbox: ClientInbox
    private let onEvent: @Sendable (ClientEvent) -> Void
    init(configuration: ClientConfiguration, inbox: ClientInbox, onEvent: @escaping @Sendable (ClientEvent) -> Void) {
        self.inbox = inbox
        self.onEvent = onEvent
    }

    func run() {
        let requests = inbox.finish().requests.joined()
        onEvent(.completions(requests.map { Completion(tag: $0.tag, result: .unsent(.connectionLost)) }))
        onEvent(.closed(CloseReason(.connect, "not yet built")))
    }
}
