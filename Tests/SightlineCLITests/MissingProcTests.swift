#if os(Linux)
    import Foundation
    import SightlineTestSupport
    import Testing

    /// An environment without `/proc`, such as that of a bare `chroot`. Only root can make one.
    @Suite(.hangLimit, .enabled(if: geteuid() == 0, "needs root"))
    struct MissingProcTests {
        @Test(arguments: ["sightline", "sightline-hub"])
        func argumentsThatCannotBeReadAreNamed(_ name: String) async throws {
            let result = try await Program(URL(filePath: "/usr/bin/unshare")).run([
                "--mount", "sh", "-c", "mount -t tmpfs none /proc && exec \"$0\" --version",
                Program(name).executable.path,
            ])
            // A container may forbid it to root, too.
            guard !result.errors.contains("ermission") && !result.errors.contains("not permitted") else { return }
            #expect(result.status == 2)
            #expect(result.errors.contains("/proc is not mounted"))
        }
    }
#endif
