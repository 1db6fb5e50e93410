/// Lets a few in at a time: eleven rows at once, each with its daemons and some with a server of their own, would measure the machine.
actor Turnstile {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ places: Int) {
        free = places
    }

    func enter() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    func leave() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
}
