import HTTPServing
import Hummingbird
import TextFormatting

/// The page of a data set: its training, the doubtful photos, and all photos by label.
extension Console {
    private struct PhotoView: Sendable {
        /// A label that a click or a key gives the photo.
        struct Choice: Sendable {
            var label: String
            var key: String
            var isCurrent: Bool
        }

        var photoID: String
        var picture: String
        var name: String
        var label: String
        var hasLabel: Bool
        /// The label that the model of the last training rather gives it, in words.
        var doubt: String?
        var choices: [Choice]
        /// The page on which boxes are drawn.
        var boxesPath: String
        /// The boxes, drawn on the small picture.
        var drawn: Drawing?

        struct Drawing: Sendable {
            var width: String
            var height: String
            var boxes: [DrawnBoxView]
        }
    }

    private struct TrainingView: Sendable {
        var trainingID: String
        var title: String
        var isOpen: Bool
        var isFailed: Bool
        var text: String
        /// Nil if the number of photos is not known yet.
        var done: Int?
        var total: Int
        var message: String?
        var modelPath: String?
        var evaluationPath: String?
        var ended: ConsoleTime?
    }

    private struct DataSetPage: Sendable {
        struct Choice: Sendable {
            var value: String
            var title: String
            var isChosen: Bool
        }

        var path: String
        var name: String
        var summary: String
        var hasPhotos: Bool
        var canTrain: Bool
        /// The kinds of models that can be trained, if there are several.
        var kinds: [Choice]
        var training: TrainingView?
        var isTraining: Bool
        var doubtful: [PhotoView]
        var photos: [PhotoView]
        var filters: [Choice]
        var labels: [String]
        /// The labels of the keys 1 to 9.
        var keys: String?
        var query: String
        var next: String?
        var limit: String
        var canDelete: Bool
        var statusPath: String
    }

    private static let photosOfPage = 60
    /// The labels that have a key.
    private static let keyCount = 9

    @Sendable
    func dataSetPage(_ visit: ConsoleVisit, _ dataSet: DataSet) async throws -> Response {
        let fields = visit.request.query
        let counts = try await hub.records.counts(ofDataSet: dataSet.id)
        let labels = counts.labels.map(\.label)
        let boxLabels = counts.boxLabels.map(\.label)
        let path = Self.path(ofDataSet: dataSet.name)
        let chosen = fields["show"] ?? ""
        let filter: PhotoFilter =
            chosen == "none"
            ? .unlabeled
            : chosen == "undrawn" ? .undrawn : chosen.hasPrefix("=") ? .label(String(chosen.dropFirst())) : .all
        let last = fields["after"].flatMap { Int64($0) } ?? 0
        let found = try await hub.records.photos(
            ofDataSet: dataSet.id,
            filter,
            after: last,
            limit: Self.photosOfPage + 1
        )
        let page = ListPage(found, limit: Self.photosOfPage) { "\($0.id)" }
        let doubtful =
            filter == .all && last == 0
            ? try await hub.records.photos(ofDataSet: dataSet.id, .doubtful, after: 0, limit: 12) : []
        let trainings = try await hub.records.trainings(of: dataSet.project, dataSet: dataSet.id)
        func query(after last: String?) -> String {
            ((chosen.isEmpty ? [] : ["show=\(Self.encoded(chosen))"]) + (last.map { ["after=\($0)"] } ?? []))
                .joined(separator: "&")
        }
        let hasBoxes = !boxLabels.isEmpty && counts.boxed > 1
        let view = try await trainings.first.asyncMap { try await trainingView($0, visit) }
        return .page(
            "dataset",
            ConsoleChrome(title: dataSet.name, visit: visit, section: "datasets"),
            DataSetPage(
                path: path,
                name: dataSet.name,
                summary: Self.summary(counts),
                hasPhotos: counts.photos > 0,
                canTrain: counts.labels.count > 1 || hasBoxes,
                kinds: counts.labels.count > 1 && hasBoxes
                    ? [
                        .init(value: "boxes", title: "A detector, from boxes", isChosen: true),
                        .init(value: "labels", title: "A labeler, from labels", isChosen: false),
                    ] : [],
                training: view,
                isTraining: view?.isOpen == true,
                doubtful: doubtful.map { Self.view($0, of: dataSet, labels, boxLabels) },
                photos: page.elements.map { Self.view($0, of: dataSet, labels, boxLabels) },
                filters: Self.filters(counts, chosen: chosen),
                labels: labels,
                keys: labels.isEmpty
                    ? nil : labels.prefix(Self.keyCount).enumerated().map { "\($0 + 1) \($1)" }.joined(separator: ", "),
                query: query(after: last > 0 ? "\(last)" : nil),
                next: page.nextToken.map { "\(path)?\(query(after: $0))" },
                limit: NumberText.bytes(Hub.maximumArchiveSize),
                canDelete: visit.caller.role >= .editor,
                statusPath: "\(path)/status"
            )
        )
    }

    private static func summary(_ counts: DataSetCounts) -> String {
        let boxes = counts.boxLabels.reduce(0) { $0 + $1.count }
        let drawn =
            counts.boxed > 0
            ? ", \(NumberText.grouped(boxes, "box", "boxes")) in \(NumberText.grouped(counts.boxed)) of them" : ""
        let names = Set(counts.labels.map(\.label) + counts.boxLabels.map(\.label))
        let unlabeled =
            counts.unlabeled > 0 ? ", \(NumberText.grouped(counts.unlabeled)) of them without a label" : ""
        return
            "\(NumberText.grouped(counts.photos, "photo"))\(unlabeled)\(drawn), \(NumberText.grouped(names.count, "label")), "
            + NumberText.bytes(counts.byteCount)
    }

