import type { Deal } from '@dealdeck/contract/deals'
import {
  type ShareService,
  shareServiceNames,
  shareServices,
  shareText,
  shareUrl,
} from '@dealdeck/marketplace/share-links'
import { cutTitle, shareTitleLength } from '@dealdeck/marketplace/titles'
import { Button, CloseButton, TextInput } from '@mantine/core'
import {
  IconBrandFacebook,
  IconBrandLinkedin,
  IconBrandReddit,
  IconBrandTelegram,
  IconBrandWhatsapp,
  IconBrandX,
  IconCheck,
  IconLink,
} from '@tabler/icons-react'
import type { ComponentType, MouseEvent } from 'react'
import { useCopy } from '../../../platform/clipboard.ts'
import type { Marketplace } from '../../../platform/money.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import classes from './share-dialog.module.css'

type ShareDialogProps = { deal: Deal; shop: Marketplace; onClose: () => void }

const icons: Record<ShareService, ComponentType<{ size: number; stroke: number }>> = {
  twitter: IconBrandX,
  facebook: IconBrandFacebook,
  linkedin: IconBrandLinkedin,
  reddit: IconBrandReddit,
  whatsapp: IconBrandWhatsapp,
  telegram: IconBrandTelegram,
}

const saidForMs = 3_000
const popup = { width: 600, height: 400 }

/** Shares a deal's own address to six services, or copies it. */
export function ShareDialog({ deal, shop, onClose }: ShareDialogProps) {
  const { copied, copy } = useCopy(saidForMs)
  const price = shop.money(deal.price)
  const shortTitle = cutTitle(deal.title, shareTitleLength)

  return (
    <Dialog title="Share this deal" onClose={onClose}>
      <CloseButton className={classes.close} aria-label="Close" onClick={onClose} />
      <p className={classes.preview}>
        {shareText(shortTitle, price)}
        {shortTitle !== deal.title && <small>Shortened here; the whole title is shared.</small>}
      </p>
      <div className={classes.services}>
        {shareServices.map((service) => {
          const Icon = icons[service]
          const address = shareUrl(service, { title: deal.title, price, url: deal.product_url })
          return (
            <Button
              key={service}
              component="a"
              href={address}
              target="_blank"
              rel="noopener noreferrer"
              variant="default"
              justify="flex-start"
              leftSection={<Icon size={18} stroke={1.75} />}
              onClick={(event) => openPopup(event, address)}
            >
              {shareServiceNames[service]}
            </Button>
          )
        })}
      </div>
      <div className={classes.copy}>
        <TextInput
          className={classes.link}
          aria-label="Link to the deal"
          readOnly
          value={deal.product_url}
          onFocus={(event) => event.currentTarget.select()}
        />
        <Button
          leftSection={copied?.ok ? <IconCheck size={18} /> : <IconLink size={18} />}
          onClick={() => void copy('link', deal.product_url)}
        >
          Copy link
        </Button>
      </div>
      <p className={classes.said} role="status" data-failed={copied?.ok === false || undefined}>
        {copied?.ok && 'Link copied'}
        {copied?.ok === false && 'Failed to copy link'}
      </p>
    </Dialog>
  )
}

/** A plain press opens the small window; with a modifier key the link does what links do. */
function openPopup(event: MouseEvent, address: string): void {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  const left = Math.max(0, window.screenX + (window.outerWidth - popup.width) / 2)
  const top = Math.max(0, window.screenY + (window.outerHeight - popup.height) / 2)
  const place = `width=${popup.width},height=${popup.height},left=${Math.round(left)},top=${Math.round(top)}`
  window.open(address, '_blank', `popup,noopener,noreferrer,${place}`)
}
