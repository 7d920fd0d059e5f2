import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { assertAccessible } from '../support/accessibility.ts'
import { type BrowserFixture, browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { CONNECTION_ERRORS } from '../support/open-list.ts'
import { blockLiveUpdates } from '../support/reads/hold-reads.ts'
import { refuseRequest, routeRequests } from '../support/route-requests.ts'
import { seedTasks } from '../support/seed.ts'
import { countStoredMutations } from '../support/stored-mutations.ts'

/** The server accepts 65,536 characters. */
const TOO_LONG = `Far too long ${'and longer '.repeat(6_000)}`

async function openTask({ as, team, allow, ...fixture }: BrowserFixture) {
  allow(412, 422, CONNECTION_ERRORS)
  const [task] = await seedTasks({ ...fixture, team }, 1, () => ({
    title: 'One',
    description: 'As it was',
  }))
  assert.ok(task)
  await fixture.ask('member', `POST /api/v1/tasks/${task.id}/comments`, { body: 'First words' })
  const page = await as('member')
  page.on('dialog', (dialog) => dialog.accept())
  await page.goto(`/w/${team.workspace}/t/${task.short_id}`)
  await page.getByText('First words', { exact: true }).waitFor()
  return { page, id: task.id }
}

const refusal = (page: Page) => page.getByRole('button', { name: 'Copy text' })

async function describeTask(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Shift+E')
  const editor = page.getByLabel('Description', { exact: true })
  await editor.fill(text)
  await editor.press('ControlOrMeta+Enter')
  await expect(editor).toBeHidden()
}

async function editComment(page: Page, text: string): Promise<void> {
  await page.getByRole('button', { name: /^More/ }).last().click()
  await page.getByRole('menuitem', { name: 'Edit', exact: true }).click()
  const editor = page.getByLabel('Comment', { exact: true })
  await editor.fill(text)
  await editor.press('ControlOrMeta+Enter')
  await expect(editor).toBeHidden()
}

browserTest('a shorter description replaces the one that was refused', async (fixture) => {
  const { page, id } = await openTask(fixture)
  const readDescription = async () =>
    (await fixture.ask<{ description: string }>('owner', `GET /api/v1/tasks/${id}`)).description
  await describeTask(page, TOO_LONG)
  await expect(refusal(page)).toBeVisible()
  // The refused text is shown until then, also by the next page.
  await page.reload()
  await expect(page.getByText(/Far too long/).first()).toBeVisible()
  await describeTask(page, 'Short enough')
  await expect.poll(readDescription).toBe('Short enough')
  await expect(refusal(page)).toBeHidden()
  await expect(page.getByText('Short enough', { exact: true })).toBeVisible()
  await expect(page.getByText(/Far too long/)).toHaveCount(0)
  await expect.poll(() => countStoredMutations(page)).toBe(0)
})

browserTest('a shorter comment replaces the one that was refused', async (fixture) => {
  const { page } = await openTask(fixture)
  await editComment(page, TOO_LONG)
  await expect(refusal(page)).toBeVisible()
  // A phone shows all that can be done about it, too.
  await page.setViewportSize({ width: 360, height: 740 })
  for (const name of ['Retry', 'Copy text', 'Discard'])
    await expect(page.getByRole('button', { name })).toBeInViewport({ ratio: 1 })
  await page.setViewportSize({ width: 1280, height: 720 })
  await editComment(page, 'Few words')
  await expect(page.getByText('Few words', { exact: true })).toBeVisible()
  await expect(refusal(page)).toBeHidden()
  await expect.poll(() => countStoredMutations(page)).toBe(0)
  await expect(page.getByText(/Far too long/)).toHaveCount(0)
})

browserTest('merges a comment that its author has changed elsewhere meanwhile', async (fixture) => {
  const { page, id } = await openTask(fixture)
  const path = `GET /api/v1/tasks/${id}/comments`
  const readComments = () => fixture.ask<{ data: { id: string; body: string }[] }>('member', path)
  const [comment] = (await readComments()).data
  await page.getByRole('button', { name: /^More/ }).last().click()
  await page.getByRole('menuitem', { name: 'Edit', exact: true }).click()
  const editor = page.getByLabel('Comment', { exact: true })
  await editor.fill('First words\nFrom here')
  // The page hears of it while the person is writing.
  await fixture.ask('member', `PATCH /api/v1/comments/${comment?.id}`, { body: 'From elsewhere' })
  await fixture.ask('owner', `PATCH /api/v1/tasks/${id}`, { title: 'Two' })
  await expect(page.getByRole('heading', { level: 1, name: 'Two' })).toBeVisible()
  await editor.press('ControlOrMeta+Enter')
  const conflict = page.getByRole('alert').filter({ hasText: 'also changed “Comment”' })
  await expect(conflict.getByText('From elsewhere').first()).toBeVisible()
  assert.equal((await readComments()).data[0]?.body, 'From elsewhere')
  await assertAccessible(page)
  // Nothing is sent before one is chosen, also not by the next page.
  await page.reload()
  const merged = conflict.getByRole('textbox')
  await expect(merged).toHaveValue('First words\nFrom here\nFrom elsewhere')
  await merged.fill('From both')
  await conflict.getByRole('button', { name: 'Save merged version' }).click()
  await expect.poll(async () => (await readComments()).data[0]?.body).toBe('From both')
  await expect(conflict).toBeHidden()
  await expect(refusal(page)).toBeHidden()
  await expect.poll(() => countStoredMutations(page)).toBe(0)
})

browserTest(
  'asks which description to keep if it was changed below a refused one',
  async (fixture) => {
    const { page, id } = await openTask(fixture)
    await describeTask(page, TOO_LONG)
    await expect(refusal(page)).toBeVisible()
    await fixture.ask('owner', `PATCH /api/v1/tasks/${id}`, { description: 'Of a colleague' })
    await fixture.ask('owner', `PATCH /api/v1/tasks/${id}`, { title: 'Two' })
    // What the colleague changes is shown, with the refused text on top.
    await expect(page.getByRole('heading', { level: 1, name: 'Two' })).toBeVisible()
    await describeTask(page, 'Short enough')
    await expect(page.getByText('Of a colleague').first()).toBeVisible()
    const { description } = await fixture.ask('owner', `GET /api/v1/tasks/${id}`)
    assert.equal(description, 'Of a colleague')
  },
)

browserTest('keeps the text of a refused comment over a reload', async (fixture) => {
  const { as, ask, team, allow } = fixture
  allow(403, 404, CONNECTION_ERRORS)
  const [task] = await seedTasks(fixture, 2, (n) => ({ title: n === 0 ? 'First' : 'Other' }))
  assert.ok(task)
  const page = await as('member')
  // The page does not learn that the task is deleted.
  await blockLiveUpdates(page)
  await page.goto(`/w/${team.workspace}/t/${task.short_id}`)
  await page.getByRole('button', { name: 'Add a comment. Use @ to mention someone' }).click()
  await ask('owner', `DELETE /api/v1/tasks/${task.id}`)
  await page.getByLabel('Comment', { exact: true }).fill('A long thought')
  await page.keyboard.press('ControlOrMeta+Enter')
  const copy = page.getByRole('button', { name: 'Copy text' })
  await expect(copy).toBeVisible()
  page.on('dialog', (dialog) => dialog.accept())
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await page.getByText('Other', { exact: true }).waitFor()
  await expect(copy).toBeVisible()
  await page.getByRole('button', { name: 'Discard' }).click()
  await expect(copy).toBeHidden()
  await expect.poll(() => countStoredMutations(page)).toBe(0)
})

browserTest('keeps the refused text of a custom field until it is replaced', async (fixture) => {
  const { ask } = fixture
  const { page, id } = await openTask(fixture)
  const path = `/api/v1/tasks/${id}`
  const fields = { place: 'Here', shops: ['One', 'Two'] }
  await ask('owner', `PATCH ${path}`, { custom_fields: fields })
  const readFields = async () =>
    (await ask<{ custom_fields: object }>('owner', `GET ${path}`)).custom_fields
  const setField = async (name: string, value: string) => {
    await page.getByRole('button', { name: new RegExp(`^${name}: .*Change$`) }).click()
    await page.getByRole('textbox', { name: new RegExp(`^${name}: `) }).fill(value)
    await page.keyboard.press('Enter')
  }
  await setField('place', TOO_LONG)
  await expect(refusal(page)).toBeVisible()
  // A new value of another field does not replace it.
  await setField('shops', 'One, Three')
  await expect.poll(readFields).toEqual({ ...fields, shops: ['One', 'Three'] })
  await page.reload()
  await expect(refusal(page)).toBeVisible()
  await setField('place', 'There')
  await expect.poll(readFields).toEqual({ place: 'There', shops: ['One', 'Three'] })
  await expect(refusal(page)).toBeHidden()
  await expect.poll(() => countStoredMutations(page)).toBe(0)

  await setField('shops', TOO_LONG)
  await expect(refusal(page)).toBeVisible()
})

browserTest('what the server refuses is not said to be done', async (fixture) => {
  const { page } = await openTask(fixture)
  fixture.allow(403)
  await routeRequests(page, '**/api/v1/tasks/**', (route) =>
    route.request().method() === 'GET' ? route.fallback() : refuseRequest(route),
  )
  await page.getByRole('button', { name: /^Complete/ }).click()
  const messages = page.getByRole('region', { name: 'Messages' })
  await expect(messages.getByText('ENG-1 was not changed: Not now.')).toBeVisible()
  await expect(messages.getByRole('button', { name: 'Undo' })).toHaveCount(0)
  await expect(messages.getByRole('listitem')).toHaveCount(1)
})
