/// The system refused a server of the tests something.
struct HTTPSServerError: Error {
    let errno: Int32
}
