import DurableFiles
import Foundation
import Sightline

extension ModelSource {
    /// A model of the catalog that comes with the program, as a file NAME.tflite among its resources, or that the user has installed with
    /// `sightline models install NAME`.
    public static func installed(
        _ name: String,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> ModelSource {
        ModelSource {
            let installed = UserDataFolder.ofUser(environment: environment).appending(
                path: "sightline/models/\(name)/model.tflite"
            )
            let places = [resourceFile(name), installed].compactMap(\.self)
            guard let file = places.first(where: { FileManager.default.fileExists(atPath: $0.path) }) else {
                throw FacadeError.notInstalled(model: name)
            }
            return LocalModel(url: file)
        }
    }

    /// A model that is a file NAME.tflite among the program's resources, because the catalog has none like it.
    public static func resource(_ name: String) -> ModelSource {
        ModelSource {
            guard let file = resourceFile(name) else { throw FacadeError.noResource(model: name) }
            return LocalModel(url: file)
        }
    }

    private static func resourceFile(_ name: String) -> URL? {
        Bundle.main.url(forResource: name, withExtension: "tflite")
    }
}
