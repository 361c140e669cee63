-- What a list or digest was collected for, which its title says as long as it is there; null: what matched when an alert was made.
alter table deliveries add column collected_for text
  check (collected_for in ('quiet', 'pause', 'hour', 'burst', 'daily', 'weekly'));
-- What has to end before a message is sent, beside its time: quiet hours or a pause. Null: nothing.
alter table deliveries add column waits_for text check (waits_for in ('quiet', 'pause'));

-- Until now it was told by the words that people read of it; here for the last time.
update deliveries set collected_for = case
    when content ->> 'hold' like 'Quiet hours%' then 'quiet'
    when content ->> 'hold' like 'Paused%' then 'pause'
    when content ->> 'hold' like '%within an hour%' then 'hour'
    when content ->> 'hold' like '%within a minute%' then 'burst'
    when content ->> 'hold' like '%daily digest%' then 'daily'
    when content ->> 'hold' like '%weekly digest%' then 'weekly'
  end
where kind in ('list', 'digest') and content ? 'hold';
update deliveries set waits_for = case when reason like 'Paused%' then 'pause' else 'quiet' end
where next_at is not null and (reason like 'Quiet hours%' or reason like 'Paused%')
  and (state = 'queued' or state = 'held' and kind = 'list');
