-- What belongs to one member alone, an entry a row: two devices that change different entries don't overwrite each other.
create table member_items (
  id bigint generated always as identity primary key,
  user_id bigint not null references users on delete cascade,
  -- Which kinds there are, and what their values hold, the contract says.
  kind text not null check (kind <> ''),
  -- SHA-256 of what no two entries of a kind may have in common; the text itself may be longer than an index takes.
  key_hash bytea not null check (octet_length(key_hash) = 32),
  value jsonb not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default date_trunc('milliseconds', now())
);

-- Reading and removing all of one member, and of two devices that add the same entry at once one does.
create unique index member_items_key on member_items (user_id, kind, key_hash);
