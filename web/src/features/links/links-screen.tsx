import { type Filter, type FilterCategory, filterCategories } from '@dealdeck/marketplace/filters'
import { describeSearch } from '@dealdeck/marketplace/link-words'
import { priceProblem } from '@dealdeck/marketplace/prices'
import { buildSearchLink, needsSort, sortWarning } from '@dealdeck/marketplace/search-links'
import { parseSearchLink } from '@dealdeck/marketplace/search-parsing'
import { resolveSearch } from '@dealdeck/marketplace/search-resolution'
import { isShopAddress, longestAddress, readSearchAddress } from '@dealdeck/marketplace/shop-addresses'
import { getRouteApi, useRouter } from '@tanstack/react-router'
import { useEffect, useMemo, useState } from 'react'
import { useCopy } from '../../platform/clipboard.ts'
import { type Marketplace, useMarketplace } from '../../platform/money.ts'
import { usePreferences } from '../../platform/preferences.ts'
import { useDebouncedSearchParams } from '../../platform/use-debounced-search-params.ts'
import { CopyToast } from '../../ui/copy-toast.tsx'
import { LateDialog } from '../../ui/late-dialog.tsx'
import { lengthProblem } from '../../ui/length-problem.ts'
import { MultiSelect } from '../../ui/multi-select.tsx'
import { SourceLabel } from '../../ui/source-label.tsx'
import { CustomFilters } from './components/custom-filters.tsx'
import { DeviceNotes } from './components/device-notes.tsx'
import { KeywordField } from './components/keyword-field.tsx'
import { LinkNotes } from './components/link-notes.tsx'
import { PriceFilter } from './components/price-filter.tsx'
import { ResultPanel } from './components/result-panel.tsx'
import { ScreenHead } from './components/screen-head.tsx'
import classes from './links-screen.module.css'
import { useOwnItems } from './live.ts'
import { keepSetup } from './view/last-setup.ts'
import {
  type Chosen,
  categoryLabels,
  emptySetup,
  fold,
  inOrder,
  isTooLong,
  type LinkParams,
  linkParamsSchema,
  linkQueryOf,
  type Options,
  optionsOf,
  paramsOf,
  resolveSetup,
  type Setup,
  setupOf,
  setupOfQuery,
  toggle,
  withoutMissing,
} from './view.ts'

const route = getRouteApi('/tools')
const qrDialog = { fetch: async () => (await import('./components/qr-dialog.tsx')).QrDialog }
const pasteDialog = { fetch: async () => (await import('./components/paste-dialog.tsx')).PasteDialog }
const presetsDialog = { fetch: async () => (await import('./components/presets-dialog.tsx')).PresetsDialog }

const copiedForMs = 3_000
/** Common servers refuse longer request lines. */
const longestLink = 8_000

type LinksScreenProps = {
  /** Undefined until they are loaded. */
  filters: readonly Filter[] | undefined
  /** What to tell the reader of these filters. */
  note: string | undefined
}

