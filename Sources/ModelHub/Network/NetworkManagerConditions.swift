#if !canImport(Network)
    import Dispatch
    import Foundation

    /// The state of the link according to NetworkManager on Linux.
    ///
    /// The conditions query D-Bus with `busctl` and wait at most two seconds. Without NetworkManager no link counts as
    /// metered.
    public struct NetworkManagerConditions: NetworkConditions {
        private let executable: URL
        private let timeout: Duration
        // Starting and awaiting a program blocks, and the few threads of the Swift runtime must not block.
        private static let queue = DispatchQueue(label: "sightline.network-conditions", attributes: .concurrent)

        /// Creates conditions that query the NetworkManager of this machine.
        public init() { self.init(executable: URL(filePath: "/usr/bin/busctl"), timeout: .seconds(2)) }

        init(executable: URL, timeout: Duration) {
            self.executable = executable
            self.timeout = timeout
        }

        /// Whether NetworkManager reports, or guesses, that the link is metered.
        public func isMetered() async -> Bool {
            let answer: String? = await withCheckedContinuation { continuation in
                Self.queue.async { continuation.resume(returning: self.answer()) }
            }
            // NM_METERED_YES and NM_METERED_GUESS_YES of its D-Bus interface.
            return ["u 1", "u 3"].contains(answer)
        }

        /// The output of the command; nil if the command fails or takes too long.
        private func answer() -> String? {
            #if os(Linux)
                ShortAnswer.of(
                    executable,
                    [
                        "--system", "--timeout=2", "get-property", "org.freedesktop.NetworkManager",
                        "/org/freedesktop/NetworkManager", "org.freedesktop.NetworkManager", "Metered",
                    ],
                    timeout: timeout
                )
            #else
                nil
            #endif
        }
    }
#endif
