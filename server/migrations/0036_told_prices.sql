-- What a message says that its deal costs, from which the next fall is measured; until it is sent, the price it was written down for.
-- Null of what was written by an earlier version: that was at most the price of its episode.
alter table delivery_deals add column price numeric(12, 2);
