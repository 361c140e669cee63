create table audit_entries (
  id bigint generated always as identity primary key,
  -- Whole milliseconds, the precision they travel with: a page's cursor names one exactly.
  at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  -- Who, as they were called then. No foreign key: an entry outlives the account, the filter, the word.
  actor_id bigint not null,
  actor_name text collate "C" not null check (actor_name <> ''),
  action text collate "C" not null check (action ~ '^[a-z_]+$'),
  subject_kind text collate "C" not null check (subject_kind ~ '^[a-z_]+$'),
  subject_id bigint,
  subject_name text not null,
  -- What changed, as it was and as it became; null where there was or is nothing.
  before jsonb check (jsonb_typeof(before) = 'object'),
  after jsonb check (jsonb_typeof(after) = 'object')
);

-- The list and each of its filters, newest first.
create index audit_entries_at on audit_entries (at desc, id desc);
create index audit_entries_actor on audit_entries (actor_name, at desc, id desc);
create index audit_entries_kind on audit_entries (subject_kind, at desc, id desc);

create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  raise exception 'The audit list can only be added to' using errcode = 'restrict_violation';
end $$;

-- A statement trigger also stops one that would hit no row, and is the only kind that sees TRUNCATE.
create trigger audit_entries_stay before update or delete or truncate on audit_entries
  for each statement execute function refuse_audit_change();
alter table audit_entries enable always trigger audit_entries_stay;
