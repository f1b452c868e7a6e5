-- Whether these text ads have ranks of both kinds: over the whole page and, in older rows, over ads alone.
SELECT toUInt8(min(mark) = 0 AND max(mark) > 0) AS mixed
FROM ad_results
WHERE kind = 'ads'${where}
