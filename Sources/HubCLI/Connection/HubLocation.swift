import ArgumentParser
import DurableFiles
import Foundation
import ModelHubServer
import TensorFlowLite

/// `--data`, `--database` and `--blobs`: the folder of a hub on this machine, and the places of its records and files.
struct DataOption: ParsableArguments {
    @Option(help: "The hub's folder.", completion: .directory)
    var data: String?

    @Option(
        help: ArgumentHelp(
            "The bucket of the hub's files (or SIGHTLINE_HUB_BLOBS): s3://BUCKET/PREFIX?endpoint=URL&region=NAME.",
            discussion:
                "By default, they are in the hub's folder. AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY give access.",
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

    /// The places of records and files.
    func storage() throws -> HubStorage {
        let blobs = blobs ?? ProcessInfo.processInfo.environment["SIGHTLINE_HUB_BLOBS"] ?? ""
        return HubStorage(
            folder: folder,
            database: databaseAddress,
            bucket: blobs.isEmpty ? nil : try S3Location(blobs)
        )
    }

    /// Opens the hub, or begins a new hub.
    ///
    /// - Parameter cache: Copies of files in a bucket; nil to read the files in place.
    func openHub(options: Hub.Options = Hub.Options(), cache: HubFiles.Cache? = nil) async throws -> Hub {
        try await storage().open(options: options, cache: cache)
    }

    /// Opens the existing hub.
    func openExistingHub() async throws -> Hub {
        let storage = try storage()
        guard storage.mayExist else {
            throw CommandError(
                "There is no hub in \(folder.path); create a hub with `sightline hub project create NAME`, or name its folder with --data."
            )
        }
        return try await storage.open()
    }
}

/// The hub and the project of a command.
struct HubLocation: ParsableArguments {
    @OptionGroup var place: HubPlace
    @Option(
        help: "A token of that hub (or SIGHTLINE_HUB_TOKEN, which is safer, because other users can see command lines)."
    )
    var token: String?

    func validate() throws {
        if token != nil, place.tokenFile != nil {
            throw ValidationError("Give either --token or --token-file, not both.")
        }
    }

    /// Opens the connection to a project that the options describe.
    func connect() async throws -> HubConnection { try await place.connect(token: token) }

    /// Opens the connection to the whole hub that the options describe.
    func connectToHub() async throws -> HubConnection { try await place.connectToHub(token: token) }
}

/// The hub and the project of a command, with a token from the environment or a file.
struct HubPlace: ParsableArguments {
    @OptionGroup var local: DataOption
    @OptionGroup var network: HubAddress

    @Option(
        help: "A file with a token of that hub (or SIGHTLINE_HUB_TOKEN, with the token itself).",
        completion: .file()
    )
    var tokenFile: String?

    @Option(help: "The project, if the hub has several (or SIGHTLINE_HUB_PROJECT).")
    var project: String?

    func validate() throws {
        if network.hub != nil, local.data != nil { throw ValidationError("Give either --hub or --data, not both.") }
        if network.hub != nil, local.database != nil {
            throw ValidationError("Give either --hub or --database, not both.")
        }
    }

    /// Opens the connection to a project that the options describe.
    ///
    /// - Parameter token: The token for a hub on the network; nil for that of the file or the environment.
    func connect(token: String? = nil) async throws -> HubConnection {
        if let remote = try remoteHub(token) {
            return HubConnection(project: namedProject ?? "-", transport: .remote(remote))
        }
        let hub = try await local.openExistingHub()
        let chosen = try await hub.chooseProject(namedProject)
        return HubConnection(project: chosen.id, transport: .local(InProcessHub(hub, project: chosen)))
    }

    /// Opens the connection to the whole hub that the options describe.
    ///
    /// - Parameter isNew: Whether to begin a new hub in a folder without one.
    func connectToHub(token: String? = nil, beginning isNew: Bool = false) async throws -> HubConnection {
        if let remote = try remoteHub(token) {
            return HubConnection(project: namedProject ?? "-", transport: .remote(remote))
        }
        let hub = isNew ? try await local.openHub() : try await local.openExistingHub()
        return HubConnection(project: namedProject ?? "-", transport: .local(InProcessHub(hub, project: nil)))
    }

    /// The name of the project that the options or the environment choose.
    var namedProject: String? { project ?? HubAddress.variable("SIGHTLINE_HUB_PROJECT") }

    /// The address of the hub on the network; nil for a hub on this machine.
    var address: String? { local.data == nil && local.database == nil ? network.address : nil }

    private func remoteHub(_ given: String?) throws -> RemoteHub? {
        guard let address else { return nil }
        let named = try given ?? tokenOfFile() ?? HubAddress.variable("SIGHTLINE_HUB_TOKEN")
        guard let token = try named ?? StoredSignIn(of: address).token(), !token.isEmpty else {
            throw CommandError(
                "The hub \(address) needs a token; sign in with `sightline hub sign-in --hub \(address)`, or give a token in "
                    + "SIGHTLINE_HUB_TOKEN or with --token-file (`sightline hub token create NAME` on the hub's machine makes one)."
            )
        }
        return try RemoteHub(address: address, token: token, project: namedProject, trusting: network.trustedRoots)
    }

    private func tokenOfFile() throws -> String? {
        guard let tokenFile else { return nil }
        guard let text = try? String(contentsOfFile: tokenFile, encoding: .utf8) else {
            throw CommandError("\(tokenFile) cannot be read; check the path and its permissions.")
        }
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
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
