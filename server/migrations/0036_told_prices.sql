-- What a message says that its deal costs, from which the next fall is measured; until it is sent, the price it was written down for.
-- Null of what an earlier version has written down: then the price of its episode counts, the lowest that one of its messages was for.
alter table delivery_deals add column price numeric(12, 2);
