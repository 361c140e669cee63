/** Takes limits of time off a connection; one that its PostgreSQL doesn't know is left out. */
const lift = (...limits: string[]) =>
  `select set_config(name, '0', false) from unnest('{${limits.join()}}'::text[]) name where current_setting(name, true) is not null`

/**
 * A role or a database may have limits that suit short statements. A word that hides deals is compared with all titles, and a large
 * import with all deals.
 */
export const liftStatementLimits = lift('statement_timeout', 'transaction_timeout')

/** For work that takes minutes on a connection of its own. */
export const liftAllLimits = lift(
  'statement_timeout',
  'transaction_timeout',
  'idle_in_transaction_session_timeout',
)
