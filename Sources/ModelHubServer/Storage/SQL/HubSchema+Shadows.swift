/// The tables of comparisons of two versions' answers.
extension HubSchema {
    static let shadows = """
        -- Sums of DeviceSums over the installations that reported.
        CREATE TABLE shadow (
            model {int} NOT NULL REFERENCES model ON DELETE CASCADE,
            served {int} NOT NULL,
            candidate {int} NOT NULL,
            firstTime {int} NOT NULL,
            lastTime {int} NOT NULL,
            devices {int} NOT NULL,
            count {real} NOT NULL,
            sum {real} NOT NULL,
            sumNN {real} NOT NULL,
            sumXX {real} NOT NULL,
            sumNX {real} NOT NULL,
            PRIMARY KEY (model, served, candidate),
            FOREIGN KEY (model, served) REFERENCES version ON DELETE CASCADE,
            FOREIGN KEY (model, candidate) REFERENCES version ON DELETE CASCADE
        ) {keyed};
        CREATE INDEX shadowOfCandidate ON shadow (model, candidate);

        CREATE TABLE shadowLabel (
            model {int} NOT NULL,
            served {int} NOT NULL,
            candidate {int} NOT NULL,
            label {text} NOT NULL,
            count {int} NOT NULL,
            different {int} NOT NULL,
            PRIMARY KEY (model, served, candidate, label),
            FOREIGN KEY (model, served, candidate) REFERENCES shadow ON DELETE CASCADE
        ) {keyed};

        -- The sums of an installation, which a hash stands for.
        CREATE TABLE shadowOfInstallation (
            model {int} NOT NULL,
            served {int} NOT NULL,
            candidate {int} NOT NULL,
            installation {bytes} NOT NULL,
            count {int} NOT NULL,
            different {int} NOT NULL,
            PRIMARY KEY (model, served, candidate, installation),
            FOREIGN KEY (model, served, candidate) REFERENCES shadow ON DELETE CASCADE
        ) {keyed};
        """
}
