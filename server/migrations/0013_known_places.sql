-- Together with where a session was last used: the networks its owner is known at. Empty for those opened before.
alter table sessions add column signed_in_address text not null default '';

-- Keys that all processes of an installation share.
create table secrets (
  name text primary key,
  value bytea not null
);

-- Signs the cookies by which a device is known; 244 of its bits are random.
insert into secrets (name, value)
values ('known_devices', decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'));
