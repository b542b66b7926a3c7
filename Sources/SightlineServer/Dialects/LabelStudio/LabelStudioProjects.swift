import Foundation
import HTTPServing
import Synchronization

/// The places of pictures that were uploaded to Label Studio itself, by client and project.
///
/// Label Studio sends its address and a token in `/setup`, also before it asks for predictions. The addresses of the latest projects are in
/// memory only. A client gets pictures from addresses that it sent itself, so that it cannot read with the token of another project.
final class LabelStudioProjects: Sendable {
    /// A server of Label Studio.
    struct Server: Sendable {
        /// The address without a slash at its end.
        let address: String
        /// Lets the back end read the project's pictures.
        let token: Secret

        /// The host of the address.
        fileprivate var host: String { LabelStudioProjects.host(of: address) ?? "" }
    }

    private struct Project: Hashable, Sendable {
        let client: ClientNetwork
        let name: String
    }

    private let places = Mutex(RecentValues<Project, Server>(limit: 1024))

    /// Notes the place of a project; texts that are longer than any of Label Studio are left out.
    ///
    /// - Throws: ``AnswerError``: 400 if the address is none of a server, 409 if it has another host than the place of the project.
    func note(_ setup: LabelStudioRequest.Setup, from client: ClientAddress) throws(AnswerError) {
        guard let name = setup.project, let address = setup.hostname, let token = setup.accessToken,
            !address.isEmpty, name.utf8.count <= 200, address.utf8.count <= 2000, token.utf8.count <= 4096
        else { return }
        guard Self.host(of: address) != nil else {
            throw .invalid(
                "The address of Label Studio is \"\(address.prefix(200))\"; set LABEL_STUDIO_HOST to one such as http://labels.example.org:8080."
            )
        }
        let place = Server(address: address.hasSuffix("/") ? String(address.dropLast()) : address, token: Secret(token))
        let project = Project(client: client.network, name: name)
        let known = places.withLock { places -> Server? in
            if let known = places[project], known.host != place.host { return known }
            places[project] = place
            return nil
        }
        if let known {
            throw AnswerError(
                .conflict,
                "The pictures of the project \(name) are at \(known.host), not at \(place.host); restart the server if they have moved."
            )
        }
    }

    /// The place of a project that a client sent; nil if it has sent none.
    func place(of name: String?, for client: ClientAddress) -> Server? {
        guard let name else { return nil }
        return places.withLock { $0[Project(client: client.network, name: name)] }
    }

    /// The host of an address that otherwise has only a scheme, a port and a path; nil for any other.
    private static func host(of address: String) -> String? {
        guard !address.contains(where: { "?#\\%".contains($0) }), let url = URL(string: address),
            let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme), url.user() == nil,
            let host = url.host(), !url.path().split(separator: "/").contains("..")
        else { return nil }
        return host.lowercased()
    }

    /// Whether Label Studio keeps pictures at a path: uploads, files of its machine and of its storages. A path that leaves these folders
    /// in any spelling is none.
    static func isPicture(_ path: String) -> Bool {
        let plain = path.prefix { $0 != "?" && $0 != "#" }
        guard plain.hasPrefix("/data/") || plain.hasPrefix("/storage-data/") else { return false }
        var spelling = String(plain)
        // Some servers decode a path twice.
        for _ in 0..<3 {
            let parts = spelling.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
            guard !spelling.contains("\\"), !parts.dropLast().contains(""), !parts.contains("."), !parts.contains("..")
            else { return false }
            spelling = spelling.removingPercentEncoding ?? spelling
        }
        return true
    }
}
