-- Keys of programs: tokens whose first scope is `key`. A name tells them apart, and the last letters help to find the one that leaked.
alter table access_token
    add column name text check (char_length(name) between 1 and 80),
    add column hint text check (char_length(hint) = 4),
    add check ((name is null) = (hint is null));
