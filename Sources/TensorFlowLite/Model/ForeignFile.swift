/// Files that people take for models, by their first bytes.
enum ForeignFile: CaseIterable {
    case gitPointer, webPage, hierarchicalData, zipArchive, picture

    /// The first bytes of such files.
    private var beginnings: [[UInt8]] {
        switch self {
        case .gitPointer: [Array("version https://git-lfs".utf8)]
        case .webPage: [Array("<".utf8)]
        case .hierarchicalData: [[0x89] + Array("HDF".utf8)]
        case .zipArchive: [[0x50, 0x4B, 0x03, 0x04]]
        case .picture: [[0x89] + Array("PNG".utf8), [0xFF, 0xD8, 0xFF], Array("GIF8".utf8)]
        }
    }

    /// The name of the kind, and the next step.
    private var sentence: (found: String, advice: String) {
        switch self {
        case .gitPointer: ("a Git LFS pointer", "`git lfs pull` fetches the file itself")
        case .webPage: ("a web page", "download the file itself, for example by its \"raw\" address")
        case .hierarchicalData: ("a Keras model in HDF5", "convert it with tf.lite.TFLiteConverter")
        case .zipArchive: ("a zip archive, perhaps of Keras or PyTorch", "use the .tflite file that was exported")
        case .picture: ("a picture", "use a .tflite file")
        }
    }

    /// What the bytes are instead of a model, and the next step.
    static func sentence(on bytes: UnsafeRawBufferPointer) -> (found: String, advice: String) {
        if let kind = allCases.first(where: { $0.beginnings.contains { bytes.starts(with: $0) } }) {
            return kind.sentence
        }
        let beginning = bytes.prefix(8).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count < 2 ? "0" + digits : digits
        }
        return ("bytes that begin with \(beginning.joined(separator: " "))", "use a .tflite file")
    }
}
