import Foundation
import HTTPServing
import Sightline
import TextFormatting

/// The models that fill a labeling interface, and how they do it.
struct LabelingPlan: Sendable {
    let service: AnswerService
    /// Where uploaded pictures lie; nil if Label Studio has not said so.
    private let place: LabelStudioProjects.Server?
    /// The tag that objects go to, with the model that finds them.
    private(set) var boxes: (control: LabelingInterface.Control, model: ServedModel.Version)?
    /// The tag that labels of whole pictures go to, with the model that gives them.
    private(set) var choices: (control: LabelingInterface.Control, model: ServedModel.Version)?

    /// Chooses the models.
    ///
    /// - Parameters:
    ///   - name: the name of the only model to use; nil for the first of each kind.
    ///   - place: where uploaded pictures lie, if that is known.
    /// - Throws: ``AnswerError``: 404 for an unknown model, 400 if no model has anything for the interface.
    init(
        _ interface: LabelingInterface,
        _ service: AnswerService,
        modelNamed name: String?,
        uploadsAt place: LabelStudioProjects.Server?
    ) throws(AnswerError) {
        (self.service, self.place) = (service, place)
        let models = service.servedModels().filter { name == nil || $0.name == name }
        if let name, models.isEmpty {
            throw AnswerError(.notFound, "There is no model \"\(name.prefix(80))\"; GET /v1/models lists the models.")
        }
        let versions = models.compactMap(\.version)
        if let control = interface.boxes, let model = versions.first(where: { $0.kind == .detection }) {
            boxes = (control, model)
        }
        if let control = interface.choices, let model = versions.first(where: { $0.kind == .labeling }) {
            choices = (control, model)
        }
        guard boxes != nil || choices != nil else {
            let wanted =
                interface.boxes != nil
                ? "RectangleLabels, for a model that finds objects" : "Choices, for a model that labels pictures"
            throw .invalid("The labeling interface has \(wanted); the server has no such model in use.")
        }
        let parts = [boxes, choices].compactMap { $0 }
        guard parts.contains(where: { Self.shares($0.control, labelsWith: $0.model) }) else {
            let labels = parts.flatMap(\.model.labels).prefix(8).joined(separator: ", ")
            throw .invalid(
                """
                No name in the labeling interface is a label of the model, which knows \(labels) and others; use its labels, or name them \
                in the attribute predicted_values of a Label or Choice.
                """
            )
        }
    }

    /// Whether a model may have something to say; a model without labels gives `object` or class numbers.
    private static func shares(_ control: LabelingInterface.Control, labelsWith model: ServedModel.Version) -> Bool {
        let labels = model.labels.isEmpty ? ["object"] : model.labels
        return labels.contains { control.name(for: $0) != nil } || control.name(for: "object") != nil
    }

    /// The models in use, as Label Studio shows them.
    var modelVersion: String {
        LabelStudioRegions.version([boxes?.model.model, choices?.model.model].compactMap { $0 })
    }

    /// The prediction for a task: an object of JSON with `result`, or with `error` if its picture cannot be used. Label Studio logs the
    /// error and stores no prediction.
    ///
    /// - Throws: ``AnswerError`` if the server is at fault or too busy, or the client has left.
    func prediction(
        for task: LabelStudioRequest.Task,
        client: AnswerClient,
        share: BodyMemory.Share
    ) async throws(AnswerError) -> String {
        do throws(AnswerError) {
            return try await regions(for: task, client: client, share: share)
        } catch {
            guard error.status.kind == .clientError, error.status != .requestTimeout else { throw error }
            var json = JSONText()
            json.object { json in json.field("error") { $0.string(error.message) } }
            return json.text
        }
    }

    private func regions(
        for task: LabelStudioRequest.Task,
        client: AnswerClient,
        share: BodyMemory.Share
    ) async throws(AnswerError) -> String {
        var regions = LabelStudioRegions()
        var pictures: [String: Data] = [:]
        if let (control, model) = boxes {
            let picture = try await picture(control.dataKey, of: task, &pictures, client, share)
            regions.add(try await service.detect(picture, model: model.model.name, client: client), to: control)
        }
        if let (control, model) = choices {
            let picture = try await picture(control.dataKey, of: task, &pictures, client, share)
            regions.add(try await service.label(picture, model: model.model.name, client: client), to: control)
        }
        return regions.prediction
    }

    private func picture(
        _ key: String,
        of task: LabelStudioRequest.Task,
        _ known: inout [String: Data],
        _ client: AnswerClient,
        _ share: BodyMemory.Share
    ) async throws(AnswerError) -> Data {
        if let picture = known[key] { return picture }
        guard let address = task.texts[key] else {
            throw .invalid("The task has no text \"\(key)\" in its data, the picture of the labeling interface.")
        }
        let picture =
            address.hasPrefix("/")
            ? try await uploadedPicture(address, client, share)
            : try await service.picture(at: address, for: client, share: share)
        known[key] = picture
        return picture
    }

    /// A picture that Label Studio keeps, by its path there.
    private func uploadedPicture(
        _ path: String,
        _ client: AnswerClient,
        _ share: BodyMemory.Share
    ) async throws(AnswerError) -> Data {
        guard LabelStudioProjects.isPicture(path) else {
            throw .invalid(
                "Label Studio keeps no pictures at \(path.prefix(80)); the server reads /data/… and /storage-data/… alone."
            )
        }
        guard let place else {
            throw .invalid(
                "The picture \(path.prefix(80)) is in Label Studio, which has not sent its address; connect the model again."
            )
        }
        let token = Secret("Token \(place.token.text)")
        return try await service.picture(at: place.address + path, authorization: token, for: client, share: share)
    }
}
