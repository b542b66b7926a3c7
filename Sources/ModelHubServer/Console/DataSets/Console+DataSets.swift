import Foundation
import HTTPServing
import HTTPTypes
import Hummingbird
import NIOCore
import TextFormatting

/// The pages of data sets: the list, a data set with its photos, and the changes of both.
extension Console {
    private static let dataSetsPath = "/console/datasets"
    static func path(ofDataSet name: String) -> String { "\(dataSetsPath)/\(encoded(name))" }

    func addDataSets(to routes: inout RouteTable) {
        let dataSet = "console/datasets/{dataset}"
        page(at: "console/datasets", in: &routes, use: dataSetList)
        form(at: "console/datasets", in: &routes, use: createDataSet)
        page(at: dataSet, in: &routes, use: ofDataSet(dataSetPage))
        page(at: "\(dataSet)/status", in: &routes, use: ofDataSet(trainingStatus))
        page(at: "\(dataSet)/photos/{photo}", in: &routes, use: ofDataSet(thumbnail))
        addPhotoBoxes(at: "\(dataSet)/boxes/{photo}", to: &routes, ofDataSet)
        form(at: "\(dataSet)/photos", in: &routes, use: ofDataSet(addPhotos))
        form(at: "\(dataSet)/label", in: &routes, use: ofDataSet(setLabel))
        form(at: "\(dataSet)/remove", in: &routes, use: ofDataSet(removePhoto))
        form(at: "\(dataSet)/train", in: &routes, use: ofDataSet(train))
        form(at: "\(dataSet)/cancel", in: &routes, use: ofDataSet(cancelTraining))
        page(at: "\(dataSet)/delete", for: .editor, in: &routes, use: ofDataSet(confirmDeletion))
        form(at: "\(dataSet)/delete", for: .editor, in: &routes, use: ofDataSet(deleteDataSet))
    }

    /// A page of the data set in the path.
    private func ofDataSet(_ page: @escaping @Sendable (ConsoleVisit, DataSet) async throws -> Response) -> Page {
        { visit in try await page(visit, try await hub.dataSet(visit.request["dataset"], of: visit.caller)) }
    }

    private struct ListPage: Sendable {
        struct Row: Sendable {
            var path: String
            var name: String
            var photos: String
            var labels: String
            var size: String
            var created: ConsoleTime
        }

        var rows: [Row]
    }

    @Sendable
    private func dataSetList(_ visit: ConsoleVisit) async throws -> Response {
        var rows: [ListPage.Row] = []
        for dataSet in try await hub.records.dataSets(of: visit.caller.project.id) {
            let counts = try await hub.records.counts(ofDataSet: dataSet.id)
            rows.append(
                .init(
                    path: Self.path(ofDataSet: dataSet.name),
                    name: dataSet.name,
                    photos: NumberText.grouped(counts.photos),
                    labels: NumberText.grouped(counts.labels.count),
                    size: NumberText.bytes(counts.byteCount),
                    created: ConsoleTime(dataSet.createTime)
                )
            )
        }
        return .page("datasets", ConsoleChrome(title: "Data sets", visit: visit), ListPage(rows: rows))
    }

    @Sendable
    private func createDataSet(_ visit: ConsoleVisit) async throws -> Response {
        let form = try await ConsoleForm(visit)
        let dataSet = try await hub.createDataSet(form["name"], by: visit.caller)
        return try .seeOther(Self.path(ofDataSet: dataSet.name), for: visit.request)
    }

    @Sendable
    private func addPhotos(_ visit: ConsoleVisit, _ dataSet: DataSet) async throws -> Response {
        let limit = Hub.maximumArchiveSize
        let refusal = HubError(
            .invalidArgument,
            "The file has more than \(NumberText.bytes(limit)); add the photos in several archives.",
            httpStatus: 413
        )
        let upload = try await ConsoleUpload(visit, limits: ["photos": (limit, refusal)])
        guard let file = upload.files["photos"] else {
            throw HubError(.invalidArgument, "No file was chosen; go back and choose a photo or a zip archive.")
        }
        let label = upload.form["label"]
        return try await change(visit, thenTo: Self.path(ofDataSet: dataSet.name)) {
            let added = try await hub.addPhotos(
                file.staged,
                named: file.name,
                label: label.isEmpty ? nil : label,
                to: dataSet,
                by: visit.caller
            )
            let known = added.knownCount > 0 ? " \(NumberText.grouped(added.knownCount)) were there already." : ""
            let first = added.skipped.first.map { " The first one is \($0.path): \($0.reason)" } ?? ""
            let leftOut =
                added.leftOutBoxCount > 0
                ? " \(NumberText.grouped(added.leftOutBoxCount, "box", "boxes")) outside of the photos left out." : ""
            let count = added.unlabeledCount ?? 0
            let unlabeled =
                count == 0
                ? ""
                : count == added.addedCount
                    ? " \(count == 1 ? "It has" : "They have") no label yet."
                    : " \(NumberText.grouped(count)) of them \(count == 1 ? "has" : "have") no label yet."
            let skipped =
                added.skippedCount > 0
                ? " \(NumberText.grouped(added.skippedCount, "file")) cannot be used.\(first)" : ""
            return "\(NumberText.grouped(added.addedCount, "photo")) added.\(unlabeled)\(known)\(leftOut)\(skipped)"
        }
    }

