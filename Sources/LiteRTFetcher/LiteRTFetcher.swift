import DurableFiles
import Foundation
import TensorFlowLite

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The program behind `swift package fetch-litert`: `LiteRTFetcher FOLDER` installs the LiteRT library in a folder.
@main
enum LiteRTFetcher {
    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count == 1, let folder = arguments.first, !folder.hasPrefix("-") else {
            fail("usage: swift package --allow-network-connections all:443 fetch-litert [FOLDER]", status: 64)
        }
        do {
            guard let release = RuntimeRelease.ofThisMachine else { throw FetchError.noRelease }
            try await release.install(in: URL(filePath: folder, directoryHint: .isDirectory))
        } catch {
            fail("error: \(error)", status: 1)
        }
    }

    private static func fail(_ message: String, status: Int32) -> Never {
        FileHandle.standardError.write(Data("\(message)\n".utf8))
        exit(status)
    }
}

extension RuntimeRelease {
    /// Downloads the wheel and installs its library, unless the library is there already. Both must have the known hashes.
    fileprivate func install(in folder: URL) async throws {
        let library = folder.appending(path: "\(folderName)/\((member as NSString).lastPathComponent)")
        if (try? DurableFile.sha256(of: library)) == libraryHash {
            print("\(library.path) is installed.")
            return
        }
        print("Downloading \(wheel.lastPathComponent) from \(wheel.host() ?? "PyPI")")
        let content = try unpacked(try await download())
        try check(content, hash: libraryHash, of: member)
        try DurableFile.makeFolder(library.deletingLastPathComponent())
        try DurableFile.write(content, to: library)
        print("Installed \(library.path)")
    }

    private func download() async throws -> Data {
        let content: Data
        let response: URLResponse
        do {
            (content, response) = try await URLSession.shared.data(from: wheel)
        } catch {
            throw FetchError.notDownloaded(wheel, reason: error.localizedDescription)
        }
        if let status = (response as? HTTPURLResponse)?.statusCode, status != 200 {
            throw FetchError.notDownloaded(wheel, reason: "the server answered with status \(status)")
        }
        try check(content, hash: wheelHash, of: wheel.absoluteString)
        return content
    }

    private func check(_ content: Data, hash: String, of name: String) throws(FetchError) {
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
            throw FetchError.noLibrary(wheel, member)
        }
        return try entry.content(atMost: 256 << 20, read: read)
    }
}

/// A reason why the library cannot be installed.
private enum FetchError: Error, CustomStringConvertible {
    case noRelease
    case notDownloaded(URL, reason: String)
    case wrongHash(String, found: String, expected: String)
    case noLibrary(URL, String)

    /// One sentence: the failure, its place, and the next step.
    var description: String {
        switch self {
        case .noRelease:
            "there is no pinned LiteRT library for this machine, only for "
                + RuntimeRelease.all.map { "\($0.system) on \($0.machine)" }.joined(separator: ", ")
                + "; set SIGHTLINE_LITERT to the path of a LiteRT \(RuntimeRelease.all.first?.version ?? "") library."
        case .notDownloaded(let wheel, let reason):
            "\(wheel.absoluteString) could not be downloaded (\(reason)); check the network and https_proxy, or download the file "
                + "elsewhere, unpack it with unzip and set SIGHTLINE_LITERT to the path of its library in ai_edge_litert."
        case .wrongHash(let name, let found, let expected):
            "\(name) has SHA-256 \(found), expected \(expected); nothing was installed, run the command again."
        case .noLibrary(let wheel, let member):
            "\(wheel.absoluteString) has no file \(member); litert.txt of Sightline must be corrected."
        }
    }
}
