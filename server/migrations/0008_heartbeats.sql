-- One row for each minute in which some process of this installation was up and reached its database. The key is the
-- whole row: several processes write the same one, and the uptime of a month is counted along it.
create table heartbeats (minute timestamptz primary key);
