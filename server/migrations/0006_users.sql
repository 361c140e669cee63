alter table users
  -- Whole milliseconds, the precision they travel with: an edit names the one it was based on.
  add column updated_at timestamptz not null default date_trunc('milliseconds', now()),
  add column last_sign_in_at timestamptz;

-- The list of users, newest first, page by page.
create index users_created on users (created_at desc, id desc);

alter table sessions
  -- What a session is called where its owner sees it; the hash stays inside.
  add column id bigint generated always as identity unique,
  add column last_used_address text not null default '';
