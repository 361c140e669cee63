create table users (
  id bigint generated always as identity primary key,
  -- Trimmed and lowercased by the server before it gets here.
  username text not null check (username <> ''),
  password_hash text not null,
  role text not null default 'user' check (role in ('admin', 'user')),
  status text not null default 'approved' check (status in ('approved', 'pending', 'rejected')),
  is_active boolean not null default true,
  created_at timestamptz not null default now()
);

-- A name is unique among active users only; an inactive one keeps its row without blocking the name.
create unique index users_active_username on users (username) where is_active;

create table sessions (
  -- SHA-256 of the cookie's token: a stolen copy of this table opens nothing.
  token_hash bytea primary key,
  user_id bigint not null references users on delete cascade,
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  expires_at timestamptz not null,
  user_agent text not null default ''
);

-- Ending all sessions of one user.
create index sessions_user on sessions (user_id);
-- Sweeping the expired.
create index sessions_expiry on sessions (expires_at);

create table ingest_tokens (
  id bigint generated always as identity primary key,
  name text not null,
  token_hash bytea not null unique,
  created_by bigint references users on delete set null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz
);
