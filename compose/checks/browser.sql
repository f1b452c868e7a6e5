-- What the browser tests find on the operations page: captures of the stack as if they had been doubtful, or had failed. And under To do: answers to
-- two of the notified cases.
begin;

with answered as (
    select id, row_number() over (order by last_status_date, id) as place from action where status in ('inprogress', 'reminded')
    order by place limit 2
), mail as (
    insert into email (action_id, received_date, subject, status, open)
    select id, now() - place * interval '1 day', 'Re: your ads', 'received', false from answered
)
update action set unread_count = 1, received_count = received_count + 1, waiting = false from answered where action.id = answered.id;

create temporary table chosen as
select s.id, s.capture_id, row_number() over (order by c.slot_ts, s.id) as place
from slot s join capture c on c.slot_id = s.id
where s.state = 'verified' and c.text_ads > 1
order by place limit 6;

update capture set verdict = 'doubtful', doubt = '3 labels of ads were counted, 2 ads were read'
from chosen where capture.id = chosen.capture_id and chosen.place <= 2;

update slot set state = 'failed', reason = (array['poison', 'unreadable', 'captcha', 'timeout'])[chosen.place - 2]
from chosen where slot.id = chosen.id and chosen.place > 2;

insert into failed_page (slot_id, slot_ts, attempt, failure, term, engine, device, locale, taken_at, final_url, page_sha256, view_sha256, reader_version)
select c.slot_id, c.slot_ts, c.attempt, 'captcha', c.term, c.engine, c.device, c.locale, c.taken_at, c.final_url, c.page_sha256, c.view_sha256, c.reader_version
from capture c join chosen on chosen.capture_id = c.id where chosen.place = 5;
delete from capture using chosen where capture.id = chosen.capture_id and chosen.place in (5, 6);

commit;
