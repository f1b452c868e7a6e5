update slot set attempt = attempt + 1, leased_by = $3, lease_until = now() + $4,
    state = case state when 'queued' then 'capturing' else state end
where id = $1 and slot_ts >= slots_from($1) and slot_ts < slots_until($1) and attempt = $2 and lease_until is null and state in ('queued', 'captured', 'storing')
returning attempt, term_id, device as "device: String", slot_ts, capture_id, state, failures,
    exists (
        select from slot later where later.term_id = slot.term_id and later.device = slot.device
            and later.slot_ts > slot.slot_ts
    ) as "is_superseded!"
