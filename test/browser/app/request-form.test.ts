import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { assertAccessible } from '../support/accessibility.ts'
import { type BrowserFixture, browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { openOnlyOperations } from '../support/reference-sections.ts'
import { routeRequests } from '../support/route-requests.ts'

const PHONE = { viewport: { width: 360, height: 740 } }

/** The operations of these tests. The first test opens the whole reference. */
const OPERATIONS = [
  'createTask',
  'updateTask',
  'deleteTask',
  'listTasks',
  'getMe',
  'testWebhook',
  'uploadAttachment',
  'downloadAttachment',
]

/** Opens the form of an operation and returns what is below its button. */
async function openForm(page: Page, operationId: string) {
  await openOnlyOperations(page, OPERATIONS)
  return openFormOnWholePage(page, operationId)
}

async function openFormOnWholePage(page: Page, operationId: string) {
  await page.goto(`/docs#op-${operationId}`)
  const section = page.locator(`#op-${operationId}`)
  await section.getByRole('button', { name: 'Try it' }).click()
  return section.locator('.try .panel')
}

/** The requests of a page that are not reads, with their paths. */
function recordWrites(page: Page): string[] {
  const writes: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'GET') return
    const { pathname, search } = new URL(request.url())
    writes.push(`${request.method()} ${pathname}${search}`)
  })
  return writes
}

const titlesOf = async ({ ask }: BrowserFixture) => {
  const page = await ask<{ data: { title: string }[] }>('owner', 'GET /api/v1/tasks')
  return page.data.map(({ title }) => title)
}

const bodyOf = (fixture: BrowserFixture, title: string) =>
  JSON.stringify({ project_id: fixture.team.project, title })

browserTest('sends a request from the reference and shows its reply', async (fixture) => {
  await fixture.ask('owner', 'POST /api/v1/tasks', {
    project_id: fixture.team.project,
    title: '<img src=x> & more',
  })
  const page = await fixture.as('owner')
  const section = await openFormOnWholePage(page, 'listTasks')
  await section.getByText('You are signed in as The owner, in the workspace').waitFor()
  await section.getByText(/^Query parameters/).click()
  await section.getByLabel('limit').fill('1')
  await section.getByLabel('priority').fill('none , urgent')
  await section.getByLabel('completed', { exact: true }).selectOption('false')
  const sent = page.waitForRequest('**/api/v1/tasks?*limit=1*')
  await section.getByLabel('limit').press('Enter')
  const { searchParams } = new URL((await sent).url())
  assert.deepEqual(Object.fromEntries(searchParams), {
    limit: '1',
    priority: 'none,urgent',
    completed: 'false',
  })
  await expect(section.getByRole('status')).toHaveText(/^200 OK · \d+ ms$/)
  const reply = section.getByRole('region', { name: 'Body of the reply' })
  await expect(reply).toContainText('"title": "<img src=x> & more"')
  await section.getByText('X-RateLimit-Remaining').waitFor()
})

browserTest('sends a write only after it was confirmed', async (fixture) => {
  const page = await fixture.as('owner')
  const writes = recordWrites(page)
  const section = await openForm(page, 'createTask')
  await section.getByLabel('Body').fill(bodyOf(fixture, 'Confirmed'))
  const send = section.getByRole('button', { name: 'Send request…' })
  const dialog = page.getByRole('dialog', { name: 'Change data?' })

  await send.click()
  await dialog.getByText(/^This changes data in the workspace .+\.$/).waitFor()
  await dialog.getByText('POST /api/v1/tasks').waitFor()
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await assertAccessible(page, { within: 'dialog[open]' })
  await page.keyboard.press('Enter')
  await expect(dialog).toHaveCount(0)
  await send.press('Enter')
  await dialog.waitFor()
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  assert.deepEqual(writes, [])

  await send.press('Enter')
  await dialog.getByRole('button', { name: 'Send request' }).press('Enter')
  await expect(section.getByRole('status')).toHaveText(/^201 Created · \d+ ms$/)
  await section.getByText('X-Operation-Id').waitFor()
  assert.deepEqual(writes, ['POST /api/v1/tasks'])
  assert.deepEqual(await titlesOf(fixture), ['Confirmed'])

  const change = await openForm(page, 'updateTask')
  await expect(change.getByLabel('id required')).toHaveValue('ENG-1')
  const removal = await openForm(page, 'deleteTask')
  await removal.getByText('You are signed in').waitFor()
  await expect(removal.getByLabel('id required')).toHaveValue('')
})

browserTest('the example names records of the workspace', async (fixture) => {
  const page = await fixture.as('owner')
  await page.route('**/api/v1/openapi.json', async (route) => {
    const openapi = await (await route.fetch()).json()
    const { requestBody } = openapi.paths['/api/v1/tasks'].post
    requestBody.content['application/json'].example = {
      project_id: 'prj_01k2m3n4p5q6r7s8t9v0w1x2y3',
      title: 'As in the example',
    }
    await route.fulfill({ json: openapi })
  })
  const section = await openForm(page, 'createTask')
  await expect(section.getByLabel('Body')).toHaveValue(/As in the example/)
  await section.getByRole('button', { name: 'Send request…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Send request' }).click()
  await expect(section.getByRole('status')).toHaveText(/^201 /)
})

