import type { PublicSettings } from '@dealdeck/contract/settings'
import type { ReactNode } from 'react'
import { renderToStaticMarkup, renderToString } from 'react-dom/server'
import base from '../features/deals/components/deal-base.module.css'
import card from '../features/deals/components/deal-card.module.css'
import head from '../features/deals/components/feed-head.module.css'
import detail from '../features/deals/deal-detail.module.css'
import screen from '../features/deals/deal-screen.module.css'
import home from '../features/home/home-screen.module.css'
import { sessionQuery } from '../features/session/api.ts'
import { settingsQuery } from '../platform/money.ts'
import { queryClient } from '../platform/query-client.ts'
import { Brand } from '../ui/brand.tsx'
import spoken from '../ui/unseen.module.css'
import { Footer } from './footer.tsx'
import header from './header.module.css'
import { Providers } from './providers.tsx'
import shell from './shell.module.css'
import { Start } from './start.tsx'

/**
 * Run by the build: what pages show before the program has come, as HTML. '*' stands for every other screen, and what only the server
 * knows for words in braces.
 */
export function prerenderShells(): Record<string, string> {
  return {
    login: drawLogin('open'),
    'login closed': drawLogin('closed'),
    '/': draw(<h1 className={home.title}>Low-price finds, as they come in</h1>),
    '/amazon-haul': draw(<h1 className={head.title}>Deals</h1>),
    deal: draw(<DealShell />),
    '*': draw(null),
  }
}

function drawLogin(signup_mode: PublicSettings['signup_mode']): string {
  queryClient.setQueryData(sessionQuery.queryKey, null)
  queryClient.setQueryData(settingsQuery.queryKey, {
    ...{ marketplace: '{marketplace}', currency: 'USD', locale: 'en-US', affiliate_tag: '', signup_mode },
  })
  return renderToString(<Start />)
}

/** A deal's picture and title, where its page has them. */
function DealShell() {
  return (
    <>
      <span className={screen.back} />
      <article className={detail.detail}>
        <div className={detail.side}>
          <div className={detail.figure}>
            <div className={card.picture}>
              <img className={base.image} src="{picture}" alt="" referrerPolicy="no-referrer" />
            </div>
          </div>
        </div>
        <div className={detail.main}>
          <h1 className={detail.title} dir="auto">
            {'{title}'}
          </h1>
        </div>
      </article>
    </>
  )
}

/** The shell as everybody has it; who it is for and what they may do comes with the program. */
function draw(content: ReactNode): string {
  const html = renderToStaticMarkup(
    <Providers>
      <div className={shell.shell} aria-busy="true">
        <header className={header.header} inert>
          <div className={header.bar}>
            <span className={header.home}>
              <Brand />
            </span>
          </div>
        </header>
        <main className={shell.main}>
          {content}
          <p role="status" className={spoken.unseen}>
            Loading...
          </p>
        </main>
        <Footer />
      </div>
    </Providers>,
  )
  // The server puts that into the head, for a picture that there is.
  return html.replace(/<link rel="preload"[^>]*>/g, '')
}
