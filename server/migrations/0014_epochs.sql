-- Which history the revisions belong to. A restored backup, or a server that lost its last seconds, gives the same numbers
-- out anew with other content; with the start of the server it is told apart from what was there before.
alter table feed_state add column epoch text collate "C" not null
  default left(md5(random()::text || clock_timestamp()::text), 8);
