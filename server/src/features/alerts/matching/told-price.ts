/**
 * In SQL, the price from which the next fall is measured: the lowest that messages of an episode `e` told, by its deals `l` of deliveries
 * `d`, or that one which waits is written down for. What was left out told nothing; the episode's own counts for what was forgotten.
 */
export const toldPrice =
  "coalesce(min(coalesce(l.price, e.price)) filter (where d.state <> 'skipped'), e.price)"
