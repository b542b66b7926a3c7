import Foundation
import PackagePlugin

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// `swift package fetch-litert [--onnx] [FOLDER]`: installs the LiteRT library, or ONNX Runtime, in the build folder of the package in which the command
/// runs, where the programs of that package find it, or in another folder.
@main
struct FetchLiteRT: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) async throws {
        let options = arguments.filter { $0.hasPrefix("-") }
        let folders = arguments.filter { !$0.hasPrefix("-") }
        let folder = folders.first ?? context.pluginWorkDirectoryURL.path
        try run([context.tool(named: "LiteRTFetcher").url.path] + options + [folder] + folders.dropFirst())
    }

    /// Runs a program with the plugin's standard streams until it ends.
    ///
    /// Foundation's `Process` crashes where many files are open.
    private func run(_ words: [String]) throws {
        let arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        let environment: [UnsafeMutablePointer<CChar>?] =
            ProcessInfo.processInfo.environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { (arguments + environment).forEach { free($0) } }
        var process: pid_t = 0
        let code = posix_spawn(&process, words[0], nil, nil, arguments, environment)
        guard code == 0 else {
            throw FetchError(description: "\(words[0]) did not start: \(String(cString: strerror(code))).")
        }
        var status: Int32 = 0
        while waitpid(process, &status, 0) == -1, errno == EINTR {}
        guard status == 0 else {
            throw FetchError(description: "The library was not installed; the message above has the reason.")
        }
    }
}

struct FetchError: Error, CustomStringConvertible {
    let description: String
}
