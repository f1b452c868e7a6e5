-- Whether the text ads asked for have ranks of both kinds: over the whole page, and of before, over ads alone.
SELECT toUInt8(min(mark) = 0 AND max(mark) > 0) AS mixed
FROM ad_results
WHERE kind = 'ads'${where}
