import TensorFlowLite

extension RuntimeProduct {
    /// ONNX Runtime, which runs `.onnx` files.
    package static let onnxRuntime = RuntimeProduct(
        title: "ONNX Runtime",
        folderPrefix: "onnxruntime",
        variable: "SIGHTLINE_ONNXRUNTIME",
        stem: "libonnxruntime",
        fetchOption: " --onnx",
        modelExtension: "onnx"
    ) { isDarwin, version in
        "onnxruntime/capi/" + (isDarwin ? "libonnxruntime.\(version).dylib" : "libonnxruntime.so.\(version)")
    }
}

extension RuntimeRelease {
    /// The releases of ONNX Runtime that Sightline is tested with.
    package static let onnxRuntime = releases(
        of: .onnxRuntime,
        in: String(decoding: PackageResources.onnxruntime_txt, as: UTF8.self)
    )
}
