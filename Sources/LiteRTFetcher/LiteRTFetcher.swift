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
                throw RuntimeInstallationError.noRelease(releases)
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
    /// Downloads the wheel and installs its library, unless the library is there already.
    fileprivate func install(in folder: URL) async throws {
        let library = library(in: folder)
        if isInstalled(in: folder) {
            print("\(library.path) is installed.")
            return
        }
        print("Downloading \(wheel.lastPathComponent) from \(wheel.host() ?? "PyPI")")
        try install(try await download(), in: folder)
        print("Installed \(library.path)")
    }

    private func download() async throws -> Data {
        let content: Data
        let response: URLResponse
        do {
            (content, response) = try await URLSession.shared.data(from: wheel)
        } catch {
            throw RuntimeInstallationError.notDownloaded(self, reason: error.localizedDescription)
        }
        if let status = (response as? HTTPURLResponse)?.statusCode, status != 200 {
            throw RuntimeInstallationError.notDownloaded(self, reason: "the server answered with status \(status)")
        }
        return content
    }
}
