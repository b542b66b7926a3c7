import Foundation
import ModelCatalog
import TextFormatting

/// The description of a model of the catalog or of an installed model, for people and programs.
struct ModelDescription: Encodable {
    private var name: String
    private var task: CatalogEntry.Purpose?
    private var summary: String?
    private var publisher: String?
    private var license: String?
    private var address: String?
    private var byteCount: Int?
    private var sha256: String?
    private var labelCount: Int?
    private var labels: [String]?
    private var path: String?
    private var installedFrom: String?
    private var isInstalledFileVerified: Bool?

    /// Describes a model of the catalog.
    init(_ entry: CatalogEntry, installed: InstalledModel?) {
        name = entry.name
        task = entry.task
        summary = entry.summary
        publisher = entry.publisher
        license = entry.license
        address = entry.address
        byteCount = entry.byteCount
        sha256 = entry.sha256
        labelCount = entry.labels?.count
        labels = entry.labels?.names
        add(installed)
    }

    /// Describes an installed model that is not in the catalog.
    init(_ installed: InstalledModel) {
        name = installed.name
        byteCount = installed.record?.byteCount
        sha256 = installed.record?.sha256
        add(installed)
    }

    private mutating func add(_ installed: InstalledModel?) {
        path = installed?.model.path
        installedFrom = installed?.record?.source
        isInstalledFileVerified = installed?.record?.isVerified
    }

    /// The description for people.
    var text: String {
        var list = FactList(indent: 12)
        list.add("Name", name)
        list.add("What", summary)
        list.add("Use", task.map { "sightline \($0.command) --model \(name)" })
        list.add("Publisher", publisher)
        list.add("License", license)
        list.add("Address", address)
        list.add("Size", byteCount.map { "\($0) bytes" } ?? "not verified")
        list.add("SHA-256", sha256 ?? "not verified; installing needs --sha256 or --accept-unverified")
        list.add("Labels", labelCount.map { "\($0)\(labels == nil ? ", inside the model" : "")" } ?? "none")
        list.add("Installed", path ?? "no")
        list.add("From", installedFrom)
        if isInstalledFileVerified == false { list.add("", "not verified") }
        return list.text
    }
}

extension CatalogEntry.Purpose {
    /// The command for such models.
    var command: String { self == .detection ? "detect" : "label" }
}