    private struct Labeled: Encodable {
        var label: String?
    }

    /// Gives a photo another label: for the console's script without a page, for a form with the page that it was on.
    @Sendable
    private func setLabel(_ visit: ConsoleVisit, _ dataSet: DataSet) async throws -> Response {
        let form = try await ConsoleForm(visit)
        guard let hash = BlobHash(form["photo"]) else { throw Hub.noSuchPhoto(dataSet) }
        let label = try DataSet.label(form["label"])
        try await hub.setLabel(label, of: hash, in: dataSet, by: visit.caller)
        if visit.request.wantsJSON { return try .json(Labeled(label: label)) }
        return try .seeOther(Self.back(form, to: dataSet), for: visit.request)
    }

    @Sendable
    private func removePhoto(_ visit: ConsoleVisit, _ dataSet: DataSet) async throws -> Response {
        let form = try await ConsoleForm(visit)
        guard let hash = BlobHash(form["photo"]) else { throw Hub.noSuchPhoto(dataSet) }
        return try await change(visit, thenTo: Self.back(form, to: dataSet)) {
            try await hub.deletePhoto(hash, of: dataSet, by: visit.caller)
            return "The photo was deleted for good."
        }
    }

    /// The page of the data set on which a form was.
    private static func back(_ form: ConsoleForm, to dataSet: DataSet) -> String {
        let query = form["query"]
        let isQuery = query.utf8.count <= 500 && query.utf8.allSatisfy { (33...126).contains($0) && $0 != 0x23 }
        return path(ofDataSet: dataSet.name) + (isQuery && !query.isEmpty ? "?\(query)" : "")
    }

    @Sendable
    private func train(_ visit: ConsoleVisit, _ dataSet: DataSet) async throws -> Response {
        let form = try await ConsoleForm(visit)
        let kind = Training.Kind(rawValue: form["kind"])
        _ = try await hub.train(on: dataSet, as: form["model"], kind, by: visit.caller)
        return try .seeOther(Self.path(ofDataSet: dataSet.name), for: visit.request)
    }

    @Sendable
    private func cancelTraining(_ visit: ConsoleVisit, _ dataSet: DataSet) async throws -> Response {
        let form = try await ConsoleForm(visit)
        return try await change(visit, thenTo: Self.path(ofDataSet: dataSet.name)) {
            let training = try await hub.training(form["training"], of: visit.caller)
            let ended = try await hub.cancelTraining(training, by: visit.caller)
            return ended.state == .cancelled ? "The training was canceled." : "The training had ended already."
        }
    }

    /// The small picture of a photo, which the hub's own process encoded.
    @Sendable
    private func thumbnail(_ visit: ConsoleVisit, _ dataSet: DataSet) async throws -> Response {
        guard let hash = BlobHash(visit.request["photo"]),
            let data = try await hub.records.thumbnail(of: hash, ofDataSet: dataSet.id)
        else { throw HubError.entityNotFound }
        return Response(
            status: .ok,
            // Not kept by the browser, since photos are deleted for good.
            headers: [.contentType: "image/jpeg", .cacheControl: "private, no-cache"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: data))
        )
    }

    private struct DeletionPage: Sendable {
        var title, text, path, action, back, backTitle: String
    }

    @Sendable
    private func confirmDeletion(_ visit: ConsoleVisit, _ dataSet: DataSet) async throws -> Response {
        let count = try await hub.records.counts(ofDataSet: dataSet.id).photos
        let path = Self.path(ofDataSet: dataSet.name)
        return .page(
            "confirmation",
            ConsoleChrome(title: "Delete \(dataSet.name)", visit: visit),
            DeletionPage(
                title: "Delete \(dataSet.name)?",
                text:
                    "Its \(NumberText.grouped(count, "photo")) and its trainings are deleted for good. Models that were trained on it stay.",
                path: "\(path)/delete",
                action: "Delete \(dataSet.name)",
                back: path,
                backTitle: dataSet.name
            )
        )
    }

    @Sendable
    private func deleteDataSet(_ visit: ConsoleVisit, _ dataSet: DataSet) async throws -> Response {
        _ = try await ConsoleForm(visit)
        return try await change(visit, thenTo: Self.dataSetsPath) {
            try await hub.deleteDataSet(dataSet, by: visit.caller)
            return "The data set \(dataSet.name) was deleted for good."
        }
    }
}
