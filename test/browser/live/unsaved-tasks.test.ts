import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { type BrowserFixture, browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { holdUndo } from '../support/keyboard/press-undo.ts'
import { openList } from '../support/open-list.ts'
import { routeRequests } from '../support/route-requests.ts'
import { seedTasks } from '../support/seed.ts'
import { countStoredMutations } from '../support/stored-mutations.ts'

interface OrderedTask {
  id: string
  title: string
  parent_id: string | null
}

/** The tasks of the project in the order of the list. */
const readTasks = async ({ ask, team }: BrowserFixture): Promise<OrderedTask[]> => {
  const address = `GET /api/v1/projects/${team.project}/tasks?sort=position`
  return (await ask<{ data: OrderedTask[] }>('owner', address)).data
}

const readTitles = async (fixture: BrowserFixture) =>
  (await readTasks(fixture)).map(({ title }) => title)

const rowOf = (page: Page, title: string) => page.getByRole('row', { name: new RegExp(title) })

async function typeTask(page: Page, title: string): Promise<void> {
  const field = page.getByRole('combobox', { name: /new task|subtask/i })
  await field.fill(title)
  await field.press('Enter')
  await rowOf(page, title).waitFor()
}

/** A list with two tasks and, without a network, an unsaved one below them. */
async function openListWithUnsavedTask(fixture: BrowserFixture): Promise<Page> {
  await seedTasks(fixture, 2, (n) => ({ title: n === 0 ? 'First' : 'Second' }))
  const page = await openList(fixture, 'First')
  // By then the field and all that sends writes are loaded.
  await page.keyboard.press('n')
  await typeTask(page, 'Third')
  await expect.poll(() => countStoredMutations(page)).toBe(0)
  await page.context().setOffline(true)
  await expect(page.getByText('You are offline')).toBeVisible()
  await typeTask(page, 'Unsaved')
  await page.keyboard.press('Escape')
  return page
}

async function goOnline(page: Page): Promise<void> {
  await page.context().setOffline(false)
  await expect.poll(() => countStoredMutations(page)).toBe(0)
}

browserTest('creates subtasks of a task that was not saved yet', async (fixture) => {
  const page = await openListWithUnsavedTask(fixture)
  await rowOf(page, 'Unsaved').press('Shift+C')
  await typeTask(page, 'Below it')
  await goOnline(page)
  // The field still shows the placeholder as the parent.
  await typeTask(page, 'Below the saved one')
  await expect.poll(() => countStoredMutations(page)).toBe(0)
  const tasks = await readTasks(fixture)
  const parent = tasks.find(({ title }) => title === 'Unsaved')
  assert.ok(parent)
  const children = tasks.filter(({ parent_id }) => parent_id === parent.id)
  assert.deepEqual(
    children.map(({ title }) => title),
    ['Below it', 'Below the saved one'],
  )
  await expect(page.getByText('Not saved')).toBeHidden()
})

browserTest('moves tasks beside a task that was not saved yet, and back', async (fixture) => {
  const page = await openListWithUnsavedTask(fixture)
  await rowOf(page, 'Third').press('Alt+ArrowDown')
  await expect(rowOf(page, 'Third').locator('xpath=preceding-sibling::*[1]')).toContainText(
    'Unsaved',
  )
  await holdUndo(page)
  await goOnline(page)
  assert.deepEqual(await readTitles(fixture), ['First', 'Second', 'Unsaved', 'Third'])
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => readTitles(fixture)).toEqual(['First', 'Second', 'Third', 'Unsaved'])
})

