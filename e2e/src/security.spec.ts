import { dealRow } from './deals.ts'
import { expect, test } from './fixtures.ts'

const title =
  '<img src=x onerror="document.title=\'taken\'"><b>Lantern</b> <script>document.title="taken"</script>'

test.describe('a page', () => {
  test.use({ expectedConsoleErrors: [/Content Security Policy|violates the following directive/i] })

  test('comes with its policy, and runs nothing that is put into it', async ({ page }) => {
    const response = await page.goto('/amazon-haul')
    const headers = response?.headers() ?? {}
    expect(headers['content-security-policy']).toMatch(/script-src 'self';/)
    expect(headers['content-security-policy']).toMatch(
      /object-src 'none'.*base-uri 'none'.*frame-ancestors 'none'/,
    )
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'x-frame-options': 'DENY',
      'permissions-policy': expect.stringContaining('geolocation=()'),
    })
    await expect(page.getByRole('heading', { name: 'Deals', level: 1 })).toBeVisible()
    await page.evaluate(() => {
      const script = document.createElement('script')
      script.textContent = 'document.title = "taken"'
      const base = document.createElement('base')
      base.href = 'https://elsewhere.example/'
      const button = document.createElement('button')
      button.setAttribute('onclick', 'document.title = "taken"')
      document.body.append(script, base, button)
      button.click()
    })
    expect(await page.title()).not.toBe('taken')
    expect(await page.evaluate(() => document.baseURI)).toMatch(/^http:\/\/127\.0\.0\.1/)
  })

  test('lets nobody frame it', async ({ page, server }) => {
    const framed = await page.request.get('/')
    expect(framed.headers()['content-security-policy']).toContain("frame-ancestors 'none'")
    await page.goto('/healthz')
    await page.setContent(`<iframe src="${server.origin}/amazon-haul"></iframe>`)
    await expect.poll(() => page.frames().at(-1)?.url()).toMatch(/^chrome-error:/)
  })
})

test('a deal called like a script is a deal with an odd title', async ({ page, importDeals }) => {
  await importDeals([
    dealRow({ title, product_url: 'javascript:alert(1)', image_url: 'javascript:alert(1)' }),
  ])
  await page.goto('/amazon-haul')
  await expect(page.getByText('<img src=x').first()).toBeVisible()
  expect(await page.title()).not.toBe('taken')
  const links = await page
    .getByRole('link')
    .evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))
  expect(links.filter((href) => !/^(\/|https:\/\/www\.amazon\.com\/)/.test(href))).toEqual([])
})
