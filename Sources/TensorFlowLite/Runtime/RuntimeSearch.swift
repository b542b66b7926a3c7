import CLiteRT
import DurableFiles
import Foundation

/// The places to search for the library of a runtime: of LiteRT, unless another is named.
package struct RuntimeSearch {
    package struct Candidate: Equatable {
        package let path: String
        /// Whether the system's own search applies, so that `path` need not be an existing file.
        package var isSearchedBySystem = false
        /// Whether the process has the functions already, so that `path` is only for messages.
        var isLinked = false
        package var isUsable: Bool { isLinked || isSearchedBySystem || FileManager.default.fileExists(atPath: path) }
    }

    /// The release that the package is tested with. All machines have the same.
    package static let version = RuntimeRelease.all.first?.version ?? "unknown"

    static let fileName = RuntimeProduct.liteRT.fileName

    /// The search of this process.
    static var ofProcess: RuntimeSearch { ofProcess(for: .liteRT, version: version) }

    /// The search of this process for a library.
    package static func ofProcess(for product: RuntimeProduct, version: String) -> RuntimeSearch {
        RuntimeSearch(
            environment: ProcessInfo.processInfo.environment,
            executable: Bundle.main.executableURL?.resolvingSymlinksInPath(),
            frameworks: appFrameworks,
            linked: product == .liteRT ? linkedLibrary : nil,
            for: product,
            version: version
        )
    }

    /// The folder of the app's frameworks: the only place from which an app on iOS may load a library.
    private static var appFrameworks: URL? {
        #if canImport(Darwin)
            Bundle.main.privateFrameworksURL
        #else
            nil
        #endif
    }

    /// The library whose functions this process has already, because the program links LiteRT; nil if there is none.
    private static var linkedLibrary: String? {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        guard litert_find_linked(&path, path.count) else { return nil }
        return String(decoding: path.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    package let candidates: [Candidate]
    /// The way to install the library where this program will find it.
    package let remedy: String

    /// Only the path in the library's variable, such as SIGHTLINE_LITERT, if it is set. Otherwise, in this order: the functions that the program
    /// links; in the app's frameworks; beside the executable; in the build folder of its package, where `swift package fetch-litert` puts it; in `../lib/sightline` relative to the
    /// executable, where `make install` puts it; in the user's data folder; in the system's data folders; in
    /// /usr/local/lib/sightline; and in the system's search path.
    ///
    /// - Parameters:
    ///   - frameworks: The folder of the app's frameworks.
    ///   - linked: The file whose functions the program links.
    package init(
        environment: [String: String],
        executable: URL?,
        frameworks: URL? = nil,
        linked: String? = nil,
        for product: RuntimeProduct = .liteRT,
        version: String = Self.version
    ) {
        let build = executable.flatMap(BuildFolder.init(of:))
        let installation = Installation(product: product, version: version, build: build, executable: executable)
        remedy = installation.remedy
        if let path = environment[product.variable], !path.isEmpty {
            candidates = [Candidate(path: path, isSearchedBySystem: true)]
            return
        }
        let fileName = product.fileName
        let release = "\(product.folderPrefix)-\(version)/\(fileName)"
        // The files of a framework, and a library that was copied into the app.
        let frameworkFiles = product.frameworkFiles + [fileName]
        var paths = frameworks.map { folder in frameworkFiles.map { folder.appending(path: $0).path } } ?? []
        if let folder = executable?.deletingLastPathComponent() {
            paths += [folder.appending(path: fileName).path, folder.appending(path: release).path]
            if let build { paths.append(build.fetchedFiles.appending(path: release).path) }
            let shared = folder.deletingLastPathComponent().appending(path: "lib/sightline")
            paths += [shared.appending(path: fileName).path, shared.appending(path: release).path]
        }
        let folders =
            [UserDataFolder.ofUser(environment: environment)] + UserDataFolder.ofSystem(environment: environment)
        paths += folders.map { $0.appending(path: "sightline/\(release)").path }
        paths.append("/usr/local/lib/sightline/\(release)")
        var seen: Set<String> = []
        candidates =
            (linked.map { [Candidate(path: $0, isLinked: true)] } ?? [])
            + paths.filter { seen.insert($0).inserted }.map { Candidate(path: $0) }
            + [Candidate(path: fileName, isSearchedBySystem: true)]
    }

    /// The way to install a library for a program.
    private struct Installation {
        let product: RuntimeProduct
        let version: String
        let build: BuildFolder?
        let executable: URL?

        var remedy: String {
            #if os(iOS) || os(tvOS) || os(visionOS)
                // Such a system loads libraries from the app alone.
                return
                    "add \(product.title)'s Swift package, version \(version), to the app and embed its framework"
            #else
                return "\(command), or set \(product.variable) to the path of the library"
            #endif
        }

        private var command: String {
            if let build {
                let command = BuildFolder.fetchCommand + product.fetchOption
                return "run `\(command)` in \(build.package.path) to install version \(version)"
            }
            guard let folder = executable?.deletingLastPathComponent() else { return "install version \(version)" }
            if FileManager.default.fileExists(atPath: folder.appending(path: "sightline").path) {
                return
                    "run `sightline models install --runtime \(product.modelExtension)` to install version \(version) for this user"
            }
            return "put \(product.fileName) of version \(version) into \(folder.path)"
        }
    }
}

/// The folder `.build` of a package, and the package that SwiftPM built there.
struct BuildFolder: Equatable {
    let url: URL
    /// The package's folder.
    let package: URL

    /// The command of the plugin in Plugins/FetchLiteRT, with the permission that it needs.
    static let fetchCommand = "swift package --allow-network-connections all:443 fetch-litert"

    /// The folder in which the plugin may write.
    var fetchedFiles: URL { url.appending(path: "plugins/FetchLiteRT/outputs") }

    /// The build folder that contains an executable; nil if SwiftPM did not build it, or if it was moved out of its package.
    init?(of executable: URL) {
        var folder = executable.deletingLastPathComponent()
        // Executables lie at most three folders below, as in .build/x86_64-unknown-linux-gnu/debug.
        for _ in 0..<4 {
            let package = folder.deletingLastPathComponent()
            if FileManager.default.fileExists(atPath: folder.appending(path: "workspace-state.json").path),
                FileManager.default.fileExists(atPath: package.appending(path: "Package.swift").path)
            {
                url = folder
                self.package = package
                return
            }
            folder = package
        }
        return nil
    }
}
