import Foundation

/// The arguments of the process.
package enum ProcessArguments {
    /// Ends the process with a sentence if its arguments cannot be read.
    ///
    /// On Linux, Swift reads them from `/proc`, which an environment of `chroot` may lack. The program would then behave as if it had
    /// been started without arguments.
    package static func require() {
        guard CommandLine.argc == 0 else { return }
        StandardError.report(
            "The arguments cannot be read, because /proc is not mounted; mount it with `mount -t proc proc /proc`."
        )
        Foundation.exit(ExitStatus.failure.rawValue)
    }
}