browserTest('a dry run of the form changes nothing', async (fixture) => {
  const page = await fixture.as('owner')
  const writes = recordWrites(page)
  const section = await openForm(page, 'createTask')
  await section.getByLabel('Body').fill(bodyOf(fixture, 'Only tried'))
  await section.getByRole('button', { name: 'Send request…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Send as a dry run' }).click()
  await expect(section.getByRole('status')).toHaveText(/dry run: nothing was changed$/)
  await section.getByText('"title": "Only tried"').waitFor()
  assert.deepEqual(writes, ['POST /api/v1/tasks?dry_run=true'])
  assert.deepEqual(await titlesOf(fixture), [])

  const rotation = await openForm(page, 'testWebhook')
  await rotation.getByLabel('id required').fill('whk_unknown')
  await rotation.getByRole('button', { name: 'Send request…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).waitFor()
  await expect(page.getByRole('button', { name: 'Send as a dry run' })).toHaveCount(0)
})

browserTest('the form shows errors in words', async (fixture) => {
  const { allow, team } = fixture
  allow(422, /net::ERR_FAILED/)
  const page = await fixture.as('owner')
  const section = await openForm(page, 'createTask')
  const body = section.getByLabel('Body')
  const send = section.getByRole('button', { name: 'Send request…' })
  await body.fill('{"title": }')
  await send.click()
  await section.getByText('The body is not valid JSON').waitFor()
  await expect(body).toBeFocused()

  await body.fill(JSON.stringify({ project_id: team.project, title: '', color: 1 }))
  await send.click()
  await page.getByRole('dialog').getByRole('button', { name: 'Send request' }).click()
  await expect(section.getByRole('status')).toHaveText(/^422 /)
  await section.getByRole('listitem').filter({ hasText: 'title must not be empty' }).waitFor()
  const link = section.getByRole('link', { name: 'validation_failed' })
  await expect(link).toHaveAttribute('href', '/docs/errors#validation_failed')

  const read = await openForm(page, 'getMe')
  await read.getByText('You are signed in').waitFor()
  await routeRequests(page, '**/api/v1/me', (route) =>
    route.fulfill({ json: { error: 'A field.' } }),
  )
  await read.getByRole('button', { name: 'Send request' }).click()
  await expect(read.getByRole('status')).toHaveText(/^200 /)
  await read.getByText('"error": "A field."').waitFor()
  await routeRequests(page, '**/api/v1/me', (route) => route.abort())
  await read.getByRole('button', { name: 'Send request' }).click()
  await read.getByText('Docket did not reply.').waitFor()
})

browserTest('nothing is sent if the session has changed during the question', async (fixture) => {
  fixture.allow(401)
  const page = await fixture.as('owner')
  const writes = recordWrites(page)
  const section = await openForm(page, 'createTask')
  await section.getByLabel('Body').fill(bodyOf(fixture, 'Never'))
  await section.getByRole('button', { name: 'Send request…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Cancel' }).waitFor()
  await page.context().clearCookies()
  await dialog.getByRole('button', { name: 'Send request' }).click()
  await section.getByText('Nothing was sent.').waitFor()
  assert.deepEqual(writes, [])
})

browserTest('without a session the form leads to the sign-in', async (fixture) => {
  fixture.allow(401)
  const page = await fixture.visitor(PHONE)
  const section = await openForm(page, 'getMe')
  await section.getByText('You are not signed in.').waitFor()
  const link = section.getByRole('link', { name: 'Sign in' })
  await expect(link).toHaveAttribute('href', '/sign-in')
  await expect(section.getByRole('button', { name: 'Send request' })).toHaveCount(0)
  await assertAccessible(page, { within: '.try' })
  const button = page.getByRole('button', { name: 'Try it: Get the current user' })
  await expect(button).toHaveAttribute('aria-expanded', 'true')
  await button.press('Enter')
  await expect(link).toBeHidden()
})

browserTest('shows the form when the reader comes back from the sign-in', async (fixture) => {
  fixture.allow(401)
  const signedIn = await fixture.as('owner')
  const cookies = await signedIn.context().cookies()
  const page = await fixture.visitor()
  const section = await openForm(page, 'getMe')
  await section.getByText('You are not signed in.').waitFor()
  await page.context().addCookies(cookies)
  // Tabs of a headless browser are always visible, so that no event comes by itself.
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
  await section.getByText('You are signed in as The owner').waitFor()
})

browserTest('uploads and downloads a file', async (fixture) => {
  const { ask, team } = fixture
  await ask('owner', 'POST /api/v1/tasks', { project_id: team.project, title: 'With a file' })
  const page = await fixture.as('owner')
  const upload = await openForm(page, 'uploadAttachment')
  const file = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('Runs.') }
  await upload.getByLabel('File required').setInputFiles(file)
  await upload.getByRole('button', { name: 'Send request…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Send request' }).click()
  await expect(upload.getByRole('status')).toHaveText(/^201 /)
  await upload.getByText('"filename": "notes.txt"').waitFor()

  const download = await openForm(page, 'downloadAttachment')
  await download.getByRole('button', { name: 'Send request' }).click()
  await expect(download.getByRole('status')).toHaveText(/^200 /)
  const saved = page.waitForEvent('download')
  await download.getByRole('link', { name: 'Download notes.txt' }).click()
  assert.equal((await saved).suggestedFilename(), 'notes.txt')
})

browserTest('the form fits a phone and is accessible', async (fixture) => {
  const page = await fixture.as('owner', PHONE)
  for (const operationId of ['createTask', 'listTasks']) {
    const section = await openForm(page, operationId)
    await section.getByText('You are signed in').waitFor()
    for (const fold of await section.locator('summary').all()) {
      if ((await fold.locator('..').getAttribute('open')) === null) await fold.click()
    }
  }
  const list = page.locator('#op-listTasks .panel')
  await list.getByRole('button', { name: 'Send request' }).click()
  await expect(list.getByRole('status')).toHaveText(/^200 /)
  const width = await page.evaluate(() => document.documentElement.scrollWidth)
  assert.equal(width, PHONE.viewport.width)
  await assertAccessible(page, { within: '.try' })
})
