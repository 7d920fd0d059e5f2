import assert from 'node:assert/strict'
import { browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { holdUndo, pressUndo } from '../support/keyboard/press-undo.ts'
import { openScreen } from '../support/open-screen.ts'
import { routeRequests } from '../support/route-requests.ts'
import { seedTasks } from '../support/seed.ts'

browserTest('a timer shows in all tabs, and starting another stops the first', async (fixture) => {
  const { as, team, ask } = fixture
  const [one, two] = await seedTasks(fixture, 2)
  assert.ok(one && two)
  const first = await as('member')
  await first.goto(`/w/${team.workspace}/t/${one.short_id}`)
  const second = await first.context().newPage()
  await second.goto(`/w/${team.workspace}/t/${two.short_id}`)
  await second.getByRole('heading', { level: 1, name: two.title }).waitFor()

  const head = (page: typeof first) => page.locator('.task-head')
  await head(first).getByRole('button', { name: 'Start timer' }).click()
  await expect(head(first).getByRole('button', { name: 'Stop timer' })).toBeVisible()
  await expect(first.locator('.props').getByText(/^0:\d\d:(?!00)\d\d$/)).toBeVisible()

  // The message names the other timer only if this tab knows of it.
  await expect(second.getByRole('region', { name: 'Running timer' })).toContainText(one.short_id)
  await head(second).getByRole('button', { name: 'Start timer' }).click()
  const message = `Timer started on ${two.short_id}. The timer on ${one.short_id} was stopped`
  await expect(second.getByText(message)).toBeVisible()
  await expect(head(second).getByRole('button', { name: 'Stop timer' })).toBeVisible()
  await expect(head(first).getByRole('button', { name: 'Start timer' })).toBeVisible()

  await second.keyboard.press('Shift+S')
  await expect(second.getByText(`Timer on ${two.short_id} stopped after`)).toBeVisible()
  const entries = async (id: string) =>
    (
      await ask<{ data: { is_running: boolean }[] }>(
        'owner',
        `GET /api/v1/tasks/${id}/time-entries`,
      )
    ).data
  for (const { id } of [one, two]) {
    await expect
      .poll(async () => (await entries(id)).map(({ is_running }) => is_running))
      .toEqual([false])
  }
})

browserTest('a stop behind a refused start leaves the running timer alone', async (fixture) => {
  const { as, team, ask, allow } = fixture
  allow(403)
  const [one, two] = await seedTasks(fixture, 2)
  assert.ok(one && two)
  const page = await as('member')
  const head = page.locator('.task-head')
  await page.goto(`/w/${team.workspace}/t/${one.short_id}`)
  await head.getByRole('button', { name: 'Start timer' }).click()
  const entries = async () => {
    const path = `GET /api/v1/tasks/${one.id}/time-entries`
    return (await ask<{ data: { is_running: boolean }[] }>('owner', path)).data
  }
  await expect.poll(async () => (await entries()).length).toBe(1)
  // A start that is sent more than five seconds after its click stops the earlier timer first.
  await page.clock.setFixedTime(new Date())
  await openScreen(page, `/w/${team.workspace}/t/${two.short_id}`)
  const stopped = Promise.withResolvers<void>()
  await routeRequests(page, `**/api/v1/tasks/${two.id}/time-entries`, async (route) => {
    if (route.request().method() !== 'POST') return route.fallback()
    await stopped.promise
    const error = { code: 'forbidden', message: 'No', details: [], request_id: 'req_1' }
    await route.fulfill({ status: 403, json: { error } })
  })
  const changes: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'PATCH') changes.push(request.url())
  })
  await head.getByRole('button', { name: 'Start timer' }).click()
  await head.getByRole('button', { name: 'Stop timer' }).click()
  stopped.resolve()
  await expect(page.getByText(`Timer started on ${two.short_id} failed: No`)).toBeVisible()
  assert.deepEqual(changes, [])
  assert.deepEqual(
    (await entries()).map(({ is_running }) => is_running),
    [true],
  )
})

browserTest('logs time from words, edits the entry, and undoes its deletion', async (fixture) => {
  const { as, team, ask, allow } = fixture
  allow(412)
  const [task] = await seedTasks(fixture, 1, () => ({ title: 'One', estimate_seconds: 7_200 }))
  const path = `/api/v1/tasks/${task?.id}/time-entries`
  const spent = { duration_seconds: 3_725, spent_on: '2026-03-12' }
  const note = 'Call with Mei\nand notes'
  const { id } = await ask<{ id: string }>('member', `POST ${path}`, { ...spent, note })
  const read = () => ask('member', `GET /api/v1/time-entries/${id}`)
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/t/${task?.short_id}`)
  await page.getByText('Call with Mei').waitFor()
  await page.getByRole('button', { name: 'Log time' }).click()
  const logged = page.getByRole('textbox', { name: 'Log time' })
  await expect(logged).toBeFocused()
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

browserTest('a running timer covers nothing', async (fixture) => {
  const { as, team, ask } = fixture
  const [one, two] = await seedTasks(fixture, 30)
  assert.ok(one && two)
  await ask('member', `POST /api/v1/tasks/${one.id}/time-entries`, {
    started_at: new Date().toISOString(),
  })
  const task = `t/${two.short_id}`
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/inbox`)
  for (const [width, path, target] of [
    [360, task, '[data-does="comment"]'],
    [700, 'p/ENG', '[role="row"] .title'],
    [700, task, '[data-does="comment"]'],
    [1280, 'p/ENG', '.side .account'],
  ] as const) {
    await page.setViewportSize({ width, height: 740 })
    await openScreen(page, `/w/${team.workspace}/${path}`)
    const slip = page.getByRole('region', { name: 'Running timer' })
    await expect(slip).toBeVisible()
    await page.locator(target).first().waitFor()
    const covered = await page.locator(target).evaluateAll((all) =>
      all.flatMap((one) => {
        const { left, right, top, bottom } = one.getBoundingClientRect()
        return [left + 2, (left + right) / 2].flatMap((x) => {
          const hit = document.elementFromPoint(x, (top + bottom) / 2)
          return hit?.closest('.timer-slip') ? (one.textContent ?? '') : []
        })
      }),
    )
    assert.deepEqual(covered, [], `${path} at ${width}`)
  }
})
