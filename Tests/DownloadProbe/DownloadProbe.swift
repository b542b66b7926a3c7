import Foundation
import ModelHub

/// The program that tests and `Scripts/tools kill download` kill, or leave short of room.
///
/// `DownloadProbe HUB PROJECT KEY FOLDER NAME [LIMIT]` downloads a model once after another, until it is killed, and says "started ID"
/// first, with the id of the installation, and "model HASH" after each. With a limit no file may have more than so many bytes, and it says how one download ended.
/// It trusts the key in the environment variable DOWNLOAD_PROBE_KEY, if there is one.
@main
struct DownloadProbe {
    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count >= 6, let hub = URL(string: arguments[1]) else { return say("wrong arguments") }
        var configuration = ModelHubConfiguration(hub: hub, projectID: arguments[2], apiKey: arguments[3])
        if let text = ProcessInfo.processInfo.environment["DOWNLOAD_PROBE_KEY"] {
            guard let key = try? TrustedKey(text) else { return say("wrong key") }
            configuration.trustedKeys = [key]
        }
        let manager = ModelManager(
            configuration: configuration,
            folder: URL(filePath: arguments[4]),
            retry: RetryPolicy(base: .milliseconds(1))
        )
        let model = RemoteModel(name: arguments[5])
        if arguments.count > 6, let limit = UInt(arguments[6]) {
            limitFiles(to: limit)
            do {
                say("model \(try await manager.download(model).hash)")
            } catch {
                say("error \(error)")
            }
            return
        }
        say("started \((try? manager.installationID) ?? "without an id")")
        while true {
            do {
                say("model \(try await manager.download(model).hash)")
            } catch {
                say("error \(error)")
            }
        }
    }

    private static func say(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }

    private static func limitFiles(to byteCount: UInt) {
        var limit = rlimit(rlim_cur: rlim_t(byteCount), rlim_max: rlim_t(byteCount))
        signal(SIGXFSZ, SIG_IGN)
        #if canImport(Glibc)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        #else
            setrlimit(RLIMIT_FSIZE, &limit)
        #endif
    }
}
