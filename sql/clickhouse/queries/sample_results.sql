-- Made-up results, the same for the same seed. A capture shows twelve ads of the ten domains that its term has that week; a domain shows
-- each of its three creatives for two weeks. Of the ten domains six or so are of the term's advertisers where it has any; of the others few are
-- large and most are small. Captures are densest on Wednesdays and in December, and thinnest on Saturday nights and in June.
INSERT INTO ad_results
    (batch, row, capture_id, slot_time, seen_at, brand_id, term_id, keyword, keyword_type, localization_id, country, language, city, region,
     engine, device, kind, position, real_position, mark, block, domain, master, title, description, display_url, target_url, aclk_urls,
     image, price, merchant, comparator_name, comparator_url)
WITH
    {seed:UInt64} AS seed,
    ['nord', 'sol', 'vera', 'lumi', 'alta', 'mira', 'tero', 'olla', 'bela', 'kori', 'fino', 'pala', 'riva', 'sena', 'tova', 'ursa',
     'vivo', 'zeno', 'arbo', 'calo', 'domi', 'elan', 'gala', 'hexa'] AS heads,
    ['mart', 'store', 'plaza', 'deal', 'house', 'market', 'point', 'line', 'club', 'world', 'zone', 'depot', 'corner', 'base', 'lane',
     'garden', 'bazaar', 'works', 'loft', 'trade', 'studio', 'hall', 'port', 'field'] AS tails,
    ['', '-online', '-outlet', '-shop', '-direct', '-express'] AS ends,
    -- Number of the capture, and of the ad in it.
    intDiv(number, 12) AS c,
    toUInt16(number % 12) AS place,
    sipHash64(seed, c, 'term') % length({terms:Array(UInt32)}) + 1 AS t,
    -- Captures at an even pace, moved towards where they are dense: first over the year, then over the week. A move is the integral of a
    -- density that stays above a half, and no move leads out of the time.
    86400 AS day,
    {seconds:UInt64} AS all_seconds,
    x -> 0.3 * 365.25 * day / (2 * pi()) * sin(2 * pi() * (x / day - 339) / 365.25) AS yearly,
    x -> 0.3 * 7 * day / (2 * pi()) * sin(2 * pi() * (x / day - 6.5) / 7)
        + 0.1 * 3.3 * day / (2 * pi()) * sin(2 * pi() * (x / day / 3.3 + seed % 97 / 97)) AS weekly,
    c * all_seconds / {captures:UInt64} AS even,
    yearly({start:UInt32}) AS at_start,
    yearly({start:UInt32} + all_seconds) AS at_end,
    even - (yearly({start:UInt32} + even) - at_start) + (at_end - at_start) * even / all_seconds AS of_year,
    least(1, of_year / day, (all_seconds - of_year) / day) AS inside,
    toUInt32({start:UInt32} + of_year - weekly({start:UInt32} + of_year) * inside) AS time,
    intDiv(time, 604800) AS week,
    {countries:Array(String)}[t] AS in_country,
    {languages:Array(String)}[t] AS in_language,
    {engines:Array(String)}[t] AS on_engine,
    ['desktop', 'desktop', 'desktop', 'mobile', 'mobile', 'tablet'][sipHash64(seed, c, 'device') % 6 + 1] AS on_device,
    {keywords:Array(String)}[t] AS words,
    -- The advertiser: the term's own brand, or one of many by a steep curve.
    sipHash64(seed, c, place, 'slot') % 10 AS slot,
    toUInt64(3456 * pow(sipHash64(seed, t, slot, week, 'domain') / pow(2, 64), 4)) AS d,
    slot = 0 AND {officials:Array(String)}[t] != '' AS is_own,
    splitByChar(' ', {advertisers:Array(String)}[t]) AS known,
    known[1] != '' AND sipHash64(seed, t, slot, week, 'known') % 10 < 6 AS is_known,
    concat(heads[d % 24 + 1], tails[intDiv(d, 24) % 24 + 1], ends[intDiv(d, 576) + 1]) AS small,
    multiIf(is_own, {officials:Array(String)}[t], is_known, known[sipHash64(seed, t, slot, week, 'which') % length(known) + 1],
        concat(small, '.example')) AS host,
    replaceOne(host, '.example', '') AS name,
    if(slot < 7, 'ads', 'shopping') AS ad_kind,
    -- The creative.
    sipHash64(seed, host, words, on_device, in_country, on_engine, ad_kind, intDiv(time + d % 14 * 86400, 1209600),
        sipHash64(seed, c, place, 'variant') % 3, if({different:Bool}, number, 0)) AS creative,
    concat(toString(9 + creative % 190), if(in_language = 'fr', ',90 €', '.90 €')) AS amount,
    -- Distinguishes creatives with the same words.
    toString(creative % 4294967296) AS code
SELECT
    {first_batch:UInt64} + intDiv(number, 4800),
    number % 4800,
    reinterpretAsUUID(sipHash128(seed, c)),
    -- Pages come up to three minutes after their slots.
    time - toUInt32(sipHash64(seed, c, 'wait') % 180),
    time,
    {brands:Array(UInt32)}[t],
    {terms:Array(UInt32)}[t],
    words,
    {keyword_types:Array(String)}[t],
    {localizations:Array(UInt32)}[t],
    in_country,
    in_language,
    {cities:Array(String)}[t],
    {regions:Array(String)}[t],
    on_engine,
    on_device,
    ad_kind,
    -- Seven text ads at most, then the shopping ads.
    place % 7 + 1,
    place + 1,
    place + 1,
    ['top', 'top', 'middle', 'bottom'][intDiv(place, 3) + 1],
    host,
    arrayStringConcat(arraySlice(splitByChar('.', host), -2), '.'),
    if(in_language = 'fr',
        concat(['Découvrez ', 'Grand choix : ', 'Profitez de ', 'Offres '][creative % 4 + 1], words, ' dès ', amount),
        concat(['Discover ', 'Wide choice: ', 'Enjoy ', 'Offers on '][creative % 4 + 1], words, ' from ', amount)),
    if(in_language = 'fr',
        concat('Livraison en ', toString(1 + creative % 5), ' jours. Paiement en 3 fois. Référence ', code, '.'),
        concat('Delivered in ', toString(1 + creative % 5), ' days. Pay in three parts. Reference ', code, '.')),
    concat('www.', host, '/', replaceAll(words, ' ', '-')),
    concat('https://www.', host, '/p/', code),
    [concat('https://clicks.example/aclk?id=', code)],
    if(ad_kind = 'shopping', concat('https://images.example/', code, '.webp'), ''),
    if(ad_kind = 'shopping', amount, ''),
    if(ad_kind = 'shopping', name, ''),
    if(ad_kind = 'shopping' AND creative % 3 = 0, 'Comparia', ''),
    if(ad_kind = 'shopping' AND creative % 3 = 0, 'https://comparia.example/', '')
FROM numbers({from:UInt64}, {count:UInt64})
