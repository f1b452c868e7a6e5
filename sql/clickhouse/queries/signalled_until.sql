SELECT max(day) AS latest FROM ad_signals
