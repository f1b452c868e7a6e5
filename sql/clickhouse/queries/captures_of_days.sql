    SELECT day, capture, seen_at, arrayExists(domain -> domain != ''${others}, hosts) AS shows_others
    FROM capture_days
    WHERE (toUInt16(day), build) IN {days:Array(Tuple(UInt16, UInt64))}
    AND day BETWEEN toDate({first_day:UInt16}) AND toDate({last_day:UInt16})${where}
