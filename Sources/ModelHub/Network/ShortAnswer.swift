#if os(Linux) && !canImport(Network)
    import Foundation

    /// The few words that a program writes.
    ///
    /// An app that downloads models must not crash through Foundation's `Process`, which writes past a buffer if about 1,360
    /// files are open. A package for processes would be a dependency of every app, for one call on Linux.
    enum ShortAnswer {
        /// Runs a program and returns its output without white space at the ends. The call blocks.
        ///
        /// - Parameters:
        ///   - executable: The file of the program.
        ///   - arguments: The arguments, without the name of the program.
        ///   - timeout: The time after which the program is killed.
        /// - Returns: The output; nil if the program does not start, fails or takes too long, or if the output does not fit into
        ///   256 bytes.
        static func of(_ executable: URL, _ arguments: [String], timeout: Duration) -> String? {
            var ends: [Int32] = [-1, -1]
            // Sockets, since a pipe cannot be kept from other new processes at its creation; Swift does not see pipe2.
            let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
            guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
            let (reading, writing) = (ends[0], ends[1])
            defer { close(reading) }
            let process = start(executable, arguments, output: writing)
            close(writing)
            guard let process else { return nil }
            let text = read(reading, until: .now + timeout)
            if text == nil { kill(process, SIGKILL) }
            var status: Int32 = 0
            while waitpid(process, &status, 0) == -1, errno == EINTR {}
            return status == 0 ? text?.trimmingCharacters(in: .whitespacesAndNewlines) : nil
        }

        /// Starts a program without an input; nil if that fails.
        private static func start(_ executable: URL, _ arguments: [String], output: Int32) -> pid_t? {
            var actions = posix_spawn_file_actions_t()
            guard posix_spawn_file_actions_init(&actions) == 0 else { return nil }
            defer { posix_spawn_file_actions_destroy(&actions) }
            guard posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0) == 0,
                posix_spawn_file_actions_adddup2(&actions, output, 1) == 0,
                posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) == 0
            else { return nil }
            var words: [UnsafeMutablePointer<CChar>?] = ([executable.path] + arguments).map { strdup($0) } + [nil]
            defer { for word in words { free(word) } }
            var process: pid_t = 0
            guard posix_spawn(&process, executable.path, &actions, nil, &words, environ) == 0 else { return nil }
            return process
        }

        /// The text up to its end; nil if it has more than 256 bytes, or does not end in time.
        private static func read(_ descriptor: Int32, until end: ContinuousClock.Instant) -> String? {
            var text: [UInt8] = []
            var piece = [UInt8](repeating: 0, count: 256)
            while text.count <= piece.count {
                let rest = (end - .now) / .milliseconds(1)
                var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                guard rest > 0, poll(&state, 1, Int32(min(rest, 60_000).rounded(.up))) >= 0 || errno == EINTR else {
                    return nil
                }
                guard state.revents != 0 else { continue }
                let count = Foundation.read(descriptor, &piece, piece.count)
                guard count >= 0 else { return nil }
                if count == 0 { return String(decoding: text, as: UTF8.self) }
                text += piece[..<count]
            }
            return nil
        }
    }
#endif
