import { useMarketplace } from '../platform/money.ts'
import classes from './footer.module.css'

/** What holds for every screen. */
export function Footer() {
  const { marketplace } = useMarketplace()
  return (
    <footer className={classes.footer}>
      <div className={classes.inner}>
        <p className={classes.line}>
          <strong className={classes.name}>Dealdeck</strong> — deals on {marketplace}, for authorized users
          only.
        </p>
        <p className={classes.line}>Prices are as last seen; the price on the product’s page counts.</p>
      </div>
    </footer>
  )
}
