import ModelHub

/// A model that was downloaded, verified and installed.
///
/// ```swift
/// let interpreter = try Interpreter(modelPath: model.path)
/// ```
public struct CustomModel: Hashable, Sendable {
    /// The name of the model on the hub.
    public var name: String
    /// The file's size in bytes.
    public var size: Int
    /// The path of the `.tflite` file, which never changes. After an update it stays for a day.
    public var path: String
    /// The file's SHA-256 as 64 lower-case hexadecimal digits.
    public var hash: String

    init(_ model: DownloadedModel) {
        name = model.name
        size = model.size
        path = model.url.path
        hash = model.hash
    }
}
