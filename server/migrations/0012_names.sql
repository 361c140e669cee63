alter table users
  -- What the name looks like: names of one skeleton can't be told apart by eye. Null while it isn't worked out: the
  -- application does so before the next name is taken, since no function of the database can.
  add column name_skeleton text;

-- Who looks like somebody who is new. Not unique: names that looked alike before this was checked go on.
create index users_name_skeleton on users (name_skeleton) where is_active;
-- Those still to be worked out: the newest one, as a rule.
create index users_without_skeleton on users (id) where name_skeleton is null;

-- Also when somebody renames past the application.
create function forget_name_skeleton() returns trigger language plpgsql as $$
begin
  new.name_skeleton = null;
  return new;
end $$;
create trigger users_renamed before update of username on users
  for each row when (new.username <> old.username) execute function forget_name_skeleton();
