import DurableFiles
import Foundation
import TensorFlowLite

/// The installation of the library of a runtime for a user, where all programs of that user find it.
package struct RuntimeInstallation: Sendable {
    private let release: RuntimeRelease
    private let folder: URL

    /// Chooses the release for this machine.
    ///
    /// - Parameters:
    ///   - releases: the releases of the library.
    ///   - environment: the variables that choose the user's data folder.
    /// - Throws: `RuntimeInstallationError.noRelease`.
    package init(
        among releases: [RuntimeRelease],
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(RuntimeInstallationError) {
        guard let release = RuntimeRelease.ofThisMachine(among: releases) else { throw .noRelease(releases) }
        self.release = release
        folder = UserDataFolder.ofUser(environment: environment).appending(path: "sightline")
    }

    /// The file that is installed.
    package var library: URL { release.library(in: folder) }

    /// Whether the file is there with its known contents.
    package var isComplete: Bool { release.isInstalled(in: folder) }

    /// Downloads and installs the library. The call blocks the thread.
    ///
    /// - Throws: `RuntimeInstallationError`, or the error of a file that cannot be written.
    package func run() throws {
        let wheel: Data
        do {
            wheel = try WebFile.read(release.wheel.absoluteString, atMost: RuntimeRelease.maximumBytes)
        } catch {
            throw RuntimeInstallationError.notDownloaded(release, reason: error.reason)
        }
        try release.install(wheel, in: folder)
    }
}
