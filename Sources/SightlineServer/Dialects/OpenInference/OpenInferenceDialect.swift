import CommandLineSupport
import Foundation
import HTTPServing
import HTTPTypes
import Hummingbird
import Sightline
import TensorFlowLite
import TextFormatting

/// The Open Inference Protocol, version 2, which clients of KServe, Triton and OpenVINO Model Server speak, with its extension for
/// binary data.
///
/// Source: the specification at github.com/kserve/open-inference-protocol and KServe's "Binary Tensor Data Extension".
struct OpenInferenceDialect: Dialect {
    let service: AnswerService
    private let tensors: TensorInference

    let name = "Open Inference Protocol"
    let summary = "Tensors in, tensors out, as KServe and Triton do it (version 2); or a picture in, named objects out."

    private typealias Description = Route<AnswerAccess>.Description

    /// The addresses of models. The description names the one without a version.
    private static let models: [(path: String, model: Description?, infer: Description?)] = [
        ("v2/models/{model}", { .openInferenceModel }, { .openInferenceInfer }),
        ("v2/models/{model}/versions/{version}", nil, nil),
    ]

    init(service: AnswerService) {
        self.service = service
        tensors = TensorInference(service: service, models: TensorModels(workers: service.options.workers))
    }

    func add(to routes: inout AnswerRoutes) {
        routes.on(.get, at: "v2", for: .everybody) { _ in
            .json(text: Self.server.text)
        } describedBy: {
            .openInferenceServer
        }
        routes.on(.get, at: "v2/health/live", for: .everybody) { _ in .empty(.ok) }
        routes.on(.get, at: "v2/health/ready", for: .everybody) { _ in
            .empty(service.servedModels().allSatisfy { $0.version != nil } ? .ok : .serviceUnavailable)
        }
        for (path, describedModel, describedInfer) in Self.models {
            routes.on(.get, at: path, use: metadata, describedBy: describedModel)
            routes.on(.get, at: "\(path)/ready", use: ready)
            let infer = Route<AnswerAccess>.outsideEventLoop(infer)
            routes.on(.post, at: "\(path)/infer", use: infer, describedBy: describedInfer)
            routes.on(.get, at: "\(path)/config", use: config)
            for path in [path, "\(path)/ready", "\(path)/infer", "\(path)/config"] {
                routes.refuseOtherMethods(at: path)
            }
        }
        routes.on(.post, at: "v2/repository/index", use: index)
        routes.refuseOtherMethods(at: "v2/repository/index")
        for path in ["v2", "v2/health/live", "v2/health/ready"] { routes.refuseOtherMethods(at: path) }
    }

    private static let server = {
        var json = JSONText()
        json.object { json in
            json.field("name") { $0.string("sightline") }
            json.field("version") { $0.string(SightlineVersion.current) }
            json.field("extensions") { $0.array(["binary_tensor_data"]) { $0.string($1) } }
        }
        return json
    }()

    /// The model that the path names.
    ///
    /// - Throws: 404 for another model or another version than the one in use, 503 while it is not downloaded yet.
    func model(of request: APIRequest) throws(AnswerError) -> LoadedModel {
        let loaded = try service.models.model(named: request["model"], kind: .detection)
        if let version = request.parameter("version"), version != loaded.version.model.version {
            throw AnswerError(
                .notFound,
                """
                The version \(version.prefix(80)) of the model \(loaded.version.model.name) is not in use; \
                \(loaded.version.model.version) is.
                """
            )
        }
        return loaded
    }

    @Sendable
    private func ready(_ request: APIRequest) throws -> Response {
        _ = try model(of: request)
        return .empty(.ok)
    }

    @Sendable
    private func metadata(_ request: APIRequest) throws -> Response {
        let loaded = try model(of: request)
        func write(_ json: inout JSONText, _ tensor: TensorDescription, _ shape: Tensor.Shape) {
            json.object { json in
                json.field("name") { $0.string(tensor.name) }
                json.field("datatype") { $0.string(tensor.dataType.openInferenceName) }
                json.field("shape") { $0.array(shape.dimensions) { $0.number($1) } }
            }
        }
        var json = JSONText()
        json.object { json in
            json.field("name") { $0.string(loaded.version.model.name) }
            json.field("versions") { $0.array([loaded.version.model.version]) { $0.string($1) } }
            json.field("platform") { $0.string(loaded.model.runtime.platform) }
            json.field("inputs") { $0.array(loaded.model.inputs) { write(&$0, $1, loaded.model.requestShape(of: $1)) } }
            json.field("outputs") { $0.array(loaded.model.outputs) { write(&$0, $1, $1.shape) } }
        }
        return .json(text: json.text)
    }

    @Sendable
    private func infer(_ request: APIRequest) async throws -> Response {
        let loaded = try model(of: request)
        let body = try await service.body(of: request, upTo: bodyLimit(for: loaded.model), inflates: true)
        var jsonLength: Int?
        if let text = request.headers[.inferenceHeaderContentLength] {
            guard let length = Int(text) else {
                throw AnswerError.invalid(
                    "Inference-Header-Content-Length is \"\(text.prefix(40))\"; it must be a number of bytes."
                )
            }
            jsonLength = length
        }
        let inference = try InferenceRequest(Array(body.data), jsonLength: jsonLength)
        let client = AnswerClient(request)
        let answer =
            PictureInference.fits(inference)
            ? try await PictureInference(service: service)
                .response(of: loaded.version, for: inference, client: client, share: body.share)
            : try await tensors.response(of: loaded, for: inference, client: client, share: body.share)
        return try answer.response(to: inference)
    }

    /// The largest body for a model: a picture in base64, or its inputs in JSON, whose numbers take some 24 characters each at most.
    private func bodyLimit(for model: any InferenceModel) -> Int {
        let elements = model.inputs.reduce(0) { $0 + ($1.defaultShape.elementCount ?? 0) }
        let (tensors, overflow) = elements.multipliedReportingOverflow(by: 26)
        let picture = service.options.pictures.maximumBytes / 3 * 4
        return min(max(picture, overflow ? .max : tensors), service.options.bodyBytes / 2) + InferenceRequest.jsonLimit
    }
}

extension LoadedModel {
    /// The model's file, checked.
    var model: any InferenceModel {
        switch engine {
        case .detector(let detector): detector.modelFiles.model
        case .labeler(let labeler): labeler.modelFiles.model
        }
    }
}
