-- Rules whose rows of this source are refused without waiting: the opposite of those that are trusted.
alter table sources add column refused_rules text[] not null default '{}';

-- What was let through of a deal as another shop's before.
create index quarantine_passed on quarantine (source_id, asin) where state = 'passed';
