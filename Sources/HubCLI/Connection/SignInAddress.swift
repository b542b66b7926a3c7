import ArgumentParser
import CommandLineSupport
import Foundation
import ModelHub

/// `--address`: the address of the hub in links that sign people in.
struct SignInAddress: ParsableArguments {
    @Option(help: "The hub's address for the browser (default: that of --hub, or of the hub that serves the folder).")
    var address: String?

    /// Prints a link, and a warning if no hub answers at its address.
    func printLink(_ path: String, to place: HubPlace) async {
        let base =
            address ?? place.address ?? ServingAddress.current(in: place.local.folder) ?? "http://127.0.0.1:8080"
        let root = base.hasSuffix("/") ? String(base.dropLast()) : base
        StandardOutput.writeLine(root + path)
        guard let problem = await Self.problem(at: root, trusting: place.network.trustedRoots) else { return }
        StandardError.report(
            "warning: No hub answers at \(root) (\(problem)); start it with `sightline hub serve`, or give its address with --address."
        )
    }

    /// The reason why no hub answers at an address; nil if a hub does.
    private static func problem(at address: String, trusting roots: URL?) async -> String? {
        guard let url = URL(string: address), url.host() != nil else { return "it is not an address" }
        let hub = HubTransport(hub: url, credentials: .anonymous, trusting: roots, idleTimeout: .seconds(3))
        do throws(HubFailure) {
            let status = try await hub.send(.get, "/healthz", upTo: 1 << 16).status
            return status == 200 ? nil : "status \(status)"
        } catch .unreachable(let reason) {
            return reason.firstMatch(of: /\((.*)\)/).map { String($0.1) } ?? reason
        } catch {
            return "\(error)"
        }
    }
}
