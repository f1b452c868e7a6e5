-- Looked up for every uploaded file: whether a message carries it.
create index attachment_content on attachment using hash (sha256) where sha256 is not null;
