import Hummingbird
import Sightline
import TextFormatting

/// Trying a model with a picture.
extension Console {
    /// The form on a model's page.
    struct TrialForm: Sendable {
        var path: String
        var choices: [ModelVersionView.Choice]
        var limit: String
        /// The formats of pictures that the hub reads.
        var formats: String
    }

    private struct TrialPage: Sendable {
        var modelPath: String
        var modelName: String
        var version: String
        var trial: TrialView
        var form: TrialForm
    }

    /// - Parameter model: The path of a model's page.
    func addTrials(of model: String, to routes: inout RouteTable) {
        form(at: "\(model)/try", for: .viewer, in: &routes, use: ofModel(tryModel))
    }

    /// The form for some versions of a model; nil if none of them can be tried.
    ///
    /// - Parameter chosen: The version that the menu shows at first; nil for the served version.
    func trialForm(of model: ModelRecord, _ versions: [ModelVersion], chosen: Int? = nil) -> TrialForm? {
        let chosen = chosen ?? model.file?.version
        let usable = versions.filter { hub.canTry($0) }
        guard !usable.isEmpty else { return nil }
        return TrialForm(
            path: "\(Self.path(of: model))/try",
            choices: usable.map { .init($0, of: model, isChosen: $0.number == chosen) },
            limit: NumberText.bytes(Hub.maximumTrialPicture),
            formats: ImageFormat.readableNames
        )
    }

    @Sendable
    private func tryModel(_ visit: ConsoleVisit, _ model: ModelRecord) async throws -> Response {
        try await hub.trialPhotos.run(as: visit.caller.project.id) { try await receiveAndTry(visit, model) }
    }

    private func receiveAndTry(_ visit: ConsoleVisit, _ model: ModelRecord) async throws -> Response {
        let limit = Hub.maximumTrialPicture
        let refusal = HubError(
            .invalidArgument,
            "The picture has more than \(NumberText.bytes(limit)); choose a smaller picture.",
            httpStatus: 413
        )
        let upload = try await ConsoleUpload(visit, limits: ["picture": (limit, refusal)])
        guard let file = upload.files["picture"] else {
            throw HubError(.invalidArgument, "No picture was chosen; go back and choose a photo.")
        }
        let text = upload.form["version"]
        guard let number = text.isEmpty ? model.file?.version : Int(text),
            let version = try await hub.records.version(number, of: model.id),
            let task = version.task
        else {
            throw HubError(.invalidArgument, "No version was chosen; choose a version that can be tried.")
        }
        let trial = try await hub.tryModel(model, version: number, on: file.staged, named: file.name, by: visit.caller)
        let versions = try await hub.records.versions(of: model.id, before: nil, limit: Self.versionPage)
        let offered = versions.contains { $0.number == number } ? versions : versions + [version]
        guard let form = trialForm(of: model, offered, chosen: number) else { throw HubError.entityNotFound }
        var response = Response.page(
            "model-try",
            ConsoleChrome(title: "Try \(model.displayName)", visit: visit, section: "models"),
            TrialPage(
                modelPath: Self.path(of: model),
                modelName: model.displayName,
                version: "\(number)",
                trial: TrialView(trial, task: task, threshold: version.confidenceThreshold, named: file.name),
                form: form
            )
        )
        // The only page with a picture that no address names.
        response.headers[.contentSecurityPolicy] = Self.contentSecurityPolicy(picturesFrom: "'self' data:")
        return response
    }
}
