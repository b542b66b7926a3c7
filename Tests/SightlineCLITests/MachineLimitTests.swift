#if os(Linux)
    import Foundation
    import Testing

    /// Low limits of the process are named before the runtime fails for them.
    struct MachineLimitTests {
        @Test(arguments: [
            ("ulimit -n 8", "8 open files, but this program needs 32; raise the limit (`ulimit -n 32`)"),
            (
                "ulimit -v 200000",
                "195 MB of address space, but this program needs 512 MB; raise the limit (`ulimit -v 524288`)"
            ),
        ])
        func aLowLimitIsToldInOneSentence(_ limit: String, _ reason: String) async throws {
            let result = try await Command.run(
                ["-c", "\(limit); exec \"$0\" detect nothing.png", Command.executable.path],
                executable: URL(filePath: "/bin/sh")
            )
            #expect(result.status == 2)
            #expect(result.errors == "sightline: The system allows \(reason).\n")
        }

        @Test func theSoftLimitOfOpenFilesIsRaised() async throws {
            let result = try await Command.run(
                ["-c", "ulimit -S -n 8; exec \"$0\" --version", Command.executable.path],
                executable: URL(filePath: "/bin/sh")
            )
            #expect(result.status == 0 && result.errors == "")
        }
    }
#endif
