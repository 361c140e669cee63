import type { IngestToken } from '@dealdeck/contract/ingest'
import { Button, Group, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { errorMessage } from '../../../platform/api-error.ts'
import { useCopy } from '../../../platform/clipboard.ts'
import { laterApi } from '../../../platform/later-client.ts'
import { useMarketplace } from '../../../platform/money.ts'
import { CopyToast } from '../../../ui/copy-toast.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { tokensQuery } from '../api.ts'
import card from './card.module.css'
import classes from './tokens.module.css'

const copiedForMs = 3_000

/** The tokens by which scripts hand in deals: make one, see when it was last used, revoke it. */
export function Tokens() {
  const queries = useQueryClient()
  const { ago, exactTime } = useMarketplace()
  const tokens = useQuery(tokensQuery)
  const { copied, copy } = useCopy(copiedForMs)
  const [name, setName] = useState('')
  const [problem, setProblem] = useState<string>()
  const [made, setMade] = useState<{ name: string; token: string }>()
  const [doomed, setDoomed] = useState<IngestToken>()
  const onSettled = async () => {
    await Promise.all(
      [tokensQuery.queryKey, laterApi.audit.key()].map((queryKey) => queries.invalidateQueries({ queryKey })),
    )
  }
  const create = useMutation(laterApi.ingest.createToken.mutationOptions({ onSettled, gcTime: 0 }))

  async function add(event: FormEvent) {
    event.preventDefault()
    if (name.trim() === '') return setProblem('Please enter a name')
    try {
      const { name: called, token } = await create.mutateAsync({ name })
      setMade({ name: called, token })
      setName('')
    } catch (error) {
      setProblem(errorMessage(error))
    }
  }

  return (
    <section className={`${card.card} ${classes.section}`} aria-labelledby="tokens">
      <h2 id="tokens" className={classes.heading}>
        Import tokens
      </h2>
      <p className={classes.hint}>
        A script sends <code>Authorization: Bearer …</code> to <code>POST /api/products/import</code>. A token
        can hand in deals and nothing else.
      </p>
      <form className={classes.form} onSubmit={(event) => void add(event)}>
        <TextInput
          className={classes.field}
          label="Name of a new token"
          placeholder="Such as nightly import"
          autoComplete="off"
          maxLength={100}
          value={name}
          error={problem}
          onChange={(event) => {
            setName(event.currentTarget.value)
            setProblem(undefined)
          }}
        />
        <Button type="submit" className={classes.create} loading={create.isPending}>
          Create
        </Button>
      </form>
      {made && (
        <div className={classes.made} role="status">
          <p className={classes.once}>Token “{made.name}”: copy it now, it is not shown again.</p>
          <code className={classes.text}>{made.token}</code>
          <Group gap="xs">
            <Button onClick={() => void copy('token', made.token)}>Copy</Button>
            <Button variant="default" onClick={() => setMade(undefined)}>
              Done
            </Button>
          </Group>
        </div>
      )}
      {tokens.data === undefined ? (
        <p className={classes.hint} role={tokens.isError ? 'alert' : 'status'}>
          {tokens.isError ? `The tokens can’t be loaded. ${errorMessage(tokens.error)}` : 'Loading tokens'}
        </p>
      ) : tokens.data.length === 0 ? (
        <p className={classes.hint}>No tokens yet.</p>
      ) : (
        <ul className={classes.list} aria-label="Import tokens">
          {tokens.data.map((token) => (
            <li key={token.id} className={classes.row}>
              <div className={classes.what}>
                <p className={classes.name}>{token.name}</p>
                <p className={classes.times}>
                  <time dateTime={token.created_at} title={exactTime(token.created_at)}>
                    Created {ago(token.created_at)}
                  </time>
                  {' · '}
                  {token.last_used_at ? (
                    <time dateTime={token.last_used_at} title={exactTime(token.last_used_at)}>
                      last used {ago(token.last_used_at)}
                    </time>
                  ) : (
                    'never used'
                  )}
                </p>
              </div>
              <Button variant="default" aria-label={`Revoke ${token.name}`} onClick={() => setDoomed(token)}>
                Revoke
              </Button>
            </li>
          ))}
        </ul>
      )}
      {doomed && <RevokeDialog token={doomed} onSettled={onSettled} onClose={() => setDoomed(undefined)} />}
      <CopyToast copied={copied} success="Token copied" failure="Failed to copy" />
    </section>
  )
}

type RevokeDialogProps = { token: IngestToken; onSettled: () => Promise<void>; onClose: () => void }

function RevokeDialog({ token, onSettled, onClose }: RevokeDialogProps) {
  const revoke = useMutation(laterApi.ingest.removeToken.mutationOptions({ onSettled }))
  return (
    <Dialog title="Revoke token" onClose={onClose}>
      <p className={classes.hint}>
        Whatever uses “{token.name}” can no longer hand in deals. This can’t be undone.
      </p>
      <p role="alert" className={classes.problem}>
        {revoke.isError && errorMessage(revoke.error)}
      </p>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button
          color="red"
          loading={revoke.isPending}
          onClick={() => revoke.mutate({ id: token.id }, { onSuccess: onClose })}
        >
          Revoke
        </Button>
      </Group>
    </Dialog>
  )
}
