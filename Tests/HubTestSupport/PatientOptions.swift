import HTTPServing

extension HTTPService.Options {
    /// Those of a server on any free port that closes no connection whose client waits for its turn on a busy machine.
    ///
    /// The clients of tests have one connection, and do not open another one when it is closed.
    package static var patient: Self {
        var options = Self()
        options.port = 0
        options.idleTimeout = .seconds(900)
        return options
    }
}