browserTest(
  'renames a task that is created while its new title is being typed',
  async (fixture) => {
    const page = await openListWithUnsavedTask(fixture)
    await rowOf(page, 'Unsaved').press('e')
    await page.getByRole('textbox', { name: /^Title/ }).fill('Renamed')
    await page.context().setOffline(false)
    await expect.poll(() => readTitles(fixture)).toEqual(['First', 'Second', 'Third', 'Renamed'])
    await expect(rowOf(page, 'Renamed')).toContainText('ENG-4')
    // The server refuses a request for several tasks if one of the ids is not one of its own.
    const [first] = await readTasks(fixture)
    await fixture.ask('owner', `PATCH /api/v1/tasks/${first?.id}`, { title: 'Changed by others' })
    await expect(rowOf(page, 'Changed by others')).toBeVisible()
  },
)

browserTest('times a task that was not saved yet, and no other', async (fixture) => {
  const { ask, as, docket } = fixture
  const reply = await (await as('owner')).request.post('/internal/projects', {
    headers: { origin: docket.url },
    data: { name: 'News', prefix: 'NEW' },
  })
  const { id: project_id }: { id: string } = await reply.json()
  await ask('owner', 'POST /api/v1/tasks', { project_id, title: 'Another' })
  // Its short id is that under which a page shows the second task that it adds.
  const other = await ask<{ id: string; short_id: string }>('owner', 'POST /api/v1/tasks', {
    project_id,
    title: 'Yet another',
  })
  assert.equal(other.short_id, 'NEW-2')
  const page = await openListWithUnsavedTask(fixture)
  await rowOf(page, 'Unsaved').press('Shift+S')
  await expect(page.getByText(/^Timer started/)).toBeVisible()
  await goOnline(page)
  const countTimers = async (id: string | undefined) =>
    (await ask<{ data: unknown[] }>('owner', `GET /api/v1/tasks/${id}/time-entries?running=true`))
      .data.length
  const saved = (await readTasks(fixture)).find(({ title }) => title === 'Unsaved')
  assert.deepEqual([await countTimers(saved?.id), await countTimers(other.id)], [1, 0])
  // The page knows by now which task is timed.
  await rowOf(page, 'Unsaved').press('Shift+S')
  await expect(page.getByText(/^Timer on .* stopped/)).toBeVisible()
  await expect.poll(() => countTimers(saved?.id)).toBe(0)
})

browserTest('opens no task that is not saved yet', async (fixture) => {
  const page = await openListWithUnsavedTask(fixture)
  const row = rowOf(page, 'Unsaved')
  await row.getByText('Unsaved', { exact: true }).click()
  await row.press('Enter')
  await row.press(' ')
  await expect(row).toBeFocused()
  assert.ok(!page.url().includes('task='), page.url())
  await goOnline(page)
  await rowOf(page, 'Unsaved').press('Enter')
  await expect(page).toHaveURL(/task=ENG-4/)
})

browserTest('keeps apart the unsaved tasks of a page and of the one before it', async (fixture) => {
  await seedTasks(fixture, 1, () => ({ title: 'Saved' }))
  const page = await openList(fixture, 'Saved')
  let isHolding = true
  // Requests stay pending until the page is left.
  await routeRequests(page, '**/api/v1/tasks', (route) =>
    isHolding && route.request().method() === 'POST' ? undefined : route.fallback(),
  )
  await page.keyboard.press('n')
  await typeTask(page, 'Of the first page')
  await expect.poll(() => countStoredMutations(page)).toBe(1)
  await page.reload()
  await rowOf(page, 'Of the first page').waitFor()
  await page.keyboard.press('n')
  await typeTask(page, 'Of the second page')
  await expect(rowOf(page, 'Of the first page')).toBeVisible()
  await page.keyboard.press('Escape')
  await rowOf(page, 'Of the second page').press('e')
  await page.getByRole('textbox', { name: 'Title' }).fill('Renamed')
  await page.keyboard.press('Enter')
  await expect.poll(() => countStoredMutations(page)).toBe(3)
  isHolding = false
  await page.reload()
  await expect.poll(() => countStoredMutations(page)).toBe(0)
  assert.deepEqual(await readTitles(fixture), ['Saved', 'Of the first page', 'Renamed'])
})
