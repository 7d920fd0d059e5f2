import assert from 'node:assert/strict'
import { browserTest, expect } from '../support/browser-test.ts'
import { holdUndo, pressUndo } from '../support/page-actions.ts'
import { beforeMidnight, dateFromToday, seedTasks } from '../support/seed.ts'

browserTest('a timer shows in all tabs, and starting another stops the first', async (fixture) => {
  const { openAs, team, ask, list } = fixture
  const [one, two] = await seedTasks(fixture, 2)
  assert.ok(one && two)
  const first = await openAs('member', `t/${one.short_id}`)
  const second = await first.context().newPage()
  await second.goto(`/w/${team.workspace}/t/${two.short_id}`)
  await second.getByRole('heading', { level: 1, name: two.title }).waitFor()

  const properties = (page: typeof first) => page.locator('.props')
  await properties(first).getByRole('button', { name: 'Start timer' }).click()
  await expect(properties(first).getByRole('button', { name: 'Stop timer' })).toBeVisible()
  await expect(first.locator('.props').getByText(/^0:\d\d:(?!00)\d\d$/)).toBeVisible()

  // The message names the other timer only if this tab knows of it.
  await expect(second.getByRole('region', { name: 'Running timer' })).toContainText(one.short_id)
  await properties(second).getByRole('button', { name: 'Start timer' }).click()
  const message = `Timer started on ${two.short_id}. The timer on ${one.short_id} was stopped`
  await expect(second.getByText(message)).toBeVisible()
  await expect(properties(second).getByRole('button', { name: 'Stop timer' })).toBeVisible()
  await expect(properties(first).getByRole('button', { name: 'Start timer' })).toBeVisible()

  await second.keyboard.press('Shift+S')
  await expect(second.getByText(`Timer on ${two.short_id} stopped after`)).toBeVisible()
  const entries = async (id: string) =>
    await list<{ is_running: boolean }>(`GET /api/v1/tasks/${id}/time-entries`)
  for (const { id } of [one, two]) {
    await expect
      .poll(async () => (await entries(id)).map(({ is_running }) => is_running))
      .toEqual([false])
  }

  // Over midnight it goes on, and counts for the day on which it began; the server takes 24 hours.
  const yesterday = beforeMidnight() - DAY_MS
  const start = Math.max(yesterday, Date.now() - DAY_MS + 600_000)
  const path = `/api/v1/tasks/${one.id}/time-entries`
  const started_at = new Date(start).toISOString()
  await ask('member', `POST ${path}`, { started_at })
  const slip = second.getByRole('region', { name: 'Running timer' })
  await expect(slip).toContainText(/\d+:\d\d:\d\d/)
  await properties(first).getByRole('button', { name: 'Stop timer' }).click()
  await expect(slip).toHaveCount(0)
  const spent_on = dateFromToday(start === yesterday ? -1 : 0)
  const read = () => ask<{ data: object[] }>('owner', `GET ${path}`)
  await expect
    .poll(async () => (await read()).data)
    .toContainEqual(expect.objectContaining({ started_at, spent_on, is_running: false }))
})

const DAY_MS = 86_400_000

browserTest('logs time from words, edits the entry, and undoes its deletion', async (fixture) => {
  const { openAs, ask, allow } = fixture
  allow(412)
  const [task] = await seedTasks(fixture, 1, () => ({ title: 'One', estimate_seconds: 7_200 }))
  const path = `/api/v1/tasks/${task?.id}/time-entries`
  const spent = { duration_seconds: 3_725, spent_on: '2026-03-12' }
  const note = 'Call with Mei\nand notes'
  const { id } = await ask<{ id: string }>('member', `POST ${path}`, { ...spent, note })
  const read = () => ask('member', `GET /api/v1/time-entries/${id}`)
  const page = await openAs('member', `t/${task?.short_id}`)
  const logged = page.getByRole('textbox', { name: 'Log time' })
  for (const [words, fault] of [
    ['soon', '1h 30m yesterday'],
    ['25h', 'at most 24 hours'],
  ] as const) {
    await logged.fill(words)
    await logged.press('Enter')
    await expect(page.getByRole('alert')).toContainText(fault)
  }
  await logged.fill('1h 30m yesterday review')
  await logged.press('Enter')
  await expect(logged).toHaveValue('')
  await expect(page.getByRole('listitem').filter({ hasText: 'review' })).toContainText('1h 30m')
  await expect(page.locator('.props').getByText('32m over')).toBeVisible()

  // Only what is changed in an entry is sent: neither its seconds nor its lines are lost.
  const edit = page.getByRole('button', { name: /^Edit 1h 2m/ })
  const field = page.getByRole('textbox', { name: /^Edit 1h 2m/ })
  await edit.click()
  await expect(field).toHaveValue('1h 2m 2026-03-12 Call with Mei and notes')
  await page.getByRole('form', { name: /^Edit/ }).getByLabel('Billable').check()
  await field.press('Enter')
  await expect.poll(read).toMatchObject({ ...spent, note, billable: true })

  // What is typed outlives Escape, Cancel and a reload, and replaces no later note unasked.
  const typed = '1h 2m 2026-03-12 Call with everybody'
  await edit.click()
  await field.fill(typed)
  await field.press('Escape')
  await expect(edit).toBeFocused()
  await edit.click()
  await expect(field).toHaveValue(typed)
  await page.getByRole('button', { name: 'Cancel' }).click()
  await holdUndo(page)
  await pressUndo(page)
  await edit.click()
  await expect(field).toHaveValue(typed)
  await page.reload()
  await ask('member', `PATCH /api/v1/time-entries/${id}`, { note: 'Call with Ada' })
  await expect(page.getByText('Call with Ada', { exact: true })).toBeVisible()
  await edit.click()
  await expect(field).toHaveValue(typed)
  await field.press('Enter')
  const retry = page.getByRole('button', { name: 'Retry' })
  await retry.waitFor()
  expect(await read()).toMatchObject({ note: 'Call with Ada' })
  await retry.click()
  await expect.poll(read).toMatchObject({ ...spent, note: 'Call with everybody' })

  const remove = page.getByRole('button', { name: /^Delete 1h 30m/ })
  await remove.click()
  await expect(remove).toBeHidden()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(remove).toBeVisible()
  const { time_spent_seconds } = await ask('owner', `GET /api/v1/tasks/${task?.id}`)
  assert.equal(time_spent_seconds, 5_400 + 3_725)
})
