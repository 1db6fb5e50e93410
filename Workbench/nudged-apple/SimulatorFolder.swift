import APNsSimulator
import Certificates
import FoundationEssentials
import Glibc

/// What a sender needs of the simulated Apple. Certificate and key are kept: a daemon trusts the next one, too.
struct SimulatorFolder {
    let server: IssuedCertificate
    /// The provider key, which Apple hands out as a .p8 file.
    let key: String
    private let folder: String

    /// Reads what an earlier one has made, or makes it.
    init(_ folder: String) throws {
        self.folder = folder
        if mkdir(folder, 0o755) == 0 { chmod(folder, 0o755) } else if errno != EEXIST { throw Self.failure(folder) }
        let (authority, keyFile) = ("\(folder)/ca.pem", "\(folder)/AuthKey_\(NudgedApple.keyID).p8")
        if access(authority, F_OK) == 0, let certificate = Self.read("\(folder)/server.pem"),
            let serverKey = Self.read("\(folder)/server.key"), let key = Self.read(keyFile)
        {
            server = IssuedCertificate(certificate: certificate, key: serverKey)
            self.key = key
            return
        }
        let made = try SimulatorCertificate()
        server = try made.server(for: ["localhost", "127.0.0.1", "::1"], expiringIn: 3_650 * 86_400)
        key = made.providerKey.privateKey
        // The authority is there only with the rest.
        unlink(authority)
        try Self.write(server.certificate, to: "\(folder)/server.pem", 0o600)
        try Self.write(server.key, to: "\(folder)/server.key", 0o600)
        try Self.write(key, to: keyFile, 0o600)
        try Self.write(made.authority, to: authority, 0o644)
    }

    func announce(_ endpoint: String) throws { try Self.write(endpoint + "\n", to: "\(folder)/endpoint", 0o644) }

    func leave() { unlink("\(folder)/endpoint") }

    private static func failure(_ path: String) -> Failure {
        let why = errno == EACCES ? "; run it as root, or give --folder" : ""
        return Failure("\(path): \(String(cString: strerror(errno)))\(why)")
    }

    /// nil: there is no such file, or it is empty.
    private static func read(_ path: String) -> String? {
        (try? String(contentsOfFile: path, encoding: .utf8)).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Whole or not at all.
    private static func write(_ text: String, to path: String, _ mode: mode_t) throws {
        let staged = path + ".new"
        let file = open(staged, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw failure(path) }
        let bytes = Array(text.utf8)
        let isWritten = Glibc.write(file, bytes, bytes.count) == bytes.count && fchmod(file, mode) == 0
        let isClosed = close(file) == 0
        guard isWritten, isClosed, rename(staged, path) == 0 else {
            let failure = failure(path)
            unlink(staged)
            throw failure
        }
    }
}
