import { dealRow } from './deals.ts'
import { cards, openFeed } from './feed-page.ts'
import { expect, test } from './fixtures.ts'
import { takePicture } from './looks.ts'
import { importHistory, listNotSeen } from './prices.ts'

const long = 'Stainless Steel Water Bottle with Wide Mouth Straw Lid, Vacuum Insulated, 40 Ounces, Leak Proof'
const rarely = [
  { price: 9, from: 20, to: 20 },
  { price: 9, from: 0, to: 0 },
]
const bare = { rating: null, prime_eligible: false }

test('a title that is cut ends with dots, whatever is said of its price, and no sign reads like them', async ({
  page,
  importDeals,
}) => {
  await importHistory(importDeals, dealRow({ title: `Rare ${long}` }), rarely)
  await importHistory(importDeals, dealRow({ title: `Bare ${long}`, ...bare }), rarely)
  await importHistory(importDeals, dealRow({ title: `Listed ${long}` }), listNotSeen)
  await importHistory(importDeals, dealRow({ title: `Bare and listed ${long}`, ...bare }), listNotSeen)
  await importDeals([dealRow({ title: `New ${long}` }), dealRow({ title: `New and bare ${long}`, ...bare })])
  for (const width of [320, 360, 390, 430, 844, 1200, 1440]) {
    await page.setViewportSize({ width, height: 844 })
    await openFeed(page)
    await expect(cards(page)).toHaveCount(6)
    await expect(cards(page).locator('[data-kind]')).toHaveCount(4)
    const wrong = await cards(page).evaluateAll((all) =>
      all.flatMap((one) => {
        const [title, verdict] = one.querySelectorAll('h2 a > span')
        if (!title) return ['a card without a title']
        const { lineHeight, webkitLineClamp } = getComputedStyle(title)
        const height = Number.parseFloat(lineHeight) * Number(webkitLineClamp)
        const isCut = title.scrollHeight > title.clientHeight + 1
        // Where the box is lower than its last line, nothing says that there is more.
        const hasDots = Math.abs(title.getBoundingClientRect().height - height) < 1
        const sign = verdict ? getComputedStyle(verdict, '::before').content : ''
        const isWhole =
          !verdict ||
          (verdict.scrollHeight <= verdict.clientHeight + 1 &&
            verdict.scrollWidth <= verdict.clientWidth + 1 &&
            verdict.getBoundingClientRect().bottom <=
              (verdict.parentElement?.getBoundingClientRect().bottom ?? 0) + 1)
        return [
          ...(isCut && !hasDots ? [`cut without dots: ${title.textContent}`] : []),
          ...(isWhole ? [] : [`not whole: ${verdict?.textContent}`]),
          ...(/…|\.\./.test(sign) ? [`reads like dots: ${sign}`] : []),
        ]
      }),
    )
    expect(wrong, `at ${width}`).toEqual([])
    await takePicture(page, `cut titles, ${width}`)
  }
})
