import { expect, test } from './fixtures.ts'

test('the site can be put on a Home Screen, where iPhones and iPads let it show notifications', async ({
  page,
  context,
}) => {
  await page.goto('/profile')
  const session = await context.newCDPSession(page)
  const { data, errors } = await session.send('Page.getAppManifest')
  expect(errors).toEqual([])
  const manifest = JSON.parse(data ?? '{}')
  expect(manifest).toMatchObject({ name: 'Dealdeck', display: 'standalone', start_url: '/', scope: '/' })
  for (const { src, type } of manifest.icons) {
    const answer = await page.request.get(src)
    expect([answer.status(), answer.headers()['content-type']]).toEqual([200, expect.stringContaining(type)])
  }
  const icon = await page.locator('link[rel=apple-touch-icon]').getAttribute('href')
  expect((await page.request.get(icon ?? '')).status()).toBe(200)
})
