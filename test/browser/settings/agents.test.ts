import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { assertAccessible, OPEN_DIALOG } from '../support/accessibility.ts'
import { type BrowserFixture, browserTest, expect } from '../support/browser-test.ts'
import { createAppGrant, createThirdPartyApp } from '../support/oauth/third-party-app.ts'
import { closeCopiedSecret } from '../support/page-actions.ts'
import { seedTasks } from '../support/seed.ts'

const KEY = 'Night agent'
const CLIPBOARD = { permissions: ['clipboard-read', 'clipboard-write'] }

/** Creates an API key of the owner that may do everything, and returns how it sends requests. */
async function createAgent(page: Page, { docket }: Pick<BrowserFixture, 'docket'>) {
  await page.getByRole('button', { name: 'New API key' }).click()
  await page.getByLabel('Name').fill(KEY)
  await page.getByLabel('All actions you are allowed').check()
  await page.getByLabel('deletes something').check()
  const creating = page.waitForResponse((response) => response.request().method() === 'POST')
  await page.getByRole('button', { name: 'Create API key' }).click()
  const { api_key } = (await (await creating).json()) as { api_key: string }
  await page.getByRole('button', { name: 'Copy API key' }).click()
  await closeCopiedSecret(page)
  return async (method: string, path: string, body?: object) => {
    const reply = await fetch(`${docket.url}/api/v1/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${api_key}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await reply.text()
    const json = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>)
    return { status: reply.status, id: String(json.id), json }
  }
}

const credentialOf = (page: Page, name = KEY) =>
  page
    .getByRole('region', { name: 'Credentials that act for programs' })
    .getByRole('listitem')
    .filter({ hasText: name })

browserTest('a person decides on what a supervised key deletes', async (fixture) => {
  const { openAs, ask, team, list } = fixture
  const [task, other] = await seedTasks(fixture, 2, (n) => ({ title: `Errand ${n + 1}` }))
  const page = await openAs('owner', 'settings/api', CLIPBOARD)
  const send = await createAgent(page, fixture)
  const assertTitles = async (...titles: string[]) => {
    const tasks = await list<{ title: string }>('GET /api/v1/tasks')
    assert.deepEqual(tasks.map(({ title }) => title).toSorted(), titles)
  }

  const waiting = await send('DELETE', `tasks/${task?.id}`)
  assert.equal(waiting.status, 202)
  const navigation = page.getByRole('navigation', { name: 'Main', exact: true })
  await page.getByRole('link', { name: 'Back to work' }).click()
  await navigation.getByRole('link', { name: /^Inbox/ }).click()
  await page.getByRole('link', { name: `1 change by ${KEY}` }).click()
  await expect(page.getByRole('heading', { name: `${KEY} asks for your approval` })).toBeVisible()
  await expect(page.getByText('It deletes something.')).toBeVisible()
  const outcome = page.getByRole('region', { name: 'What it would do' })
  await expect(outcome).toContainText('Task deleted')
  await expect(outcome).toContainText('Errand 1')
  await assertAccessible(page)
  await assertTitles('Errand 1', 'Errand 2')

  // The task changes after the person has looked at it: nothing is done before they look again.
  await ask('admin', `PATCH /api/v1/tasks/${task?.id}`, { title: 'Errand that matters' })
  fixture.allow(409)
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
  await expect(page.getByText(/Nothing was done: some of it has changed since/)).toBeVisible()
  await expect(outcome.getByRole('listitem')).toContainText('different now')
  await expect(outcome).toContainText('Errand that matters')
  await assertTitles('Errand 2', 'Errand that matters')
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
  await expect(page.getByRole('main').getByText(/Allowed by The owner/)).toBeVisible()
  await expect(page.getByRole('button', { name: 'Refuse' })).toBeHidden()
  const done = await send('GET', `operations/${waiting.id}`)
  assert.deepEqual([done.json.status, done.json.reply], ['done', { status: 204, body: null }])
  await expect(navigation.getByRole('link', { name: /^Inbox/ })).toHaveText('Inbox')

  const refused = await send('DELETE', `tasks/${other?.id}`)
  await page.goto(`/w/${team.workspace}/settings/agents`)
  const requests = page.getByRole('region', { name: 'Waiting for you' })
  await requests.getByRole('link').click()
  await page.getByRole('button', { name: 'Refuse' }).click()
  await expect(page.getByRole('main').getByText(/Refused by The owner/)).toBeVisible()
  assert.equal((await send('GET', `operations/${refused.id}`)).json.status, 'refused')
  await assertTitles('Errand 2')
})

browserTest(
  'the owner of a key changes its request before allowing it, on a phone',
  async (fixture) => {
    const { openAs, team } = fixture
    const [task] = await seedTasks(fixture, 1, () => ({ title: 'Errand' }))
    const page = await openAs('owner', 'settings/api', CLIPBOARD)
    const send = await createAgent(page, fixture)
    const operation = (data: object) => ({ op: 'update', id: task?.id, data })
    const waiting = await send('POST', 'tasks/bulk', {
      operations: [{ op: 'delete', id: task?.id }, operation({ priority: 'low' })].toReversed(),
    })
    assert.equal(waiting.status, 202)
    const phone = await openAs('owner', `approvals/${waiting.id}`, {
      viewport: { width: 360, height: 740 },
    })
    const outcome = phone.getByRole('region', { name: 'What it would do' })
    await expect(outcome.getByRole('listitem')).toHaveCount(2)
    await phone.getByRole('button', { name: 'Change request' }).click()
    const form = phone.getByRole('dialog', { name: 'Change the request' })
    await form.getByLabel('Body').fill('{')
    await expect(form.getByRole('button', { name: 'Save and preview' })).toHaveAttribute(
      'aria-disabled',
      'true',
    )
    await assertAccessible(phone, { within: OPEN_DIALOG })
    const changed = { operations: [operation({ title: 'Errand, done differently' })] }
    await form.getByLabel('Body').fill(JSON.stringify(changed))
    await form.getByRole('button', { name: 'Save and preview' }).click()
    await expect(outcome.getByRole('listitem')).toHaveCount(1)
    await expect(outcome).toContainText('Errand, done differently')
    await assertAccessible(phone)
    await phone.getByRole('button', { name: 'Allow for an hour' }).click()
    await expect(phone.getByRole('main').getByText(/Allowed by The owner/)).toBeVisible()
    // Within that hour nobody is asked.
    assert.equal((await send('DELETE', `tasks/${task?.id}`)).status, 204)
    await phone.goto(`/w/${team.workspace}/settings/agents`)
    await expect(credentialOf(phone)).toContainText('Allowed everything until')
    await expect(phone.getByText('No requests wait for your approval.')).toBeVisible()
  },
)

browserTest('stops a key at once, and takes back what it did', async (fixture) => {
  const { openAs, ask, team, list } = fixture
  const [first, second] = await seedTasks(fixture, 2, (n) => ({ title: `Errand ${n + 1}` }))
  const page = await openAs('owner', 'settings/api', CLIPBOARD)
  const send = await createAgent(page, fixture)
  await send('PATCH', `tasks/${first?.id}`, { title: 'Changed by the agent' })
  await send('PATCH', `tasks/${second?.id}`, { title: 'Changed, too' })
  await send('POST', 'tasks', { project_id: team.project, title: 'Made by the agent' })
  await ask('admin', `PATCH /api/v1/tasks/${second?.id}`, { title: 'Changed by a person' })
  const app = await createThirdPartyApp(fixture)
  await createAppGrant(fixture, 'owner', app.id)

  await page.getByRole('link', { name: 'Agents' }).click()
  await page.getByRole('button', { name: 'Copy address' }).click()
  const clipboard = await page.evaluate(() => navigator.clipboard.readText())
  assert.equal(clipboard, `${fixture.docket.url}/mcp`)
  await expect(credentialOf(page)).toContainText('Asks before it deletes something')
  await expect(credentialOf(page, 'Standup Notes')).toContainText('Not supervised')
  await assertAccessible(page)

  await page.getByRole('button', { name: `Stop ${KEY}` }).click()
  await expect(page.getByRole('button', { name: `Resume ${KEY}` })).toBeVisible()
  const paused = await send('GET', 'me')
  assert.deepEqual(
    [paused.status, (paused.json.error as { code: string }).code],
    [403, 'credential_paused'],
  )

  await page.getByRole('button', { name: `Undo what ${KEY} did` }).click()
  const dialog = page.getByRole('dialog', { name: `Undo what ${KEY} did` })
  await expect(dialog).toContainText('Takes back changes to 2 records.')
  await expect(dialog).toContainText('Task Made by the agent')
  await expect(dialog).toContainText('Leaves 1 as they are:')
  await expect(dialog).toContainText('changed by somebody since')
  await dialog.getByLabel('Since').selectOption('A time')
  await expect(dialog.getByLabel('Date')).toBeVisible()
  await assertAccessible(page, { within: OPEN_DIALOG })
  await dialog.getByLabel('Since').selectOption('One hour ago')
  await dialog.getByRole('button', { name: 'Undo', exact: true }).click()
  await expect(dialog).toContainText('Took back changes to 2 records, and left 1 as they are')
  await dialog.getByRole('button', { name: 'Done' }).click()
  const titles = (await list<{ title: string }>('GET /api/v1/tasks')).map(({ title }) => title)
  assert.deepEqual(titles.toSorted(), ['Changed by a person', 'Errand 1'])

  await page.getByRole('button', { name: `Resume ${KEY}` }).click()
  await expect(page.getByRole('button', { name: `Stop ${KEY}` })).toBeVisible()
  assert.equal((await send('GET', 'me')).status, 200)

  // Supervision is changed in a dialog; without a choice there is none.
  await page.getByRole('button', { name: `Supervise ${KEY}` }).click()
  const supervising = page.getByRole('dialog', { name: `Supervise ${KEY}` })
  await supervising.getByLabel('deletes something').uncheck()
  await supervising.getByLabel('Records a request').fill('5')
  await assertAccessible(page, { within: OPEN_DIALOG })
  await supervising.getByRole('button', { name: 'Save' }).click()
  await expect(credentialOf(page)).toContainText(
    'Asks before it changes more than 5 records in a request',
  )
})

browserTest('takes back more than one request undoes', async (fixture) => {
  const { openAs, team, list } = fixture
  const page = await openAs('owner', 'settings/api', CLIPBOARD)
  const send = await createAgent(page, fixture)
  for (let n = 1; n <= 101; n += 1)
    assert.equal(
      (await send('POST', 'tasks', { project_id: team.project, title: `Noise ${n}` })).status,
      201,
    )
  await page.getByRole('link', { name: 'Agents' }).click()
  await page.getByRole('button', { name: `Undo what ${KEY} did` }).click()
  const dialog = page.getByRole('dialog', { name: `Undo what ${KEY} did` })
  await expect(dialog).toContainText('Takes back changes to 100 records.')
  await expect(dialog).toContainText('Task Noise 101')
  await expect(dialog).toContainText('and 92 more')
  await expect(dialog).toContainText('Undoing goes on with the earlier ones.')
  await dialog.getByRole('button', { name: 'Undo', exact: true }).click()
  await expect(page.getByText('Took back changes to 101 records')).toBeVisible()
  await expect(dialog).toBeHidden()
  assert.deepEqual(await list('GET /api/v1/tasks'), [])
})