    private static func filters(_ counts: DataSetCounts, chosen: String) -> [DataSetPage.Choice] {
        let all = [("", "All (\(NumberText.grouped(counts.photos)))")]
        let labels = counts.labels.map { ("=\($0.label)", "\($0.label) (\(NumberText.grouped($0.count)))") }
        let onBoxes = counts.boxLabels.filter { box in !counts.labels.contains { $0.label == box.label } }
            .map { ("=\($0.label)", "\($0.label) (\(NumberText.grouped($0.count, "box", "boxes")))") }
        let undrawn = counts.photos - counts.boxed
        let open =
            counts.boxed > 0 && undrawn > 0 ? [("undrawn", "Boxes not drawn (\(NumberText.grouped(undrawn)))")] : []
        let none = counts.unlabeled > 0 ? [("none", "Without a label (\(NumberText.grouped(counts.unlabeled)))")] : []
        return (all + labels + onBoxes + none + open).map { .init(value: $0.0, title: $0.1, isChosen: $0.0 == chosen) }
    }

    private static func view(
        _ photo: Photo,
        of dataSet: DataSet,
        _ labels: [String],
        _ boxLabels: [String]
    ) -> PhotoView {
        let path = path(ofDataSet: dataSet.name)
        let boxes = photo.boxes.map { NumberText.grouped($0.count, "box", "boxes") }
        return PhotoView(
            photoID: photo.hash.text,
            picture: "\(path)/photos/\(photo.hash)",
            name: photo.name,
            label: photo.label ?? boxes ?? "No label",
            hasLabel: photo.label != nil,
            doubt: photo.doubt.map {
                photo.boxes == nil || photo.proposals == nil
                    ? "Perhaps \($0.answer) (\(NumberText.percent($0.confidence).replacing(" ", with: "\u{A0}")))"
                    : $0.answer
            },
            choices: labels.prefix(keyCount).enumerated().map {
                .init(label: $1, key: "\($0 + 1)", isCurrent: $1 == photo.label)
            },
            boxesPath: boxesPath(of: photo.hash, in: dataSet.name),
            drawn: photo.boxes.flatMap { boxes in
                boxes.isEmpty
                    ? nil
                    : .init(
                        width: "\(photo.width)",
                        height: "\(photo.height)",
                        boxes: boxes.map { DrawnBoxView($0, boxLabels) }
                    )
            }
        )
    }

    private func trainingView(_ training: Training, _ visit: ConsoleVisit) async throws -> TrainingView {
        let status = try await status(of: training)
        let model =
            training.state == .done
            ? try await hub.records.model(named: training.model, of: training.project) : nil
        return TrainingView(
            trainingID: "\(training.id)",
            title: Self.title(of: training),
            isOpen: status.isOpen,
            isFailed: training.state == .failed,
            text: status.text,
            done: status.total > 0 ? status.done : nil,
            total: max(status.total, 1),
            message: status.isOpen ? nil : training.message,
            modelPath: model.map { Self.path(of: $0) },
            evaluationPath: model == nil ? nil : training.evaluation.map { "/console/evaluations/\($0)" },
            ended: training.endTime.map { ConsoleTime($0) }
        )
    }

    private static func title(of training: Training) -> String {
        switch training.state {
        case .waiting, .running: "Training \(training.model)"
        case .done: "\(training.model) is trained"
        case .failed: "\(training.model) could not be trained"
        case .cancelled: "The training of \(training.model) was canceled"
        }
    }

    private struct Status: Encodable {
        var isOpen: Bool
        var done: Int
        var total: Int
        var text: String
    }

    private func status(of training: Training) async throws -> Status {
        guard training.state.isOpen else { return Status(isOpen: false, done: 1, total: 1, text: "") }
        if training.state == .waiting {
            let before = try await hub.records.position(ofTraining: training.id) ?? 0
            let text =
                before > 0
                ? "Waiting until \(NumberText.grouped(before, "other training")) \(before == 1 ? "is" : "are") done"
                : "Waiting"
            return Status(isOpen: true, done: 0, total: 0, text: text)
        }
        guard let progress = training.progress else { return Status(isOpen: true, done: 0, total: 0, text: "Starting") }
        let text =
            switch progress.stage {
            case .reading:
                "Reading: \(NumberText.grouped(progress.done)) of \(NumberText.grouped(progress.total, "photo"))"
            case .fitting: "Learning and measuring: step \(progress.done + 1) of \(max(progress.total, 1))"
            case .storing: "Storing the model"
            }
        return Status(isOpen: true, done: progress.done, total: progress.total, text: text)
    }

    /// The progress of the last training for the page's script.
    @Sendable
    func trainingStatus(_ visit: ConsoleVisit, _ dataSet: DataSet) async throws -> Response {
        guard let last = try await hub.records.trainings(of: dataSet.project, dataSet: dataSet.id).first else {
            throw HubError.entityNotFound
        }
        return try .json(try await status(of: last))
    }
}

extension Optional where Wrapped: Sendable {
    /// The value of a function of the value, if there is one.
    fileprivate func asyncMap<Value>(_ body: (Wrapped) async throws -> Value) async rethrows -> Value? {
        if let self { try await body(self) } else { nil }
    }
}
