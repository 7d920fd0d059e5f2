import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { accessible } from './support/axe.ts'
import { browse } from './support/browse.ts'

for (const engine of ['sqlite', 'postgres'] as const) {
  browse(
    `the sign-in page is there, and nothing is said behind it (${engine})`,
    { engine },
    async ({ visitor }) => {
      const page = await visitor()
      const reply = await page.goto('/sign-in')
      assert.equal(reply?.status(), 200)
      await page.getByRole('heading', { level: 1 }).waitFor()
      assert.match(await page.title(), /Docket/)
      await accessible(page)
    },
  )
}

browse(
  'an address that leads nowhere says so, with the status of it',
  async ({ visitor, allow }) => {
    allow(404)
    const page = await visitor()
    const reply = await page.goto('/nowhere')
    assert.equal(reply?.status(), 404)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await accessible(page)
  },
)

browse(
  'the start page can be read and its slip completed without a script',
  async ({ visitor }) => {
    const page = await visitor({ javaScriptEnabled: false })
    await page.goto('/')
    await page.getByRole('heading', { name: 'Numbered work, an honest API.' }).waitFor()
    const done = page.getByText('Your script would have sent')
    assert.equal(await done.isVisible(), false)
    await page.getByRole('checkbox', { name: 'Complete this slip' }).press('Space')
    assert.equal(await done.isVisible(), true)
    await page.getByRole('link', { name: 'Sign in' }).first().click()
    assert.equal(new URL(page.url()).pathname, '/sign-in')
  },
)

browse('the start page signs what is written into it as Docket would', async ({ visitor }) => {
  const page = await visitor()
  await page.goto('/')
  await accessible(page)
  await page.getByLabel('Body').fill('{"title": "Grüße ✓"}')
  await page.getByLabel('Secret').fill('whsec_another')
  const signature = createHmac('sha256', 'whsec_another')
    .update('{"title": "Grüße ✓"}')
    .digest('hex')
  await page.getByText(signature).waitFor()
})

browse('the start page is for who is not signed in', async ({ as, team }) => {
  const page = await as('member', { viewport: { width: 360, height: 740 } })
  await page.goto('/')
  await page.waitForURL(`**/w/${team.workspace}/my`)
  // What the page asks for has come: the session that it asks with ends now.
  await page.getByText('Nothing is assigned to you.').waitFor()
  const [cookie] = await page.context().cookies()
  await page.evaluate(() => fetch('/internal/session', { method: 'DELETE' }))
  // As on another device, which still has the cookie of a session that has ended.
  if (cookie) await page.context().addCookies([cookie])
  await page.goto('/')
  await page.getByRole('heading', { name: 'Numbered work, an honest API.' }).waitFor()
  assert.equal((await page.context().cookies()).length, 1)
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth))
  await accessible(page)
})

browse(
  'the start page bears the name of the installation',
  { env: { DOCKET_NAME: 'Halden' } },
  async ({ visitor }) => {
    const page = await visitor()
    await page.goto('/')
    await page.getByRole('link', { name: 'Halden', exact: true }).waitFor()
    assert.equal(await page.title(), 'Halden: numbered work, an honest API')
  },
)

browse(
  'where there is no start page, its address leads to the sign-in',
  { env: { DOCKET_LANDING: 'off' } },
  async ({ visitor }) => {
    const page = await visitor()
    await page.goto('/')
    await page.waitForURL('**/sign-in')
  },
)

browse('the API reference works under the same policy', async ({ visitor }) => {
  const page = await visitor()
  for (const path of ['/docs', '/docs/errors']) {
    await page.goto(path)
    await page.getByRole('button', { name: 'Copy: ' }).first().waitFor()
    await page.getByRole('searchbox').fill('task')
  }
})

browse(
  'who is signed in asks for the first data once, before the script runs',
  async ({ as, team }) => {
    const page = await as('member')
    const asked: string[] = []
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (pathname.startsWith('/internal/')) asked.push(pathname)
    })
    const replied = page.waitForResponse('**/internal/boot')
    await page.goto(`/w/${team.workspace}/my`)
    assert.equal((await replied).status(), 200)
    await page.getByRole('heading', { level: 1 }).waitFor()
    assert.deepEqual(
      asked.filter((path) => path === '/internal/boot'),
      ['/internal/boot'],
    )
  },
)
