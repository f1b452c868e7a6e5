SELECT brand_id, sum(ad_days.views) AS views
FROM ad_days
WHERE day = toDate({day:UInt16}) AND build = {build:UInt64}
GROUP BY brand_id
