-- Since when something was to be done about a delivery that has been put off since; null: it wasn't, and `next_at` says it.
alter table deliveries add column due_at timestamptz;
