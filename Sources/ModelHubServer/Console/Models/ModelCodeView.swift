import Foundation
import ModelHubProtocol
import Sightline

/// Code that downloads a model, with its real name and the hub's real address.
///
/// The hub stores only hashes of API keys, so a placeholder stands for the key.
struct ModelCodeView: Sendable {
    struct Example: Sendable {
        var language: String
        /// The identifier of the text on the page.
        var id: String
        var text: String
        var isFirst: Bool
    }

    var examples: [Example]
    /// The names of the API keys, for those who may see them.
    var keyNames: [String]
    /// Whether the viewer may see and create keys.
    var canSeeKeys: Bool
    var keyPlaceholder = Self.keyPlaceholder
    /// Whether an app must register before it may download the model.
    var requiresInstallation: Bool
    var isPublished: Bool

    /// Stands for an API key.
    static let keyPlaceholder = "YOUR_API_KEY"

    /// - Parameters:
    ///   - base: The address of the hub.
    ///   - format: The format of the served version.
    ///   - task: Whether the model labels pictures or finds objects; nil for other models.
    ///   - keyNames: The names of the project's API keys; nil if the viewer may not see them.
    init(
        of model: ModelRecord,
        _ project: Project,
        base: String,
        task: ModelInspection.Purpose?,
        format: HostedFormat,
        keyNames: [String]?
    ) {
        let name = model.displayName
        let address = "\(base)/v1beta2/projects/\(project.id)/models/\(name):download"
        let texts = [
            ("Swift", Self.swift(name, project.id, base, task)), ("Kotlin", Self.kotlin(name, address, format)),
            ("Python", Self.python(name, address, format)), ("curl", Self.curl(name, address, format)),
        ]
        examples = texts.enumerated().map { index, text in
            Example(language: text.0, id: "code-\(text.0.lowercased())", text: text.1, isFirst: index == 0)
        }
        self.keyNames = keyNames ?? []
        canSeeKeys = keyNames != nil
        requiresInstallation = project.requiresInstallation
        isPublished = model.isPublished
    }

    private static func swift(_ name: String, _ project: String, _ base: String, _ task: ModelInspection.Purpose?)
        -> String
    {
        let use =
            switch task {
            case .labeling:
                """


                let labeler = try ImageLabeler(options: ImageLabelerOptions(model: model.localModel))
                let labels = try await labeler.labels(in: URL(filePath: "photo.jpg"))
                """
            case .detection:
                """


                let detector = try ObjectDetector(options: ObjectDetectorOptions(model: model.localModel))
                let objects = try await detector.objects(in: URL(filePath: "photo.jpg"))
                """
            case nil: ""
            }
        // Written so that the check of layers does not take the text for imports of this file.
        let modules = ["Foundation", "ModelHub"] + (use.isEmpty ? [] : ["Sightline"])
        let imports = modules.map { "import \($0)" }.joined(separator: "\n")
        return """
            \(imports)

            let manager = ModelManager(
                configuration: ModelHubConfiguration(
                    hub: URL(string: "\(base)")!,
                    projectID: "\(project)",
                    apiKey: "\(keyPlaceholder)"
                )
            )
            let model = try await manager.download(RemoteModel(name: "\(name)"))\(use)
            """
    }

    /// The value of the field with which a program asks for a format that Firebase's clients do not read; nil for TensorFlow Lite.
    private static func asked(_ format: HostedFormat) -> String? {
        format == .tensorFlowLite ? nil : HostedFormat.list([format])
    }

    private static func kotlin(_ name: String, _ address: String, _ format: HostedFormat) -> String {
        let info =
            asked(format).map { value in
                """
                    val request = URL("\(address)?key=\(keyPlaceholder)").openConnection()
                    request.setRequestProperty("X-Sightline-Formats", "\(value)")
                    val info = request.getInputStream().bufferedReader().readText()
                """
            } ?? """
                    val info = URL("\(address)?key=\(keyPlaceholder)").readText()
                """
        return """
            import java.io.File
            import java.net.URL
            import org.json.JSONObject

            // On Android, not on the main thread.
            fun downloadModel(folder: File): File {
            \(info)
                val file = File(folder, "\(name).\(format.fileExtension)")
                URL(JSONObject(info).getString("downloadUri")).openStream().use { input ->
                    file.outputStream().use { input.copyTo(it) }
                }
                return file
            }
            """
    }

    private static func python(_ name: String, _ address: String, _ format: HostedFormat) -> String {
        let request =
            asked(format).map { value in
                """
                request = urllib.request.Request(
                    "\(address)?key=\(keyPlaceholder)",
                    headers={"X-Sightline-Formats": "\(value)"},
                )
                with urllib.request.urlopen(request) as reply:
                """
            } ?? #"with urllib.request.urlopen("\#(address)?key=\#(keyPlaceholder)") as reply:"#
        return """
            import json
            import urllib.request

            \(request)
                info = json.load(reply)
            urllib.request.urlretrieve(info["downloadUri"], "\(name).\(format.fileExtension)")
            """
    }

    private static func curl(_ name: String, _ address: String, _ format: HostedFormat) -> String {
        let field = asked(format).map { #" --header "X-Sightline-Formats: \#($0)""# } ?? ""
        return """
            curl --fail --output \(name).\(format.fileExtension) "$(curl --fail --silent\(field) "\(address)?key=\(keyPlaceholder)" |
                sed 's/.*"downloadUri": *"\\([^"]*\\)".*/\\1/')"
            """
    }
}
