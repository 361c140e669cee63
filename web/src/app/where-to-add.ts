import { useRouter } from '@tanstack/react-router'
import { type Wish, wishText } from '../features/alerts/view/wish.ts'

/** What leads to adding a destination, and from there back to where it was asked for; `wish` is what is then told of there. */
export function useAddDestination(): (wish?: Wish, from?: string) => void {
  const router = useRouter()
  return (wish, from = router.history.location.href) =>
    void router.navigate({
      to: '/alerts',
      search: { tab: 'destinations', at: 'new', back: from, ...(wish && { for: wishText(wish) }) },
    })
}

/** Where adding a destination was asked for, as the address has it; undefined where that is no other screen of this page. */
export function placeBefore(back: unknown): string | undefined {
  return typeof back === 'string' && /^\/(?![/\\\s]|alerts\b)/i.test(back) ? back : undefined
}
