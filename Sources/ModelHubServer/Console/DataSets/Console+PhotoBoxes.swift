import Foundation
import HTTPServing
import HTTPTypes
import Hummingbird
import ModelHubProtocol
import NIOCore
import TextFormatting

/// The page of a photo, on which its boxes are drawn and corrected.
extension Console {
    static func boxesPath(of hash: BlobHash, in dataSet: String) -> String {
        "\(path(ofDataSet: dataSet))/boxes/\(hash)"
    }

    func addPhotoBoxes(
        at photo: String,
        to routes: inout RouteTable,
        _ ofDataSet: (@escaping @Sendable (ConsoleVisit, DataSet) async throws -> Response) -> Page
    ) {
        page(at: photo, in: &routes, use: ofDataSet(boxesPage))
        form(at: photo, in: &routes, use: ofDataSet(setBoxes))
        page(at: "\(photo)/picture", in: &routes, use: ofDataSet(picture))
        page(at: "\(photo)/proposals", for: .publisher, in: &routes, use: ofDataSet(proposals))
    }

    /// A box that is drawn without the page's script.
    struct DrawnBoxView: Sendable {
        var color: Int
        var x: String
        var y: String
        var width: String
        var height: String
        var title: String

        /// The number of colors.
        private static let colors = 6

        init(_ box: PhotoBox, _ labels: [String]) {
            color = (labels.firstIndex(of: box.label) ?? 0) % Self.colors
            (x, y) = (NumberText.decimal(box.x, 1), NumberText.decimal(box.y, 1))
            (width, height) = (NumberText.decimal(box.width, 1), NumberText.decimal(box.height, 1))
            title = box.label + (box.isGroup == true ? " (group)" : "")
        }
    }

    private struct BoxesPage: Sendable {
        struct Choice: Sendable {
            var label: String
            var key: String?
        }

        var path: String
        var dataSetPath: String
        var dataSetName: String
        var name: String
        var summary: String
        var picture: String
        var width: String
        var height: String
        /// The boxes as JSON, for the script.
        var boxes: String
        var proposals: String
        /// The address of proposals that are not made yet.
        var proposalsPath: String?
        var drawn: [DrawnBoxView]
        var labels: [Choice]
        var isDrawn: Bool
        var next: String?
    }

    /// The labels that have a button.
    private static let labelsOfPage = 60
    private static let keysOfLabels = 9

    private func photo(_ visit: ConsoleVisit, _ dataSet: DataSet) async throws -> Photo {
        guard let hash = BlobHash(visit.request["photo"]),
            let photo = try await hub.records.photo(hash, ofDataSet: dataSet.id)
        else { throw Hub.noSuchPhoto(dataSet) }
        return photo
    }

    /// The next photo whose boxes nobody has drawn; otherwise the next one. Nil after the last.
    private func next(after photo: Photo, in dataSet: DataSet) async throws -> Photo? {
        for (filter, last) in [(PhotoFilter.undrawn, photo.id), (.undrawn, 0), (.all, photo.id)] {
            let found = try await hub.records.photos(ofDataSet: dataSet.id, filter, after: last, limit: 2)
            if let next = found.first(where: { $0.id != photo.id }) { return next }
        }
        return nil
    }

    @Sendable
    private func boxesPage(_ visit: ConsoleVisit, _ dataSet: DataSet) async throws -> Response {
        let photo = try await photo(visit, dataSet)
        let counts = try await hub.records.counts(ofDataSet: dataSet.id)
        let labels = counts.boxLabels.isEmpty ? counts.labels.map(\.label) : counts.boxLabels.map(\.label)
        let path = Self.boxesPath(of: photo.hash, in: dataSet.name)
        let isUnknown = photo.boxes == nil && photo.proposals == nil
        let size = "\(NumberText.grouped(photo.width)) × \(NumberText.grouped(photo.height)) pixels"
        let drawn = photo.boxes.map { NumberText.grouped($0.count, "box", "boxes") } ?? "boxes not drawn yet"
        let doubt = photo.doubt.map { ". The last training: \($0.answer)" } ?? ""
        return .page(
            "photo-boxes",
            ConsoleChrome(title: photo.name, visit: visit, section: "datasets"),
            BoxesPage(
                path: path,
                dataSetPath: Self.path(ofDataSet: dataSet.name),
                dataSetName: dataSet.name,
                name: photo.name,
                summary: "\(size), \(drawn)\(doubt)",
                picture: "\(path)/picture",
                width: "\(photo.width)",
                height: "\(photo.height)",
                boxes: try HubRecords.json(photo.boxes ?? []),
                proposals: try HubRecords.json(photo.proposals ?? []),
                proposalsPath: isUnknown && visit.caller.role >= .publisher ? "\(path)/proposals" : nil,
                drawn: (photo.boxes ?? []).map { DrawnBoxView($0, labels) },
                labels: labels.prefix(Self.labelsOfPage).enumerated().map {
                    .init(label: $1, key: $0 < Self.keysOfLabels ? "\($0 + 1)" : nil)
                },
                isDrawn: photo.boxes != nil,
                next: try await next(after: photo, in: dataSet).map { Self.boxesPath(of: $0.hash, in: dataSet.name) }
            )
        )
    }

    @Sendable
    private func setBoxes(_ visit: ConsoleVisit, _ dataSet: DataSet) async throws -> Response {
        let form = try await ConsoleForm(visit)
        let photo = try await photo(visit, dataSet)
        let isForgotten = form["then"] == "forget"
        guard let boxes = try? JSONDecoder().decode([PhotoBox].self, from: Data(form["boxes"].utf8)) else {
            throw HubError(.invalidArgument, "The boxes cannot be read; load the page again, and draw them once more.")
        }
        let leftOut = try await hub.setBoxes(
            isForgotten ? nil : boxes,
            of: photo.hash,
            in: dataSet,
            by: visit.caller
        )
        var target = Self.boxesPath(of: photo.hash, in: dataSet.name)
        if form["then"] == "next" {
            target =
                try await next(after: photo, in: dataSet).map { Self.boxesPath(of: $0.hash, in: dataSet.name) }
                ?? Self.path(ofDataSet: dataSet.name)
        }
        return try await change(visit, thenTo: target) {
            if isForgotten { return "The boxes of \(photo.name) are forgotten." }
            let lost = leftOut > 0 ? " \(NumberText.grouped(leftOut)) outside of the photo left out." : ""
            return "\(NumberText.grouped(boxes.count - leftOut, "box", "boxes")) of \(photo.name) saved.\(lost)"
        }
    }

    /// The photo, which the hub's own process encoded.
    @Sendable
    private func picture(_ visit: ConsoleVisit, _ dataSet: DataSet) async throws -> Response {
        let shown = try await hub.showPhoto(try await photo(visit, dataSet), of: dataSet)
        return Response(
            status: .ok,
            // Not kept by the browser, since photos are deleted for good.
            headers: [.contentType: "image/jpeg", .cacheControl: "private, no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: shown.jpeg))
        )
    }

    private struct Proposals: Encodable {
        var proposals: [PhotoBox]
    }

    @Sendable
    private func proposals(_ visit: ConsoleVisit, _ dataSet: DataSet) async throws -> Response {
        let photo = try await photo(visit, dataSet)
        let proposed = try await hub.proposeBoxes(of: photo.hash, in: dataSet, by: visit.caller)
        return try .json(Proposals(proposals: proposed.proposals ?? []))
    }
}
