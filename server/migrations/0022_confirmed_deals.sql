-- Deals that were seen again without a change, which questions about the last sight and pages with them depend on. Events of
-- before, and of a process of the release before, name none.
alter table deal_changes add column confirmed_ids bigint[] not null default '{}';
alter table feed_events add column confirmed bigint[] not null default '{}';
