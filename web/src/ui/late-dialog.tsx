import { Button, Group, Text } from '@mantine/core'
import { type ComponentType, useCallback, useEffect, useState } from 'react'
import { Dialog } from './dialog.tsx'

/** A dialog whose program is fetched when it is first opened. */
export type FetchedDialog<Props> = { fetch: () => Promise<ComponentType<Props>>; here?: ComponentType<Props> }

/** Opens such a dialog. Where its program can't be had it says so, and what stands behind it stays as it is. */
export function LateDialog<Props extends { onClose: () => void }>({
  of,
  props,
}: {
  of: FetchedDialog<Props>
  props: Props
}) {
  const [state, setState] = useState<'loading' | 'here' | 'failed'>('loading')
  const load = useCallback(async () => {
    setState('loading')
    try {
      of.here ??= await of.fetch()
      setState('here')
    } catch {
      setState('failed')
    }
  }, [of])
  useEffect(() => {
    if (!of.here) void load()
  }, [of, load])
  const Here = of.here
  if (Here) return <Here {...props} />
  if (state !== 'failed') return null
  return (
    <Dialog title="This can’t be loaded" onClose={props.onClose}>
      <Text c="dimmed">Please check your connection and try again. Nothing on the screen is lost.</Text>
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button variant="default" onClick={props.onClose}>
          Close
        </Button>
        <Button onClick={() => void load()}>Try Again</Button>
      </Group>
    </Dialog>
  )
}
