import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useMarketplace } from '../../platform/money.ts'
import { useSession } from '../../platform/session.ts'
import { homeQuery } from './api.ts'
import { HeroCounts } from './components/hero-counts.tsx'
import { LinkCard, LinkCardSkeleton } from './components/link-card.tsx'
import classes from './home-screen.module.css'
import { homeCards, type StreamState } from './view.ts'

type HomeScreenProps = {
  /** How many deals everybody sees; undefined while unknown. */
  dealsTracked: number | undefined
  stream: StreamState
  /** What is new in the reader's saved searches. */
  searches: ReactNode
  newest: ReactNode
}

/** Where everybody begins: what there is right now, and links to the screens. */
export function HomeScreen({ dealsTracked, stream, searches, newest }: HomeScreenProps) {
  const shop = useMarketplace()
  const isAdmin = useSession().role === 'admin'
  const home = useQuery(homeQuery)
  const cards = homeCards(isAdmin, home.data?.community_url ?? null)
  return (
    <div className={classes.screen}>
      <header className={classes.hero}>
        <div className={classes.words}>
          <h1 className={classes.title}>Low-price finds, as they come in</h1>
          <p className={classes.lead}>Watching {shop.marketplace} for your group.</p>
          <Button component={Link} to="/amazon-haul" className={classes.browse}>
            Browse all deals
          </Button>
        </div>
        <HeroCounts dealsTracked={dealsTracked} uptime={home.data?.uptime} stream={stream} shop={shop} />
      </header>
      {searches}
      {newest}
      <section aria-labelledby="ways" className={classes.ways}>
        <h2 id="ways" className={classes.heading}>
          Tools
        </h2>
        <ul className={classes.cards}>
          {home.isPending
            ? Array.from({ length: isAdmin ? 5 : 4 }, (_, index) => index).map((index) => (
                <LinkCardSkeleton key={index} />
              ))
            : cards.map((card) => <LinkCard key={card.id} card={card} />)}
        </ul>
      </section>
    </div>
  )
}
