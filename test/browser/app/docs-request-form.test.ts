import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { assertAccessible } from '../support/accessibility.ts'
import { type BrowserFixture, browserTest, expect } from '../support/browser-test.ts'
import { openOnlyOperations } from '../support/reference-sections.ts'

const PHONE = { viewport: { width: 360, height: 740 } }

/** The operations of these tests. */
const OPERATIONS = [
  'createTask',
  'updateTask',
  'deleteTask',
  'listTasks',
  'getMe',
  'uploadAttachment',
  'downloadAttachment',
]

/** Opens the form of an operation and returns what is below its button. */
async function openForm(page: Page, operationId: string) {
  await openOnlyOperations(page, OPERATIONS)
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
  const page = await fixture.as('owner', PHONE)
  const section = await openForm(page, 'listTasks')
  await section.getByText('You are signed in as The owner, in the workspace').waitFor()
  for (const fold of await section.locator('summary').all()) {
    if ((await fold.locator('..').getAttribute('open')) === null) await fold.click()
  }
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
  const width = await page.evaluate(() => document.documentElement.scrollWidth)
  assert.equal(width, PHONE.viewport.width)
  await assertAccessible(page, { within: '.try' })
})

browserTest('sends a confirmed write, and a dry run changes nothing', async (fixture) => {
  const page = await fixture.as('owner')
  const writes = recordWrites(page)
  const section = await openForm(page, 'createTask')
  await section.getByLabel('Body').fill(bodyOf(fixture, 'Tried'))
  const send = section.getByRole('button', { name: 'Send request…' })
  const dialog = page.getByRole('dialog', { name: 'Change data?' })
  await send.click()
  await dialog.getByText(/^This changes data in the workspace .+\.$/).waitFor()
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await assertAccessible(page, { within: 'dialog[open]' })
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  assert.deepEqual(writes, [])

  await send.press('Enter')
  await dialog.getByRole('button', { name: 'Send as a dry run' }).click()
  await expect(section.getByRole('status')).toHaveText(/dry run: nothing was changed$/)
  await section.getByText('"title": "Tried"').waitFor()
  assert.deepEqual(await titlesOf(fixture), [])
  await send.press('Enter')
  await dialog.getByRole('button', { name: 'Send request' }).press('Enter')
  await expect(section.getByRole('status')).toHaveText(/^201 Created · \d+ ms$/)
  await section.getByText('X-Operation-Id').waitFor()
  assert.deepEqual(writes, ['POST /api/v1/tasks?dry_run=true', 'POST /api/v1/tasks'])
  assert.deepEqual(await titlesOf(fixture), ['Tried'])

  // The example of a read or a change names a record of the workspace, that of a deletion none.
  const change = await openForm(page, 'updateTask')
  await expect(change.getByLabel('id required')).toHaveValue('ENG-1')
  const removal = await openForm(page, 'deleteTask')
  await removal.getByText('You are signed in').waitFor()
  await expect(removal.getByLabel('id required')).toHaveValue('')
})

browserTest('shows errors in words, and sends nothing without a session', async (fixture) => {
  const { allow, team } = fixture
  allow(401, 422, /net::ERR_FAILED/)
  const page = await fixture.as('owner')
  const section = await openForm(page, 'createTask')
  const body = section.getByRole('textbox', { name: 'Body' })
  const send = section.getByRole('button', { name: 'Send request…' })
  await body.fill('{"title": }')
  await send.click()
  await section.getByText('The body is not valid JSON').waitFor()
  await expect(body).toBeFocused()
  await body.fill(JSON.stringify({ project_id: team.project, title: '', color: 1 }))
  await send.click()
  const confirm = page.getByRole('dialog').getByRole('button', { name: 'Send request' })
  await confirm.click()
  await expect(section.getByRole('status')).toHaveText(/^422 /)
  await section.getByRole('listitem').filter({ hasText: 'title must not be empty' }).waitFor()
  const link = section.getByRole('link', { name: 'validation_failed' })
  await expect(link).toHaveAttribute('href', '/docs/errors#validation_failed')

  // The session ends during the question.
  const writes = recordWrites(page)
  await body.fill(bodyOf(fixture, 'Never'))
  await send.click()
  await page.context().clearCookies()
  await confirm.click()
  await section.getByText('Nothing was sent.').waitFor()
  assert.deepEqual(writes, [])
  const read = await openForm(page, 'getMe')
  await read.getByText('You are not signed in.').waitFor()
  await expect(read.getByRole('link', { name: 'Sign in' })).toHaveAttribute('href', '/sign-in')
  await expect(read.getByRole('button', { name: 'Send request' })).toHaveCount(0)
})
