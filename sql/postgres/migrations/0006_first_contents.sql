-- What every installation starts with: roles, feature flags, the system tag, and places to search from (decision D75).

insert into role (name, description) values
    ('admin', 'Sees and changes everything.'),
    ('operator', 'Works on the actions of every brand.');

insert into feature_flag (key, default_on, roles) values
    ('header_workspaces_switch', false, '{admin,operator}'),
    ('stopgo_dashboard', false, '{admin}');

-- The parent of every brand's tag "official" (decision D98).
insert into category (label, name, scope, visibility) values ('Website classification', 'website-classification', 'tag', 'all');

insert into localization (locale, language, country, city)
select places.locale, split_part(places.locale, '_', 1), jsonb_build_object('fr', places.fr, 'en', places.en), city
from (values
    ('fr_FR', 'France', 'France', array['Paris', 'Marseille', 'Lyon', 'Toulouse', 'Nice', 'Nantes', 'Montpellier', 'Strasbourg', 'Bordeaux', 'Lille', 'Rennes']),
    ('en_GB', 'Royaume-Uni', 'United Kingdom', array['London', 'Birmingham', 'Manchester', 'Leeds', 'Glasgow', 'Liverpool', 'Bristol', 'Edinburgh', 'Cardiff', 'Belfast']),
    ('de_DE', 'Allemagne', 'Germany', array['Berlin', 'Hamburg', 'Munich', 'Cologne', 'Frankfurt', 'Stuttgart', 'Düsseldorf', 'Leipzig', 'Dresden']),
    ('fr_BE', 'Belgique', 'Belgium', array['Brussels', 'Liège', 'Charleroi', 'Namur', 'Mons']),
    ('nl_BE', 'Belgique', 'Belgium', array['Brussels', 'Antwerp', 'Ghent', 'Bruges', 'Leuven']),
    ('pt_PT', 'Portugal', 'Portugal', array['Lisbon', 'Porto', 'Braga', 'Coimbra', 'Faro', 'Funchal']),
    ('es_ES', 'Espagne', 'Spain', array['Madrid', 'Barcelona', 'Valencia', 'Seville', 'Zaragoza', 'Málaga', 'Bilbao']),
    ('it_IT', 'Italie', 'Italy', array['Rome', 'Milan', 'Naples', 'Turin', 'Palermo', 'Bologna', 'Florence']),
    ('de_CH', 'Suisse', 'Switzerland', array['Bern', 'Zürich', 'Basel', 'Lucerne']),
    ('fr_CH', 'Suisse', 'Switzerland', array['Geneva', 'Lausanne', 'Fribourg']),
    ('it_CH', 'Suisse', 'Switzerland', array['Lugano', 'Bellinzona', 'Locarno']),
    ('nl_NL', 'Pays-Bas', 'Netherlands', array['Amsterdam', 'Rotterdam', 'The Hague', 'Utrecht', 'Eindhoven', 'Groningen']),
    ('sv_SE', 'Suède', 'Sweden', array['Stockholm', 'Gothenburg', 'Malmö']),
    ('no_NO', 'Norvège', 'Norway', array['Oslo', 'Bergen', 'Trondheim']),
    ('pl_PL', 'Pologne', 'Poland', array['Warsaw', 'Kraków', 'Łódź', 'Wrocław', 'Gdańsk']),
    ('uk_UA', 'Ukraine', 'Ukraine', array['Kyiv', 'Kharkiv', 'Odesa', 'Lviv']),
    ('ru_RU', 'Russie', 'Russia', array['Moscow', 'Saint Petersburg', 'Novosibirsk']),
    ('ja_JP', 'Japon', 'Japan', array['Tokyo', 'Osaka', 'Yokohama', 'Nagoya']),
    ('ar_MA', 'Maroc', 'Morocco', array['Rabat', 'Casablanca', 'Marrakesh']),
    ('fr_MA', 'Maroc', 'Morocco', array['Rabat', 'Casablanca', 'Marrakesh'])
) as places (locale, fr, en, cities)
    cross join lateral unnest(places.cities) with ordinality as city_list (city, place)
order by places.locale, place;
