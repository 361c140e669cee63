import { Skeleton } from '@mantine/core'
import {
  IconAdjustments,
  IconDatabase,
  IconExternalLink,
  IconLink,
  IconMessageCircle,
  IconPhoto,
} from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { HomeCard } from '../view.ts'
import classes from './link-card.module.css'

const icons: Record<string, typeof IconLink> = {
  links: IconLink,
  filters: IconDatabase,
  chat: IconMessageCircle,
  images: IconPhoto,
  management: IconAdjustments,
}

/** One way on from Home; the whole card is the link. */
export function LinkCard({ card: { id, title, text, label, target } }: { card: HomeCard }) {
  const Icon = icons[id] ?? IconLink
  const content = (
    <>
      {title}
      {'href' in target && <IconExternalLink size={14} aria-label="(opens in a new tab)" role="img" />}
    </>
  )
  return (
    <li className={classes.card}>
      <span className={classes.icon}>
        <Icon size={22} stroke={1.75} aria-hidden />
      </span>
      <div>
        <h3 className={classes.title}>
          {'href' in target ? (
            <a className={classes.link} href={target.href} target="_blank" rel="noopener noreferrer">
              {content}
            </a>
          ) : (
            <Link className={classes.link} to={target.to}>
              {content}
            </Link>
          )}
          {label && <span className={classes.label}>{label}</span>}
        </h3>
        <p className={classes.text}>{text}</p>
      </div>
    </li>
  )
}

/** A card whose content isn't known yet, in the shape it will have. */
export function LinkCardSkeleton() {
  return (
    <li className={classes.card} aria-hidden>
      <Skeleton width={40} height={40} radius="md" />
      <div className={classes.waiting}>
        <Skeleton height="1rem" width="55%" radius="sm" />
        <Skeleton height="0.75rem" mt="0.5rem" radius="sm" />
      </div>
    </li>
  )
}
