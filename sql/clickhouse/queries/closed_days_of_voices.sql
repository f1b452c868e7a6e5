-- `of_first`: views before the hour at which the next day of the time zone begins.
SELECT day, voice, sumIf(views, kind = 'ads') AS text_ads, sumIf(views, kind = 'shopping') AS shopping_ads,
    sumIf(of_first, kind = 'ads') AS text_ads_of_first, sumIf(of_first, kind = 'shopping') AS shopping_ads_of_first
FROM
(
    SELECT day, CAST(transform(domain, {hosts:Array(String)}, {numbers:Array(UInt16)}, toUInt16(0)), 'UInt16') AS voice, kind, views,
        ${of_first} AS of_first
    FROM host_days
    WHERE domain != ''
    AND (toUInt16(day), build) IN {days:Array(Tuple(UInt16, UInt64))}
    AND day BETWEEN toDate({first_day:UInt16}) AND toDate({last_day:UInt16})${where}
)
GROUP BY day, voice
