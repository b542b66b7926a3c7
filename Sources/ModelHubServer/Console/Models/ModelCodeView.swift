import Foundation
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
    ///   - task: Whether the model labels pictures or finds objects; nil for other models.
    ///   - keyNames: The names of the project's API keys; nil if the viewer may not see them.
    init(of model: ModelRecord, _ project: Project, base: String, task: ModelInspection.Purpose?, keyNames: [String]?) {
        let name = model.displayName
        let address = "\(base)/v1beta2/projects/\(project.id)/models/\(name):download"
        let texts = [
            ("Swift", Self.swift(name, project.id, base, task)), ("Kotlin", Self.kotlin(name, address)),
            ("Python", Self.python(name, address)), ("curl", Self.curl(name, address)),
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

    private static func kotlin(_ name: String, _ address: String) -> String {
        """
        import java.io.File
        import java.net.URL
        import org.json.JSONObject

        // On Android, not on the main thread.
        fun downloadModel(folder: File): File {
            val info = URL("\(address)?key=\(keyPlaceholder)").readText()
            val file = File(folder, "\(name).tflite")
            URL(JSONObject(info).getString("downloadUri")).openStream().use { input ->
                file.outputStream().use { input.copyTo(it) }
            }
            return file
        }
        """
    }

    private static func python(_ name: String, _ address: String) -> String {
        """
        import json
        import urllib.request

        with urllib.request.urlopen("\(address)?key=\(keyPlaceholder)") as reply:
            info = json.load(reply)
        urllib.request.urlretrieve(info["downloadUri"], "\(name).tflite")
        """
    }

    private static func curl(_ name: String, _ address: String) -> String {
        """
        curl --fail --output \(name).tflite "$(curl --fail --silent "\(address)?key=\(keyPlaceholder)" |
            sed 's/.*"downloadUri": *"\\([^"]*\\)".*/\\1/')"
        """
    }
}
