/// The table of the confidences that apps report.
extension HubSchema {
    static let drift = """
        -- Reports of the score confidence by week, in ten ranges of their means. A report counts once, whatever number of results it sums up.
        CREATE TABLE confidenceWeek (
            model {int} NOT NULL REFERENCES model ON DELETE CASCADE,
            version {int} NOT NULL,
            -- The number of weeks since Monday, 5 January 1970, in UTC.
            week {int} NOT NULL,
            -- 0 to 9: below 0.1, below 0.2, up to 1.
            place {int} NOT NULL,
            reports {int} NOT NULL,
            -- The sum of the means.
            sum {real} NOT NULL,
            PRIMARY KEY (model, version, week, place)
        ) {keyed};
        CREATE INDEX confidenceByWeek ON confidenceWeek (week);
        """
}
