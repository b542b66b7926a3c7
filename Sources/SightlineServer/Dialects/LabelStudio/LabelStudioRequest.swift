/// The bodies that Label Studio sends to a back end (`label_studio/ml/api_connector.py` of Label Studio 1.23). Fields that are not here
/// do not change an answer.
enum LabelStudioRequest {
    /// The body of `/setup`.
    struct Setup: Decodable, Sendable {
        /// The number of the project.
        let project: String?
        /// The project's labeling interface.
        let schema: String?
        /// The address of Label Studio.
        let hostname: String?
        /// A token of Label Studio for the project's pictures.
        let accessToken: String?

        enum CodingKeys: String, CodingKey {
            case project, schema, hostname
            case accessToken = "access_token"
        }
    }

    /// The body of `/predict`.
    struct Predict: Decodable, Sendable {
        let tasks: [Task]
        /// The number of the project.
        let project: String?
        /// The project's labeling interface.
        let interface: String?

        enum CodingKeys: String, CodingKey {
            case tasks, project
            case interface = "label_config"
        }
    }

    /// The body of `/webhook`.
    struct Webhook: Decodable, Sendable {
        let action: String?
    }

    /// A picture to label.
    struct Task: Decodable, Sendable {
        /// The texts among the task's data by their names.
        let texts: [String: String]

        init(from decoder: any Decoder) throws {
            let data = try decoder.container(keyedBy: AnyKey.self)
                .nestedContainer(keyedBy: AnyKey.self, forKey: AnyKey(stringValue: "data"))
            var texts: [String: String] = [:]
            for key in data.allKeys { texts[key.stringValue] = try? data.decode(String.self, forKey: key) }
            self.texts = texts
        }
    }

    private struct AnyKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
