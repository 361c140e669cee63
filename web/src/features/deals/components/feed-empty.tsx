import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { client } from '../../../platform/client.ts'
import type { Marketplace } from '../../../platform/money.ts'
import { Notice } from '../../../ui/notice.tsx'
import { countKey, countQuestion } from '../api.ts'
import { NoDeals } from '../no-deals.tsx'
import { filtersOfText } from '../view/asking.ts'
import { chipsOf, contradictedOf, wordsOf } from '../view/chips.ts'
import type { Asker } from '../view/filters.ts'
import classes from './feed-empty.module.css'

type FeedEmptyProps = {
  /** How many deals there are, whatever the filters; undefined where that can't be had, as among hidden ones. */
  total: number | undefined
  text: string
  asker: Asker
  shop: Marketplace
  onAsk: (text: string) => void
}

/** No deal to show: says what hides them, and offers only what would bring some back. */
export function FeedEmpty({ total, text, asker, shop, onAsk }: FeedEmptyProps) {
  const hiding = [
    wordsOf(text, asker) ?? [],
    chipsOf(text, asker, shop.money),
    contradictedOf(text, asker) ?? [],
  ]
    .flat()
    .filter(({ hides }) => hides)
  const filters = hiding.map(({ without }) => filtersOfText(without, asker))
  // How many deals there would be without each.
  const hidden = useQuery({
    queryKey: [...countKey, 'each', filters],
    queryFn: ({ signal }) =>
      Promise.all(filters.map((one) => client.deals.count(countQuestion(one), { signal }))),
    enabled: total !== 0,
  })
  if (total === 0 || (total === undefined && hiding.length === 0)) return <NoDeals />
  const found = hiding.flatMap((part, at) => {
    const { count = 0, has_more = false } = hidden.data?.[at] ?? {}
    return count > 0 ? [{ ...part, words: hiddenWords(count, has_more, total, shop) }] : []
  })
  const isTogether = found.length === 0 && hidden.isSuccess
  return (
    <Notice
      title="No deal matches"
      action={
        found.length === 0 && !hidden.isPending ? (
          <Button onClick={() => onAsk(asker.hidesContradicted ? 'price:any verdict:any' : 'price:any')}>
            Clear filters
          </Button>
        ) : (
          <ul className={classes.ways}>
            {found.map(({ label, words, without }) => (
              <li key={label}>
                <span>
                  {label} hides {words}
                </span>
                <Button
                  size="compact-md"
                  variant={found.length === 1 ? 'filled' : 'default'}
                  aria-label={`Show them without: ${label}`}
                  onClick={() => onAsk(without)}
                >
                  Show them
                </Button>
              </li>
            ))}
          </ul>
        )
      }
    >
      {isTogether && 'Together these filters hide everything; none of them alone does.'}
    </Notice>
  )
}

/** 'all 3,095', '412 deals', 'the only deal'. */
function hiddenWords(count: number, hasMore: boolean, total: number | undefined, shop: Marketplace): string {
  if (count === total) return count === 1 ? 'the only deal' : `all ${shop.number(count)}`
  return count === 1 ? '1 deal' : `${shop.number(count)}${hasMore ? '+' : ''} deals`
}
