struct HTTPSServerError: Error {
    let errno: Int32
}
