/// A library that runs models: its names, from which its files and its variable follow.
package struct RuntimeProduct: Sendable, Hashable {
    /// The name for people.
    package let title: String
    /// The beginning of the name of the folder in which it is installed; the version follows.
    package let folderPrefix: String
    /// The environment variable that holds the path of the library.
    package let variable: String
    /// The name of the installed file without its ending.
    package let stem: String
    /// The option of `fetch-litert` that installs this library; empty for LiteRT.
    package let fetchOption: String
    /// The name of the library for `sightline models install --runtime`: the ending of the files that it runs.
    package let modelExtension: String
    /// The paths below an app's frameworks at which a framework of the library may be.
    package let frameworkFiles: [String]
    /// The path of the library in its wheel: the system as `uname -s` prints it, the version.
    private let wheelPath: @Sendable (_ isDarwin: Bool, _ version: String) -> String

    package init(
        title: String,
        folderPrefix: String,
        variable: String,
        stem: String,
        fetchOption: String = "",
        modelExtension: String,
        frameworkFiles: [String] = [],
        wheelPath: @escaping @Sendable (_ isDarwin: Bool, _ version: String) -> String
    ) {
        self.title = title
        self.folderPrefix = folderPrefix
        self.variable = variable
        self.stem = stem
        self.fetchOption = fetchOption
        self.modelExtension = modelExtension
        self.frameworkFiles = frameworkFiles
        self.wheelPath = wheelPath
    }

    /// LiteRT, which runs `.tflite` files.
    package static let liteRT = RuntimeProduct(
        title: "LiteRT",
        folderPrefix: "litert",
        variable: "SIGHTLINE_LITERT",
        stem: "libLiteRt",
        modelExtension: "tflite",
        frameworkFiles: ["LiteRt.framework/LiteRt", "CLiteRT.framework/CLiteRT"]
    ) { isDarwin, _ in "ai_edge_litert/libLiteRt.\(isDarwin ? "dylib" : "so")" }

    /// The name of the installed file on this system.
    package var fileName: String {
        #if canImport(Darwin)
            "\(stem).dylib"
        #else
            "\(stem).so"
        #endif
    }

    func member(system: String, version: String) -> String { wheelPath(system == "Darwin", version) }

    package static func == (one: RuntimeProduct, other: RuntimeProduct) -> Bool { one.variable == other.variable }

    package func hash(into hasher: inout Hasher) { hasher.combine(variable) }
}
