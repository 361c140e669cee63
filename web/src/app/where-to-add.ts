import { useRouter } from '@tanstack/react-router'

/** What leads to adding a destination, and from there back to where it was asked for. */
export function useAddDestination(): (from?: string) => void {
  const router = useRouter()
  return (from = router.history.location.href) =>
    void router.navigate({ to: '/alerts', search: { tab: 'destinations', at: 'new', back: from } })
}
