import Foundation
import HTTPServing

/// The default values of a template, in the files from which Firebase's SDKs read an app's own defaults.
///
/// Source of the formats: the method `remoteConfig.downloadDefaults` of Firebase's REST API, and the files that
/// `setDefaultsAsync` (Android) and `setDefaults` (Apple) read.
struct ConfigDefaults {
    /// A format, by its name in the API.
    enum Format: String, CaseIterable {
        /// A resource of Android.
        case xml = "XML"
        /// A property list of Apple's systems.
        case plist = "PLIST"
        /// An object of texts, for the web.
        case json = "JSON"

        var contentType: String {
            switch self {
            case .xml: "application/xml; charset=UTF-8"
            case .plist: "application/x-plist; charset=UTF-8"
            case .json: "application/json; charset=UTF-8"
            }
        }
    }

    /// The values by key. A parameter without a text as default has none.
    private let values: [(key: String, text: String)]

    init(_ template: ConfigTemplate) {
        values = template.allParameters.sorted { $0.key < $1.key }.compactMap { key, parameter in
            guard case .text(let text) = parameter.defaultValue else { return nil }
            return (key, text)
        }
    }

    func text(_ format: Format) -> String {
        switch format {
        case .xml:
            return lines("<defaultsMap>", "</defaultsMap>") { key, text in
                ["<entry>", "    <key>\(key)</key>", "    <value>\(text)</value>", "</entry>"]
            }
        case .plist:
            let type =
                #"<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">"#
            return lines("\(type)\n<plist version=\"1.0\">\n<dict>", "</dict>\n</plist>") { key, text in
                ["<key>\(key)</key>", "<string>\(text)</string>"]
            }
        case .json:
            func quoted(_ text: String) -> String { String(decoding: OrderedJSON.quoted(text), as: UTF8.self) }
            return "{\(values.map { "\(quoted($0.key)):\(quoted($0.text))" }.joined(separator: ","))}"
        }
    }

    /// An XML document with lines for each value between its start and its end.
    private func lines(_ start: String, _ end: String, _ entry: (String, String) -> [String]) -> String {
        let entries = values.flatMap { entry($0.key, Self.escaped($0.text)) }.map { "    \($0)\n" }.joined()
        return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\(start)\n\(entries)\(end)\n"
    }

    /// A text in XML 1.0, which cannot contain most control characters; they are left out.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            // A parser would change it to a line feed.
            case "\r": result += "&#13;"
            case "\t", "\n": result.unicodeScalars.append(scalar)
            case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": continue
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

extension ConfigNamespace {
    /// The namespace of a template's name: `projects/P/namespaces/firebase-server/remoteConfig`.
    static func ofTemplate(_ name: String, in project: Project) throws(HubError) -> ConfigNamespace {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 5, parts[0] == "projects", [project.id, "\(project.number)"].contains(parts[1]),
            parts[2] == "namespaces", let namespace = ConfigNamespace(rawValue: parts[3]), parts[4] == "remoteConfig"
        else {
            throw HubError(
                .invalidArgument,
                "\"\(name.prefix(100))\" is not the name of a template of this project; use "
                    + "projects/\(project.id)/namespaces/firebase/remoteConfig."
            )
        }
        return namespace
    }
}
