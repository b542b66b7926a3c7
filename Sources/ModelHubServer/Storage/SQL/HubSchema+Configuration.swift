/// The tables of Remote Config and of experiments.
extension HubSchema {
    static let configuration = """
        CREATE TABLE configTemplate (
            project {text} NOT NULL REFERENCES project ON DELETE CASCADE,
            namespace {text} NOT NULL,
            version {int} NOT NULL,
            etag {text} NOT NULL,
            updateTime {int} NOT NULL,
            updateUser {text} NOT NULL,
            updateOrigin {text} NOT NULL,
            updateType {text} NOT NULL,
            description {text} NOT NULL,
            rollbackSource {int},
            template {text} NOT NULL,
            byteCount {int} NOT NULL,
            PRIMARY KEY (project, namespace, version)
        );
        """

    static let experiments = """
        CREATE TABLE experiment (
            project {text} NOT NULL REFERENCES project ON DELETE CASCADE,
            id {text} NOT NULL,
            parameter {text} NOT NULL,
            condition {text},
            variants {text} NOT NULL,
            exposurePercent {real} NOT NULL,
            startTime {int} NOT NULL,
            stopTime {int},
            winner {text},
            PRIMARY KEY (project, id)
        );

        -- The sum of all reports of a variant and model. Sums of squares and products are over installations, of what each
        -- of them reported in all: n is a number of results, x their sum.
        CREATE TABLE outcome (
            project {text} NOT NULL,
            experiment {text} NOT NULL,
            variant {text} NOT NULL,
            model {text} NOT NULL,
            metric {text} NOT NULL,
            installations {int} NOT NULL,
            count {int} NOT NULL,
            sum {real} NOT NULL,
            squares {real} NOT NULL,
            sumNN {real} NOT NULL,
            sumXX {real} NOT NULL,
            sumNX {real} NOT NULL,
            histogram {text} NOT NULL,
            PRIMARY KEY (project, experiment, variant, model, metric),
            FOREIGN KEY (project, experiment) REFERENCES experiment ON DELETE CASCADE
        ) {keyed};

        -- The sum of all reports of an installation, which a hash stands for.
        CREATE TABLE outcomeOfInstallation (
            project {text} NOT NULL,
            experiment {text} NOT NULL,
            variant {text} NOT NULL,
            model {text} NOT NULL,
            metric {text} NOT NULL,
            installation {bytes} NOT NULL,
            count {int} NOT NULL,
            sum {real} NOT NULL,
            PRIMARY KEY (project, experiment, variant, model, metric, installation),
            FOREIGN KEY (project, experiment) REFERENCES experiment ON DELETE CASCADE
        ) {keyed};

        -- Batches that were added, so that none is added twice.
        CREATE TABLE outcomeBatch (
            project {text} NOT NULL REFERENCES project ON DELETE CASCADE,
            id {text} NOT NULL,
            time {int} NOT NULL,
            PRIMARY KEY (project, id)
        ) {keyed};
        CREATE INDEX outcomeBatchByTime ON outcomeBatch (time);
        """
}
