import Glibc

// libFuzzer calls us for each input. NUDGED_FUZZ_TARGET names the target. With NUDGED_FUZZ_SEEDS the first inputs are
// written to that folder instead.

/// Runs before the first input: checks the target's name, or writes the seeds.
private func begin() {
    if target == nil {
        say("NUDGED_FUZZ_TARGET is to be answers, frames or zones\n")
        exit(64)
    }
    if let folder = getenv("NUDGED_FUZZ_SEEDS"), let name = getenv("NUDGED_FUZZ_TARGET") {
        Seeds.write(String(cString: name), to: String(cString: folder))
        exit(0)
    }
}

/// Called for each input. Returns -1 if the input is not worth keeping.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzerTestOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    target?(UnsafeRawBufferPointer(start: start, count: count)) ?? -1
}

private let target: (@Sendable (UnsafeRawBufferPointer) -> Int32)? = {
    switch getenv("NUDGED_FUZZ_TARGET").map({ String(cString: $0) }) {
    case "answers"?: { AnswersTarget.run($0) }
    case "frames"?: { FramesTarget.run($0) }
    case "zones"?: { ZonesTarget.run($0) }
    default: nil
    }
}()

/// Ends the process if an invariant does not hold, so that libFuzzer keeps the input.
func require(_ holds: Bool, _ text: @autoclosure () -> String) {
    guard !holds else { return }
    say("broken: \(text())\n")
    abort()
}

private func say(_ text: String) {
    let bytes = Array(text.utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
}

/// libFuzzer's entry point for programs with their own `main`.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ argc: UnsafeMutablePointer<Int32>,
    _ argv: UnsafeMutablePointer<UnsafeMutableRawPointer?>,
    _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

/// `main`, with the name that SwiftPM links for this executable.
@_cdecl("nudged_fuzz_main")
public func fuzzerMain(_ argc: Int32, _ argv: UnsafeMutableRawPointer?) -> Int32 {
    var argc = argc
    var argv = argv
    begin()
    return runDriver(&argc, &argv) { fuzzerTestOneInput($0, $1) }
}