/** Builds a search link from a keyword, a price range and filters, and reads one back into them. */
export function LinksScreen({ filters, note }: LinksScreenProps) {
  const shop = useMarketplace()
  const router = useRouter()
  const navigate = route.useNavigate()
  const { defaultMaxPrice } = usePreferences()
  const { customFilters } = useOwnItems()
  const { copied, copy } = useCopy(copiedForMs)
  const [dialog, setDialog] = useState<'paste' | 'presets' | 'qr'>()
  const [unread, setUnread] = useState<readonly string[]>([])
  /** How many set-ups were opened here, in place of what was there. */
  const [opened, setOpened] = useState(0)
  const given = route.useSearch()
  const asked = useMemo(() => linkParamsSchema.parse(given), [given])
  const [search, changeSearch] = useDebouncedSearchParams<LinkParams>(asked, (next, replace) => {
    if (!isTooLong(next)) void navigate({ search: next, replace, resetScroll: false })
  })

  useEffect(() => keepSetup(search), [search])

  const setup = useMemo(() => setupOf(search), [search])
  const options = useMemo(() => filters && optionsOf(filters), [filters])
  const { picked, missing } = useMemo(() => resolveSetup(setup, options ?? noOptions), [setup, options])
  const names = useMemo(() => namesOf(picked), [picked])
  const wanted = useMemo(() => linkQueryOf(setup, picked), [setup, picked])
  const link = useMemo(() => linkOf(wanted, shop), [wanted, shop])

  const change = (part: Partial<Setup>, how: 'typed' | 'chosen', named = Object.keys(part).join()) =>
    changeSearch(paramsOf({ ...setup, ...part }), named, how)
  const choose = (category: FilterCategory, chosen: Chosen) =>
    change({ chosen: { ...setup.chosen, [category]: chosen } }, 'chosen', category)
  /** What no filter has by now stays chosen too, until its reader removes it: it may only not be loaded. */
  const chosenIn = (category: FilterCategory) => [
    ...names[category],
    ...missing.flatMap((one) => (one.category === category ? [one.name] : [])),
  ]
  const replace = (next: LinkParams, why: string, leftOver: readonly string[] = []) => {
    changeSearch(next, why, 'chosen')
    setUnread(leftOver)
    setOpened(opened + 1)
  }

  /** Fills the controls from an address; false when it is none of a search in this shop. */
  function read(address: string): boolean {
    const own = customFilters.map(({ value }) => value)
    const parsed = parseSearchLink(address, filters ?? [], { domain: shop.marketplace }, own)
    if (!parsed) return false
    replace(paramsOf(setupOfQuery(parsed)), `paste ${address}`, parsed.unrecognised)
    return true
  }

  function readOrSay(address: string) {
    const tooLong = lengthProblem(address, longestAddress, shop.number)
    if (tooLong) setUnread([tooLong])
    else read(address)
  }

  function share() {
    const { href } = router.buildLocation({ to: '/tools', search })
    void copy('address', new URL(href, window.location.origin).href)
  }

  return (
    <div className={classes.screen}>
      <div className={classes.controls}>
        <ScreenHead
          shop={shop.marketplace}
          fitsAddress={!isTooLong(search)}
          isEmpty={link.url === undefined && link.words === '' && missing.length === 0}
          isLoading={options === undefined}
          onPaste={() => setDialog('paste')}
          onPresets={() => setDialog('presets')}
          onShare={share}
          onReset={() => replace(paramsOf(emptySetup), 'reset')}
        />
        {note !== undefined && <SourceLabel>{note}</SourceLabel>}
        <DeviceNotes />
        <LinkNotes
          unread={unread}
          missing={options ? missing : []}
          isUpToDate={note === undefined}
          leftOut={link.leftOut}
          isTooLong={isTooLong(search)}
          isLinkTooLong={(link.url?.length ?? 0) > longestLink}
          onRead={() => setUnread([])}
          onForget={() => change(withoutMissing(setup, missing), 'chosen', 'forget')}
        />
        <KeywordField
          keyword={setup.keyword}
          isAddress={(text) => options !== undefined && readSearchAddress(text, shop.marketplace) !== null}
          onAddress={readOrSay}
          onKeyword={(keyword) => change({ keyword }, 'typed')}
        />
        <PriceFilter
          price={setup.price}
          defaultMax={defaultMaxPrice}
          currency={shop.currency}
          onChange={(price, how) => change({ price }, how)}
        />
        <div className={classes.selects}>
          {filterCategories.map((category) => (
            <MultiSelect
              key={category}
              label={categoryLabels[category]}
              options={options && (() => inOrder(options[category]))}
              chosen={names[category]}
              isSingle={category === 'sort_by'}
              fold={fold}
              number={shop.number}
              onToggle={(name) => choose(category, toggle(category, chosenIn(category), name))}
              onAll={(all) =>
                choose(category, all === 'all' ? all : [...new Set([...chosenIn(category), ...all])])
              }
              onClear={() => choose(category, [])}
            />
          ))}
        </div>
        <CustomFilters
          setup={opened}
          chosen={setup.custom}
          onChange={(custom) => change({ custom }, 'chosen')}
        />
      </div>
      <ResultPanel
        url={link.url}
        words={link.words}
        warning={needsSort(wanted) ? sortWarning : priceProblem(wanted.minPrice, wanted.maxPrice)}
        isWaiting={options === undefined && filterCategories.some((of) => setup.chosen[of].length > 0)}
        onQr={() => setDialog('qr')}
      />
      <CopyToast copied={copied} success="Link copied" failure="Failed to copy link" />
      {dialog === 'paste' && (
        <LateDialog
          of={pasteDialog}
          props={{ marketplace: shop.marketplace, onPaste: read, onClose: () => setDialog(undefined) }}
        />
      )}
      {dialog === 'presets' && (
        <LateDialog
          of={presetsDialog}
          props={{
            search,
            words: link.words,
            onLoad: (preset) => {
              replace(linkParamsSchema.parse(preset.value.search), `preset ${preset.value.name}`)
              setDialog(undefined)
            },
            onClose: () => setDialog(undefined),
          }}
        />
      )}
      {dialog === 'qr' && link.url !== undefined && (
        <LateDialog
          of={qrDialog}
          props={{ url: link.url, words: link.words, onClose: () => setDialog(undefined) }}
        />
      )}
    </div>
  )
}

const noOptions: Options = optionsOf([])

function namesOf(picked: ReturnType<typeof resolveSetup>['picked']): Record<FilterCategory, Set<string>> {
  const names = (category: FilterCategory) => new Set(picked[category].map(({ name }) => name))
  return {
    brands: names('brands'),
    deals: names('deals'),
    percent_off: names('percent_off'),
    departments: names('departments'),
    sold_by: names('sold_by'),
    sort_by: names('sort_by'),
  }
}

/** The link of a search, in letters and words, and what can't be in it. There is no link for a search for nothing. */
function linkOf(search: Parameters<typeof buildSearchLink>[0], shop: Marketplace) {
  const { marketplace: domain, affiliate_tag: affiliateTag } = shop
  const isAsking = buildSearchLink(search, { domain, affiliateTag: '' }).includes('?')
  const url = buildSearchLink(search, { domain, affiliateTag })
  return {
    url: isAsking && isShopAddress(url, domain) ? url : undefined,
    words: describeSearch(search, shop),
    leftOut: resolveSearch(search).leftOut,
  }
}
