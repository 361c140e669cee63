import type { Alert, AlertInput, Peace } from '@dealdeck/contract/alerts'
import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { deviceZone } from '../../platform/device-zone.ts'
import { laterApi, laterClient } from '../../platform/later-client.ts'

/** One's own alerts, target prices among them, and for administrators the group's. */
export const alertsQuery = laterApi.alerts.list.queryOptions({ refetchInterval: 60_000 })

/** What an alert of a saved search would bring. */
export const expectationQuery = (search: number) =>
  laterApi.alerts.expect.queryOptions({ input: { search, time_zone: deviceZone() }, staleTime: 5 * 60_000 })

/** What the prices seen of a deal say of a price to wait for. */
export const verdictQuery = (id: number) => laterApi.prices.verdict.queryOptions({ input: { id } })

/** When nothing is to be sent. */
export const peaceQuery = (isGroup: boolean) =>
  laterApi.alerts.readPeace.queryOptions({ input: { is_group: isGroup } })

/** Tells the zone of this device, where its reader's clock is that of the device used last and was another one. */
export async function tellZone(here: string): Promise<void> {
  const { follows_device, time_zone, quiet_from } = await laterClient.alerts.readPeace({})
  // As it is until somebody has looked at it first.
  const isInitial = time_zone === 'UTC' && quiet_from === null
  if (follows_device && time_zone !== here && !isInitial)
    await laterClient.alerts.changePeace({ time_zone: here, is_group: false })
}

/** Why a deal came, or didn't, by a search or a target price. */
export const whyQuery = (asked: { deal: number; search?: number; alert?: number }) =>
  laterApi.alerts.why.queryOptions({ input: { ...asked, time_zone: deviceZone() }, staleTime: 0 })

/** What was just said of when nothing is to be sent. */
export function putPeace(queries: QueryClient, isGroup: boolean, peace: Peace): void {
  queries.setQueryData(peaceQuery(isGroup).queryKey, peace)
}

/** Everything that is done with alerts. The list follows at once; what the server says of it counts when it comes. */
export function useAlertChanges() {
  const queries = useQueryClient()
  const show = (change: (items: Alert[]) => Alert[]) =>
    queries.setQueryData(alertsQuery.queryKey, (list) => list && { items: change(list.items) })
  const put = (saved: Alert) =>
    show((items) =>
      items.some(({ id }) => id === saved.id)
        ? items.map((item) => (item.id === saved.id ? saved : item))
        : [...items, saved],
    )
  const onSettled = () => void queries.invalidateQueries({ queryKey: laterApi.alerts.list.key() })
  return {
    add: useMutation({
      mutationFn: (input: AlertInput) => laterClient.alerts.create(input),
      onSuccess: put,
      onSettled,
    }),
    change: useMutation(laterApi.alerts.change.mutationOptions({ onSuccess: put, onSettled })),
    remove: useMutation({
      mutationFn: (alert: Alert) => laterClient.alerts.remove({ id: alert.id }),
      onSuccess: (_, removed) => show((items) => items.filter(({ id }) => id !== removed.id)),
      onSettled,
    }),
  }
}

/** What makes an alert again that was removed. */
export function inputOf(alert: Alert): AlertInput {
  const { destination_id, search_id, deal_id, target_price, options, is_paused } = alert
  return {
    ...{ destination_id, options, is_paused, send_matching: false },
    ...(search_id !== null && { search_id }),
    ...(deal_id !== null && target_price !== null && { deal_id, target_price }),
  }
}
