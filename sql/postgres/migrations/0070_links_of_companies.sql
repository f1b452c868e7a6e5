-- A company puts tags that all share on what is of its own brands. Such a link is the company's: it and staff see it, and either ends it. Links
-- of staff, and those of a brand's own tags, are of no company.
alter table category_dealer
    add column company_account_id integer references company_account on delete cascade,
    drop constraint category_dealer_dealer_id_category_id_key,
    add constraint category_dealer_key unique nulls not distinct (dealer_id, category_id, company_account_id);
create index category_dealer_company on category_dealer (company_account_id) where company_account_id is not null;

alter table term_category
    add column company_account_id integer references company_account on delete cascade,
    drop constraint term_category_term_id_category_id_key,
    add constraint term_category_key unique nulls not distinct (term_id, category_id, company_account_id);
create index term_category_company on term_category (company_account_id) where company_account_id is not null;
