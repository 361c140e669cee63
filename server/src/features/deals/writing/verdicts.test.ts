import { expect, test } from 'vitest'
import { testDatabases } from '../../../../testing/database.ts'
import type { DealWrites } from '../actions.ts'
import { type StoredVerdict, storeVerdicts } from './verdicts.ts'

const { durablePool } = await testDatabases()

const verdict = (deal_id: number): StoredVerdict => ({
  ...{ deal_id, was_due: '2026-03-04T05:06:07Z', due_in_ms: null, computed_at: '2026-03-04T05:06:07Z' },
  ...{ kind: 'usual', watched_since: null, coverage_90: null, typical: null, verdict: null },
  ...{ low_30: null, low_30_at: null, low_90: null, low_90_at: null, low_365: null, low_365_at: null },
})

test('a plan for storing verdicts that was made in an empty database looks for each by its key', async () => {
  const client = await durablePool.connect()
  try {
    await client.query("begin; set local plan_cache_mode = 'force_generic_plan'")
    let statement: { text: string; values: unknown[] } = { text: '', values: [] }
    const recordedBy = {
      query: async (asked: string | typeof statement) => {
        // A setting, which it is planned with.
        if (typeof asked === 'string') return client.query(asked)
        statement = asked
        return { rows: [] }
      },
    }
    // The cast holds: of a connection it only asks this one query.
    const writes = { client: recordedBy, recorded: [] } as unknown as DealWrites
    await storeVerdicts(writes, [1, 2, 3].map(verdict))
    await client.query(`prepare storing as ${statement.text}`)
    const values = statement.values.map((value) =>
      Array.isArray(value) ? `'{${value.join()}}'` : client.escapeLiteral(String(value)),
    )
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(
      `explain (costs off) execute storing (${values.join(', ')})`,
    )
    const lines = rows.map((row) => row['QUERY PLAN'])
    // Each look into a table, not the lists that the statement makes itself.
    const scans = lines.flatMap((line, at) =>
      /Scan using|Bitmap Index Scan/.test(line) ? [lines[at + 1]] : [],
    )
    expect(scans, lines.join('\n')).toHaveLength(4)
    for (const condition of scans) expect(condition, lines.join('\n')).toMatch(/Index Cond: .*= ANY \(\$2\)/)
    expect(lines.join('\n')).not.toContain('Seq Scan')
  } finally {
    await client.query('rollback')
    client.release()
  }
})
