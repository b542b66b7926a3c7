import ArgumentParser
import DurableFiles
import Foundation
import ModelHubServer
import TensorFlowLite

/// `--data`, `--database` and `--blobs`: the folder of a hub on this machine, and where its records and files lie.
struct DataOption: ParsableArguments {
    @Option(help: "The hub's folder.", completion: .directory)
    var data: String?

    @Option(
        help: ArgumentHelp(
            "The bucket of the hub's files (or SIGHTLINE_HUB_BLOBS): s3://BUCKET/PREFIX?endpoint=URL&region=NAME.",
            discussion: "By default they lie in the hub's folder. AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY give access.",
            valueName: "address"
        )
    )
    var blobs: String?

    @Option(
        help: ArgumentHelp(
            "A PostgreSQL database for the records, postgres://user@host:port/name (or SIGHTLINE_HUB_DATABASE).",
            discussion:
                "Several hubs can share it. Give its password in PGPASSWORD, because other users can see command lines.",
            valueName: "address"
        )
    )
    var database: String?

    /// The address of a PostgreSQL database; nil for the records in the folder.
    var databaseAddress: String? {
        let address = database ?? ProcessInfo.processInfo.environment["SIGHTLINE_HUB_DATABASE"]
        return address.flatMap { $0.isEmpty ? nil : $0 }
    }

    var folder: URL {
        let environment = ProcessInfo.processInfo.environment
        if let path = data ?? environment["SIGHTLINE_HUB_DATA"], !path.isEmpty {
            return URL(filePath: path, directoryHint: .isDirectory)
        }
        return UserDataFolder.ofUser(environment: environment)
            .appending(path: "sightline/hub", directoryHint: .isDirectory)
    }

    /// The bucket of the hub's files; nil if they lie in the folder.
    func bucket() throws -> S3Location? {
        let text = blobs ?? ProcessInfo.processInfo.environment["SIGHTLINE_HUB_BLOBS"] ?? ""
        return text.isEmpty ? nil : try S3Location(text)
    }

    /// Opens the hub of the folder, or begins a new hub.
    ///
    /// - Parameter cache: Copies of files in a bucket; nil to read the files where they lie.
    func openHub(options: Hub.Options = Hub.Options(), cache: HubFiles.Cache? = nil) async throws -> Hub {
        var options = options
        options.evaluator = ModelValidatorProgram.executable
        var files: HubFiles?
        if let bucket = try bucket() {
            files = try await .s3(bucket, credentials: try S3Credentials(), data: folder, cache: cache)
        }
        return try await Hub(
            data: folder,
            database: databaseAddress,
            files: files,
            validator: ModelValidatorProgram.validator(),
            options: options
        )
    }

    /// Opens the existing hub of the folder.
    func openExistingHub() async throws -> Hub {
        guard
            databaseAddress != nil || FileManager.default.fileExists(atPath: folder.appending(path: "hub.sqlite").path)
        else {
            throw CommandError(
                "There is no hub in \(folder.path); create a hub with `sightline hub project create NAME`, or name its folder with --data."
            )
        }
        return try await openHub()
    }
}

/// `--data` and `--project`: a project of a hub on this machine.
struct ProjectOption: ParsableArguments {
    @OptionGroup var location: DataOption
    @Option(help: "The project, if the hub has several.")
    var project: String?

    /// Opens the existing hub and finds its project.
    func open() async throws -> (hub: Hub, project: Project) {
        let hub = try await location.openExistingHub()
        return (hub, try await hub.chooseProject(project))
    }
}

/// The hub and the project of a command.
struct HubLocation: ParsableArguments {
    @OptionGroup var local: DataOption

    @Option(help: "The address of a hub on the network (or SIGHTLINE_HUB).")
    var hub: String?

    @Option(
        help: "A token of that hub (or SIGHTLINE_HUB_TOKEN, which is safer, because other users can see command lines)."
    )
    var token: String?

    @Option(
        help: ArgumentHelp(
            "A PEM file of certificates to trust in addition to the system's (or SIGHTLINE_HUB_TRUST).",
            discussion: "A hub with a private certificate authority needs it.",
            valueName: "file"
        ),
        completion: .file()
    )
    var trust: String?

    @Option(help: "The project, if the hub has several (or SIGHTLINE_HUB_PROJECT).")
    var project: String?

    func validate() throws {
        if hub != nil, local.data != nil { throw ValidationError("Give either --hub or --data, not both.") }
        if hub != nil, local.database != nil { throw ValidationError("Give either --hub or --database, not both.") }
    }

    /// Opens the connection that the options describe.
    func connect() async throws -> HubConnection {
        let environment = ProcessInfo.processInfo.environment
        let project = project ?? environment["SIGHTLINE_HUB_PROJECT"]
        if local.data == nil, local.database == nil, let address = hub ?? environment["SIGHTLINE_HUB"], !address.isEmpty
        {
            guard let token = token ?? environment["SIGHTLINE_HUB_TOKEN"], !token.isEmpty else {
                throw CommandError(
                    "The hub \(address) needs a token; give it in SIGHTLINE_HUB_TOKEN (make a token with `sightline hub key create --token NAME` "
                        + "on the hub's machine)."
                )
            }
            let roots = (trust ?? environment["SIGHTLINE_HUB_TRUST"]).flatMap { $0.isEmpty ? nil : URL(filePath: $0) }
            let remote = try RemoteHub(address: address, token: token, trusting: roots)
            return HubConnection(project: project ?? "-", transport: .remote(remote))
        }
        let hub = try await local.openExistingHub()
        let chosen = try await hub.chooseProject(project)
        return HubConnection(project: chosen.id, transport: .local(InProcessHub(hub, project: chosen)))
    }
}

extension Hub {
    /// Finds the project with a name, or the only project.
    func chooseProject(_ name: String?) async throws -> Project {
        let projects = try await projects()
        if let name {
            guard let project = projects.first(where: { $0.id == name || "\($0.number)" == name }) else {
                throw CommandError(
                    "The hub has no project \"\(name)\" (it has \(projects.isEmpty ? "none" : projects.map(\.id).joined(separator: ", "))); "
                        + "create it with `sightline hub project create \(name)`."
                )
            }
            return project
        }
        guard let project = projects.first, projects.count == 1 else {
            throw CommandError(
                projects.isEmpty
                    ? "The hub has no project yet; create a project with `sightline hub project create NAME`."
                    : "The hub has several projects; choose one of \(projects.map(\.id).joined(separator: ", ")) with --project."
            )
        }
        return project
    }
}

/// The program that validates models: this program as a worker.
enum ModelValidatorProgram {
    static let executable = Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments.first ?? "")

    static func validator() -> ProcessModelValidator {
        ProcessModelValidator(executable: executable, arguments: ["validate-model"])
    }
}
