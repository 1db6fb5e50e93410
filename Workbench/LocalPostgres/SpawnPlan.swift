import CLinux
import Glibc

import class FoundationEssentials.ProcessInfo

/// The arguments of posix_spawn. None of our code runs between fork and exec.
struct SpawnPlan {
    private let arguments: [String]
    private let environment: [String]
    private let directory: String?
    private let ownSession: Bool
    private var opened: [Int32] = []

    init(_ arguments: [String], _ environment: [String: String]?, _ directory: String?, ownSession: Bool) {
        self.arguments = arguments
        self.environment = (environment ?? ProcessInfo.processInfo.environment).map { "\($0.key)=\($0.value)" }
        self.directory = directory
        self.ownSession = ownSession
    }

    mutating func spawn(
        input: ChildProcess.Stream,
        output: (ChildProcess.Stream, CapturedStream),
        error: (ChildProcess.Stream, CapturedStream)
    ) throws(LocalPostgresError) -> Int32 {
        defer { opened.forEach { close($0) } }
        let descriptors = [
            try descriptor(input, standard: 0, nil),
            try descriptor(output.0, standard: 1, output.1),
            try descriptor(error.0, standard: 2, error.1),
        ]
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // Every source is at least 3 (see below), so no target overwrites a source that is still needed.
        for (target, source) in descriptors.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, source, Int32(target))
        }
        posix_spawn_file_actions_addclosefrom_np(&actions, 3)
        if let directory { posix_spawn_file_actions_addchdir_np(&actions, directory) }
        return try spawn(&actions)
    }

    private func spawn(_ actions: inout posix_spawn_file_actions_t) throws(LocalPostgresError) -> Int32 {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The child gets no blocked or ignored signal. Dispatch and test runners block and ignore some.
        var none = sigset_t()
        var all = sigset_t()
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        var flags = Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF)
        if ownSession { flags |= Int32(nudged_spawn_setsid) }
        posix_spawnattr_setflags(&attributes, Int16(flags))

        let argv = arguments.map { strdup($0) } + [nil]
        let envp = environment.map { strdup($0) } + [nil]
        defer { (argv + envp).forEach { free($0) } }
        var id: pid_t = 0
        guard let program = argv[0] else { throw LocalPostgresError(.spawnFailed, "no program") }
        let failure = posix_spawnp(&id, program, &actions, &attributes, argv, envp)
        guard failure == 0 else {
            throw LocalPostgresError(.spawnFailed, "\(arguments[0]): \(String(cString: strerror(failure)))")
        }
        return id
    }

    /// Returns a descriptor of at least 3, closed on exec.
    private mutating func descriptor(
        _ stream: ChildProcess.Stream,
        standard: Int32,
        _ captured: CapturedStream?
    ) throws(LocalPostgresError) -> Int32 {
        var source: Int32
        switch stream {
        case .null: source = open("/dev/null", O_RDWR | O_CLOEXEC)
        case .file(let path):
            let flags = standard == 0 ? O_RDONLY : O_WRONLY | O_CREAT | O_APPEND
            source = open(path, flags | O_CLOEXEC, 0o600)
        case .inherited: return try duplicate(standard)
        case .descriptor(let given): return try duplicate(given)
        case .captured:
            var ends: [Int32] = [-1, -1]
            guard let captured, pipe2(&ends, O_CLOEXEC) == 0 else { throw .system("pipe") }
            captured.drain(ends[0])
            source = ends[1]
        }
        guard source >= 0 else { throw .system("\(stream)") }
        if source < 3 {
            let low = source
            defer { close(low) }
            source = try duplicate(low)
        } else {
            opened.append(source)
        }
        return source
    }

    private mutating func duplicate(_ descriptor: Int32) throws(LocalPostgresError) -> Int32 {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
        guard copy >= 0 else { throw .system("descriptor \(descriptor)") }
        opened.append(copy)
        return copy
    }
}
