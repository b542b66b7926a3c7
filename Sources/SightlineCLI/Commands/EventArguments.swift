import ArgumentParser
import CommandLineSupport
import Foundation
import SightlineEvents
import SightlineMedia

/// The destinations to which a stream's events are sent.
struct EventArguments: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            """
            Also publish each event at this broker of MQTT, below PREFIX/CAMERA: events, and retained state and availability. mqtts:// for \
            TLS; mqtt://user@host/prefix with a password in SIGHTLINE_MQTT_PASSWORD or --mqtt-password-file.
            """,
            valueName: "mqtt://host/prefix"
        )
    )
    var mqtt: String?

    @Option(
        help: ArgumentHelp("The password for --mqtt is the first line of this file.", valueName: "file"),
        completion: .file()
    )
    var mqttPasswordFile: String?

    @Option(
        help: ArgumentHelp(
            "Trust the authorities in this file of certificates (PEM) for mqtts://, instead of those of the system.",
            valueName: "file"
        ),
        completion: .file()
    )
    var mqttAuthorities: String?

    @Flag(
        help: """
            Announce the camera to Home Assistant over --mqtt: a device with sensors for lines, zones and presence, and the picture of \
            the last event, which is also published.
            """
    )
    var homeAssistant = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            Make a picture for --home-assistant smaller until it has at most this many bytes, and 1,280 pixels on its longer side (default: \
            100000); 0 sends no pictures.
            """,
            valueName: "bytes"
        )
    )
    var pictureLimit: Int?

    @Option(
        help: ArgumentHelp(
            """
            Also post the events as JSON to this address, signed with the secret in SIGHTLINE_WEBHOOK_SECRET or --webhook-secret-file if \
            there is one.
            """,
            valueName: "https://host/path"
        )
    )
    var webhook: String?

    @Option(
        help: ArgumentHelp("The secret for --webhook is the first line of this file.", valueName: "file"),
        completion: .file()
    )
    var webhookSecretFile: String?

    @Option(
        help: ArgumentHelp(
            "The name of the camera for --mqtt and --webhook (default: from the input).",
            valueName: "camera"
        )
    )
    var name: String?

    @Option(
        help: ArgumentHelp(
            """
            Keep events that --mqtt or --webhook cannot send now in this folder, even after the run ends; the next run with the \
            folder sends them. Without it, they are kept in memory.
            """,
            valueName: "folder"
        ),
        completion: .directory
    )
    var queue: String?

    /// Whether events are sent.
    var isUsed: Bool { mqtt != nil || webhook != nil }

    /// Whether pictures of events are sent.
    var sendsPictures: Bool { mqtt != nil && homeAssistant && pictureLimit != 0 }

    func validate() throws {
        if mqtt == nil, mqttPasswordFile != nil || mqttAuthorities != nil || homeAssistant {
            throw ValidationError(
                "--mqtt-password-file, --mqtt-authorities and --home-assistant belong to --mqtt; name a broker with --mqtt."
            )
        }
        if webhook == nil, webhookSecretFile != nil {
            throw ValidationError("--webhook-secret-file belongs to --webhook; name an address with --webhook.")
        }
        if !isUsed, name != nil {
            throw ValidationError("--name belongs to --mqtt and --webhook; add one of them.")
        }
        if !homeAssistant, pictureLimit != nil {
            throw ValidationError("--picture-limit belongs to --home-assistant; add that, or leave it out.")
        }
        if let pictureLimit, pictureLimit != 0 {
            try check(pictureLimit, isIn: 2_000...10_000_000, name: "picture-limit")
        }
        if let name, !Self.isUsable(name) {
            throw ValidationError(
                "The name of a camera must not be empty or contain / + #; write for example --name door."
            )
        }
        do throws(EventError) {
            if let mqtt {
                let address = try MQTTAddress(mqtt)
                if address.user == nil, mqttPasswordFile != nil {
                    throw EventError.invalidAddress(
                        mqtt,
                        reason: "it names no user for the password; write mqtt://user@host"
                    )
                }
            }
            if let webhook { _ = try WebhookTransport(webhook) }
        } catch .invalidAddress(let text, let reason) {
            throw ValidationError(EventError.invalidAddress(text, reason: reason).description)
        } catch {}
    }

    private static func isUsable(_ name: String) -> Bool {
        !name.isEmpty
            && name.unicodeScalars.allSatisfy {
                !"/+#".unicodeScalars.contains($0) && $0.properties.generalCategory != .control
            }
    }

    /// The name of the camera whose stream an input is: the last part of a path, or the host of an address.
    func camera(of input: String) -> String {
        name ?? Self.camera(ofUnnamed: input)
    }

    /// The name of the camera whose stream an input is, without a name on the command line.
    static func camera(ofUnnamed input: String) -> String {
        if input == "-" { return "stdin" }
        if StreamAddress.scheme(of: input) != nil { return usable(StreamAddress.host(of: input) ?? "") }
        return usable(URL(filePath: input).deletingPathExtension().lastPathComponent)
    }

    private static func usable(_ text: String) -> String {
        let found = text.unicodeScalars.map { "/+#%*".unicodeScalars.contains($0) ? "_" : Character($0) }
        return found.isEmpty ? "camera" : String(found)
    }

    /// The destinations, each with the part of the queue that belongs to it.
    ///
    /// - Parameter hidesPictures: whether pictures stay on this machine, so that those of earlier runs are taken back.
    /// - Throws: `EventError`, for example if a file with a secret cannot be read.
    func places(hidesPictures: Bool = false) throws(EventError) -> [EventPlace] {
        var places: [EventPlace] = []
        if let mqtt {
            let options = MQTTTransport.Options(
                password: try secret("SIGHTLINE_MQTT_PASSWORD", mqttPasswordFile),
                authorities: mqttAuthorities.map { URL(filePath: $0) },
                discoveryPrefix: homeAssistant ? "homeassistant" : nil,
                pictureLimit: hidesPictures ? 0 : pictureLimit ?? MQTTTransport.Options.standardPictureLimit,
                topicsFile: folder("mqtt")?.appending(path: "topics")
            )
            let transport = try MQTTTransport(MQTTAddress(mqtt), options: options)
            places.append(
                EventPlace(
                    name: transport.destination,
                    identity: [
                        "mqtt", mqtt, options.password ?? "", mqttAuthorities ?? "", "\(homeAssistant)",
                        "\(options.pictureLimit)",
                    ],
                    folder: folder("mqtt"),
                    wantsPictures: sendsPictures && !hidesPictures,
                    showsDevices: homeAssistant,
                    transport: transport
                )
            )
        }
        if let webhook {
            let secret = try secret("SIGHTLINE_WEBHOOK_SECRET", webhookSecretFile)
            let transport = try WebhookTransport(webhook, secret: secret)
            places.append(
                EventPlace(
                    name: transport.destination,
                    identity: ["webhook", webhook, secret ?? ""],
                    folder: folder("webhook"),
                    transport: transport
                )
            )
        }
        return places
    }

    /// The part of the queue that belongs to a destination; nil without a queue.
    func folder(_ name: String) -> URL? { queue.map { URL(filePath: $0).appending(path: name) } }

    /// The secret in a file, otherwise in the environment.
    private func secret(_ variable: String, _ file: String?) throws(EventError) -> String? {
        if let file { return try SecretFile.read(URL(filePath: file)) }
        return ProcessInfo.processInfo.environment[variable].flatMap { $0.isEmpty ? nil : $0 }
    }
}
