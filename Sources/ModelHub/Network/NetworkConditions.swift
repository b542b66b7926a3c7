import Dispatch
import Foundation

/// Tells whether the link to the network costs by volume.
public protocol NetworkConditions: Sendable {
    /// Whether the link is a cellular one, or another that the user pays by volume; false where nobody knows.
    func isMetered() async -> Bool
}

/// What NetworkManager says of the link, on Linux.
///
/// Asks over D-Bus with `busctl`, and waits two seconds at most. Where there is no NetworkManager no link is taken for metered.
public struct NetworkManagerConditions: NetworkConditions {
    private let executable: URL
    private let patience: Duration
    private static let queue = DispatchQueue(label: "sightline.network-conditions")

    /// The NetworkManager of this machine.
    public init() { self.init(executable: URL(filePath: "/usr/bin/busctl"), patience: .seconds(2)) }

    init(executable: URL, patience: Duration) {
        self.executable = executable
        self.patience = patience
    }

    /// Whether NetworkManager holds the link for metered, or guesses it.
    public func isMetered() async -> Bool {
        // NM_METERED_YES and NM_METERED_GUESS_YES of its D-Bus interface.
        ["u 1", "u 3"].contains(await answer())
    }

    /// What the command prints; nothing if it fails or takes too long.
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
        // Starting a process waits, which the few threads of the Swift runtime must not.
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
        // Ends at once for one who was cancelled; then the process ends by itself or by its guardian.
        for await _ in ends {}
        guard !Task.isCancelled else { return "" }
        guardian.cancel()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else { return "" }
        // The command has ended and prints less than a pipe holds.
        let data = output.fileHandleForReading.availableData
        return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
