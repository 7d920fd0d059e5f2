import assert from 'node:assert/strict'
import type { Page } from '@playwright/test'
import { type BrowserFixture, browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { typeInFocusedField } from '../support/keyboard/type-in-focused-field.ts'
import { openList } from '../support/open-list.ts'
import { routeRequests } from '../support/route-requests.ts'
import { seedTasks } from '../support/seed.ts'
import { countStoredMutations } from '../support/stored-mutations.ts'

const BULK = '**/api/v1/tasks/bulk'

interface TaskState {
  priority: string
  version: number
}

const readTasks = (
  { ask }: BrowserFixture,
  tasks: readonly { id: string }[],
): Promise<TaskState[]> =>
  Promise.all(
    tasks.map(async ({ id }) => {
      const { priority, version } = await ask<TaskState>('owner', `GET /api/v1/tasks/${id}`)
      return { priority, version }
    }),
  )

/** Gives all tasks of the list a high priority, in the end offline. */
async function prioritizeAll(page: Page, { isOffline = false } = {}): Promise<void> {
  await page.keyboard.press('j')
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.press('p')
  await page.getByRole('dialog').waitFor()
  await typeInFocusedField(page, 'High')
  if (isOffline) await page.context().setOffline(true)
  await page.keyboard.press('Enter')
}

browserTest(
  'finishes a change of many tasks after a reload, once for each task',
  async (fixture) => {
    const tasks = await seedTasks(fixture, 130, (n) => ({ title: `Task ${n + 1}`, status: 'todo' }))
    const page = await openList(fixture, 'Task 1')
    const heldKeys: (string | undefined)[] = []
    // The server applies the first request, but its reply is lost; the second is not sent on.
    await routeRequests(page, BULK, async (route) => {
      heldKeys.push(route.request().headers()['idempotency-key'])
      if (heldKeys.length === 1) await route.fetch()
    })
    await prioritizeAll(page)
    await expect(page.getByText('Set priority of 130 tasks to High')).toBeVisible()
    await expect.poll(async () => (await readTasks(fixture, tasks))[0]?.priority).toBe('high')
    assert.equal(await countStoredMutations(page), 2)
    await page.unroute(BULK)
    await page.reload()
    await expect.poll(() => countStoredMutations(page)).toBe(0)
    const changed = Array.from({ length: 130 }, () => ({ priority: 'high', version: 2 }))
    assert.deepEqual(await readTasks(fixture, tasks), changed)
    await expect(page.getByText(/not changed/)).toHaveCount(0)
  },
)

browserTest(
  'a change of many tasks that was made offline leaves what others have changed since',
  async (fixture) => {
    const { ask, team } = fixture
    const tasks = await seedTasks(fixture, 3, (n) => ({ title: `Task ${n + 1}`, status: 'todo' }))
    const page = await openList(fixture, 'Task 1')
    await prioritizeAll(page, { isOffline: true })
    await expect.poll(() => countStoredMutations(page)).toBe(1)
    // As a page is closed, the browser ends the emulated outage before the page.
    await page.goto('about:blank')
    await ask('owner', `PATCH /api/v1/tasks/${tasks[0]?.id}`, { priority: 'low' })
    await ask('owner', `PATCH /api/v1/tasks/${tasks[1]?.id}`, { title: 'Another title' })
    await page.context().setOffline(false)
    await page.goto(`/w/${team.workspace}/p/ENG`)
    const message = '1 task was not changed: ENG-1. Someone else changed this in the meantime.'
    await expect(page.getByText(message)).toBeVisible()
    assert.deepEqual(await readTasks(fixture, tasks), [
      { priority: 'low', version: 2 },
      { priority: 'high', version: 3 },
      { priority: 'high', version: 2 },
    ])
    await expect(page.getByText('Another title', { exact: true })).toBeVisible()
    assert.equal(await countStoredMutations(page), 0)
  },
)

browserTest('a refused text does not hold up a change of many tasks', async (fixture) => {
  const { allow } = fixture
  allow(422)
  const tasks = await seedTasks(fixture, 2, (n) => ({ title: `Task ${n + 1}`, status: 'todo' }))
  const page = await openList(fixture, 'Task 1')
  // A newer server may refuse what this page allows.
  await routeRequests(page, '**/api/v1/tasks/*', (route) => {
    if (route.request().method() !== 'PATCH') return route.fallback()
    const error = { code: 'validation_error', message: 'The title is refused.', details: [] }
    return route.fulfill({ status: 422, json: { error: { ...error, request_id: 'req_1' } } })
  })
  await page.getByRole('row', { name: /Task 1/ }).press('e')
  await page.getByRole('textbox', { name: 'Title' }).fill('Refused')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Copy text' })).toBeVisible()
  await prioritizeAll(page)
  const changed = { priority: 'high', version: 2 }
  await expect.poll(() => readTasks(fixture, tasks)).toEqual([changed, changed])
  await expect(page.getByRole('button', { name: 'Copy text' })).toBeVisible()
})

browserTest('an undo of a deletion of many tasks outlives its page', async (fixture) => {
  const { ask, team } = fixture
  await seedTasks(fixture, 3, (n) => ({ title: `Task ${n + 1}`, status: 'todo' }))
  const countTasks = async () => {
    const path = `GET /api/v1/projects/${team.project}/tasks`
    return (await ask<{ data: unknown[] }>('owner', path)).data.length
  }
  const page = await openList(fixture, 'Task 1')
  await page.keyboard.press('j')
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.press('#')
  await expect.poll(countTasks).toBe(0)
  await routeRequests(page, BULK, () => undefined)
  await page.keyboard.press('ControlOrMeta+z')
  await expect.poll(() => countStoredMutations(page)).toBe(1)
  await page.unroute(BULK)
  await page.reload()
  await expect(page.getByText('Task 3', { exact: true })).toBeVisible()
  await expect.poll(countTasks).toBe(3)
})
