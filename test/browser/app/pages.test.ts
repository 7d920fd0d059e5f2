import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { assertAccessible } from '../support/accessibility.ts'
import { browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'

browserTest('the sign-in page loads without errors', async ({ visitor }) => {
  const page = await visitor()
  const reply = await page.goto('/sign-in')
  assert.equal(reply?.status(), 200)
  await page.getByRole('heading', { level: 1 }).waitFor()
  assert.match(await page.title(), /Docket/)
})

browserTest('the start page works without JavaScript', async ({ visitor }) => {
  const page = await visitor({ javaScriptEnabled: false })
  await page.goto('/')
  await page.getByRole('heading', { name: 'Numbered work, an honest API.' }).waitFor()
  const done = page.getByText('Your script would have sent')
  await expect(done).toBeHidden()
  await page.getByRole('checkbox', { name: 'Complete this slip' }).press('Space')
  await expect(done).toBeVisible()
  await page.getByRole('link', { name: 'Sign in' }).first().click()
  await page.waitForURL('**/sign-in')
})

browserTest('the start page computes the HMAC signature of what is typed', async ({ visitor }) => {
  const page = await visitor()
  await page.goto('/')
  await assertAccessible(page)
  await page.getByLabel('Body').fill('{"title": "Grüße ✓"}')
  await page.getByLabel('Secret').fill('whsec_another')
  const signature = createHmac('sha256', 'whsec_another')
    .update('{"title": "Grüße ✓"}')
    .digest('hex')
  await page.getByText(signature).waitFor()
})

browserTest(
  'the start page redirects a signed-in person to My work',
  async ({ as, team, docket }) => {
    const page = await as('member', { viewport: { width: 360, height: 740 } })
    await page.goto('/')
    await page.waitForURL(`**/w/${team.workspace}/my`)
    const [cookie] = await page.context().cookies()
    // An open page would keep using the session that ends now.
    await page.goto('about:blank')
    const headers = { origin: docket.url }
    const ended = await page.request.delete('/internal/session', { headers })
    assert.equal(ended.status(), 204)
    // As on a device that still has the cookie of an ended session.
    if (cookie) await page.context().addCookies([cookie])
    await page.goto('/')
    await page.getByRole('heading', { name: 'Numbered work, an honest API.' }).waitFor()
    assert.equal((await page.context().cookies()).length, 1)
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth))
  },
)

browserTest(
  'requests /internal/boot only once when a signed-in person opens a page',
  async ({ as, team }) => {
    const page = await as('member')
    const requests: string[] = []
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (pathname.startsWith('/internal/')) requests.push(pathname)
    })
    const bootResponse = page.waitForResponse('**/internal/boot')
    await page.goto(`/w/${team.workspace}/my`)
    assert.equal((await bootResponse).status(), 200)
    await page.getByRole('heading', { level: 1 }).waitFor()
    assert.deepEqual(
      requests.filter((path) => path === '/internal/boot'),
      ['/internal/boot'],
    )
  },
)
