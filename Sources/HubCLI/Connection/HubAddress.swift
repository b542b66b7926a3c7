import ArgumentParser
import Foundation

/// `--hub` and `--trust`: a hub on the network.
struct HubAddress: ParsableArguments {
    @Option(help: "The address of a hub on the network (or SIGHTLINE_HUB).")
    var hub: String?

    @Option(
        help: ArgumentHelp(
            "A PEM file of certificates to trust in addition to the system's (or SIGHTLINE_HUB_TRUST).",
            discussion: "A hub with a private certificate authority needs it.",
            valueName: "file"
        ),
        completion: .file()
    )
    var trust: String?

    /// The address that the option or the environment names; nil for none.
    var address: String? { hub.flatMap { $0.isEmpty ? nil : $0 } ?? Self.variable("SIGHTLINE_HUB") }

    /// The certificates to trust in addition to the system's.
    var trustedRoots: URL? { (trust ?? Self.variable("SIGHTLINE_HUB_TRUST")).map { URL(filePath: $0) } }

    /// A variable of the environment; nil if it is empty.
    static func variable(_ name: String) -> String? {
        ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }
}
