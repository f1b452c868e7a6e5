SELECT uniqExactIf(ad, kind = 'ads') AS text_ads, uniqExactIf(ad, kind = 'shopping') AS shopping_ads
FROM
(
${source}
)
