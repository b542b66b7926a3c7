import ModelHub

/// A model that was downloaded, verified and installed.
///
/// ```swift
/// let interpreter = try Interpreter(modelPath: model.path)
/// ```
public struct CustomModel: Hashable, Sendable {
    /// The name under which the hub publishes it.
    public var name: String
    /// The file's size in bytes.
    public var size: Int
    /// The `.tflite` file. It never changes; after an update it stays for a day.
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
