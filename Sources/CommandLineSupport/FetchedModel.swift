/// The answer of `sightline-serve fetch`, with which `sightline` gets models of a hub: the program that every command starts must not
/// link the hub's client.
package struct FetchedModel: Codable, Sendable, Equatable {
    /// The path of the model's file; nil if there is none.
    package var file: String?
    /// The confidence below which the hub wants results dropped.
    package var confidenceThreshold: Float?
    /// A sentence for people: why there is no file, or why it is that of an earlier download.
    package var message: String?

    package init(file: String? = nil, confidenceThreshold: Float? = nil, message: String? = nil) {
        (self.file, self.confidenceThreshold, self.message) = (file, confidenceThreshold, message)
    }
}

/// The file with the address of a hub and a key, which commands need for models of a hub.
package enum HubFile {
    /// The environment variable with the path, for command lines without `--hub`.
    package static let variable = "SIGHTLINE_HUB_FILE"
    /// The beginning of the names of models of a hub.
    package static let prefix = "hub:"

    /// The path: that of the command line, otherwise that of the environment; nil if there is none.
    package static func path(_ option: String?, environment: [String: String]) -> String? {
        [option, environment[variable]].compactMap(\.self).first { !$0.isEmpty }
    }
}
