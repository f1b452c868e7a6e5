SELECT DISTINCT toYYYYMM(day) AS month
FROM
(
    SELECT day FROM ad_results WHERE day < toDate({before:UInt16})
    UNION ALL
    SELECT day FROM ad_days WHERE day < toDate({before:UInt16})
    UNION ALL
    SELECT day FROM host_days WHERE day < toDate({before:UInt16})
    UNION ALL
    SELECT day FROM capture_days WHERE day < toDate({before:UInt16})
    UNION ALL
    SELECT week FROM ad_weeks WHERE week < toDate({before:UInt16})
)
ORDER BY month
