import Dispatch
import Foundation

/// Reports whether the link to the network is metered.
public protocol NetworkConditions: Sendable {
    /// Whether the user pays for the link by volume, as for a cellular link; false if this is unknown.
    func isMetered() async -> Bool
}

/// The state of the link according to NetworkManager on Linux.
///
/// The conditions query D-Bus with `busctl` and wait at most two seconds. Without NetworkManager no link counts as
/// metered.
public struct NetworkManagerConditions: NetworkConditions {
    private let executable: URL
    private let patience: Duration
    private static let queue = DispatchQueue(label: "sightline.network-conditions")

    /// Creates conditions that query the NetworkManager of this machine.
    public init() { self.init(executable: URL(filePath: "/usr/bin/busctl"), patience: .seconds(2)) }

    init(executable: URL, patience: Duration) {
        self.executable = executable
        self.patience = patience
    }

    /// Whether NetworkManager reports, or guesses, that the link is metered.
    public func isMetered() async -> Bool {
        // NM_METERED_YES and NM_METERED_GUESS_YES of its D-Bus interface.
        ["u 1", "u 3"].contains(await answer())
    }

    /// The output of the command; empty if the command fails or takes too long.
    private func answer() async -> String {
        guard FileManager.default.isExecutableFile(atPath: executable.path) else { return "" }
        let process = Process()
        let output = Pipe()
        process.executableURL = executable
        process.arguments = [
            "--system", "--timeout=2", "get-property", "org.freedesktop.NetworkManager",
            "/org/freedesktop/NetworkManager",
            "org.freedesktop.NetworkManager", "Metered",
        ]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        let ends = AsyncStream<Void> { continuation in
            process.terminationHandler = { _ in continuation.finish() }
        }
        // Starting a process blocks, and the few threads of the Swift runtime must not block.
        let isStarted = await withCheckedContinuation { continuation in
            Self.queue.async { continuation.resume(returning: (try? process.run()) != nil) }
        }
        guard isStarted else { return "" }
        let id = process.processIdentifier
        let patience = patience
        let guardian = Task {
            try await Task.sleep(for: patience)
            kill(id, SIGKILL)
        }
        // Ends at once if the task is canceled; then the process ends by itself or through the timeout.
        for await _ in ends {}
        guard !Task.isCancelled else { return "" }
        guardian.cancel()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else { return "" }
        // The command has ended and its output fits into a pipe.
        let data = output.fileHandleForReading.availableData
        return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
