extension Schema {
    /// The views leave out rows that are marked as removed, and all values of a removed attribute. `CROSS JOIN` keeps
    /// the order: from the accounts, the attributes and values of each are found by their keys.
    static let views = """
        CREATE VIEW daily AS
            SELECT account.name AS account, value.day, value.attribute, attribute.label,
                attribute.group_label AS "group", value.value, attribute.unit
            FROM account
            CROSS JOIN attribute ON attribute.account = account.id AND attribute.removed IS NULL
            CROSS JOIN value ON value.account = attribute.account AND value.attribute = attribute.name
                AND value.removed IS NULL;
        CREATE VIEW latest AS
            SELECT account.name AS account, attribute.name AS attribute, attribute.label,
                attribute.group_label AS "group", value.day, value.value, attribute.unit
            FROM account
            CROSS JOIN attribute ON attribute.account = account.id AND attribute.removed IS NULL
            CROSS JOIN value ON value.account = attribute.account AND value.attribute = attribute.name
                AND value.day = (SELECT max(day) FROM value AS newer
                    WHERE newer.account = attribute.account AND newer.attribute = attribute.name
                        AND newer.removed IS NULL);
        CREATE VIEW weekly AS
            SELECT account.name AS account,
                strftime('%Y', value.day, '-3 days', 'weekday 4') || '-W'
                    || substr('0' || ((strftime('%j', value.day, '-3 days', 'weekday 4') - 1) / 7 + 1), -2) AS week,
                date(value.day, 'weekday 0', '-6 days') AS monday, value.attribute, attribute.label,
                attribute.group_label AS "group", count(*) AS days, avg(value.value) AS average,
                min(value.value) AS lowest, max(value.value) AS highest, sum(value.value) AS total, attribute.unit
            FROM account
            CROSS JOIN attribute ON attribute.account = account.id AND attribute.removed IS NULL
            CROSS JOIN value ON value.account = attribute.account AND value.attribute = attribute.name
                AND value.removed IS NULL
            WHERE typeof(value.value) IN ('integer', 'real')
            GROUP BY account.name, account.id, value.attribute, date(value.day, 'weekday 0', '-6 days');
        """
}
