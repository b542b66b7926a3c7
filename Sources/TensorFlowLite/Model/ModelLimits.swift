/// How much memory a model may ask for before it is refused.
public struct ModelLimits: Sendable, Hashable {
    /// The most bytes that one tensor may take. 512 MiB unless told otherwise.
    public var maximumTensorBytes: Int
    /// The most bytes that all tensors other than the weights in the file may take together; the runtime shares memory
    /// between tensors, so it uses less. 4 GiB unless told otherwise.
    public var maximumTotalBytes: Int

    /// Creates limits.
    public init(maximumTensorBytes: Int = 512 << 20, maximumTotalBytes: Int = 4 << 30) {
        self.maximumTensorBytes = maximumTensorBytes
        self.maximumTotalBytes = maximumTotalBytes
    }

    /// 512 MiB a tensor, 4 GiB in all: far above what detectors and classifiers need.
    public static let standard = ModelLimits()
}
