/**
 * Every advisory lock of Dealdeck. All processes on one database know a lock by its number, those of the version before
 * and after too, so a number is never changed and never given again (4,207,005 was one). `for` completes 'the lock for …'; `takenBy` are the files that
 * call `takeLock` for it. The structure check holds this list against the code.
 */
export const advisoryLocks = {
  migrations: {
    key: 4_207_001,
    for: 'migrations',
    guards: 'the table migrations and the shape of all others: one process at a time brings them up to date',
    takenBy: ['server/src/platform/database/migrations.ts'],
  },
  deals: {
    key: 4_207_002,
    for: 'changes of deals',
    guards:
      'deals, price points, blacklisted words and the revision: one transaction at a time changes them, or their shape',
    takenBy: ['server/src/features/deals/actions.ts', 'server/src/platform/database/migrations.ts'],
  },
  users: {
    key: 4_207_003,
    for: 'changes of users',
    guards: 'that no two names look alike and that an administrator stays, which no constraint can hold',
    takenBy: ['server/src/features/session/actions.ts'],
  },
  lists: {
    key: 4_207_004,
    for: 'lists of everything',
    guards: 'how many deals go: one list at a time decides it and hides them, while others change deals',
    takenBy: ['server/src/features/deals/writing/ending.ts'],
  },
} as const satisfies Record<string, RegisteredLock>
export type AdvisoryLock = keyof typeof advisoryLocks

type RegisteredLock = { key: number; for: string; guards: string; takenBy: readonly string[] }
