import type { Deal } from '@dealdeck/contract/deals'
import classes from './deal-verdict.module.css'
import { lastStep } from './view/verdict.ts'

/** What is said of a deal's price, with a sign of its own. Until something is, its room is the title's, above it. */
export function DealVerdict({ deal: { verdict } }: { deal: Deal }) {
  return (
    verdict && (
      <span
        className={classes.verdict}
        data-kind={verdict.kind}
        // On a narrow card it needs two lines.
        data-long={verdict.short.length > 20 || undefined}
      >
        {verdict.short}
      </span>
    )
  )
}

/** Its prices of 90 days; whoever listens hears the verdict. */
export function Sparkline({ path, className }: { path: string; className: string | undefined }) {
  const now = lastStep(path)
  return (
    <svg
      className={`${classes.sparkline} ${className}`}
      viewBox="0 0 90 24"
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path d={path} />
      <path d={now.step} />
      <path d={now.dot} />
    </svg>
  )
}
