SELECT toString(domain) AS text, sum(views) AS views
FROM
(
${source}
)
GROUP BY domain
ORDER BY startsWith(text, {beginning:String}) DESC, views DESC, text
LIMIT {limit:UInt32}
