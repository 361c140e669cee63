-- What was let through of a deal before, of whichever source: a price that is as odd is measured by it.
drop index quarantine_passed;
create index quarantine_passed on quarantine (asin, source_id) where state = 'passed';

-- All rows of a source that is removed.
create index quarantine_of_source on quarantine (source_id);
