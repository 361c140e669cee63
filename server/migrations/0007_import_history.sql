-- Who handed it in, as they were called then: a name, a token, the command line.
alter table imports add column handed_in_by text not null default 'command line';

-- What imports refused. Bounded by whoever writes: the first rows of each, and the newest imports only.
create table import_rejects (
  import_id bigint primary key references imports on delete cascade,
  rejected json not null,
  by_reason json not null
);
