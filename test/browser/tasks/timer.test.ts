import assert from 'node:assert/strict'
import { browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
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

browserTest('a reply from before a start or a stop does not undo it', async (fixture) => {
  const { as, team, ask } = fixture
  const [task] = await seedTasks(fixture, 1)
  assert.ok(task)
  const page = await as('member')
  const initial = page.waitForResponse('**/internal/timer')
  await page.goto(`/w/${team.workspace}/t/${task.short_id}`)
  await initial
  const [start, stop] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const entries = `/api/v1/tasks/${task.id}/time-entries`
  await routeRequests(page, `**${entries}`, async (route) => {
    if (route.request().method() === 'POST') await start.promise
    await route.fallback()
  })
  await routeRequests(page, '**/api/v1/time-entries/*', async (route) => {
    await stop.promise
    await route.fallback()
  })
  const button = (name: string) => page.locator('.task-head').getByRole('button', { name })
  /** Waits until a reply says whether a timer is running, and the page shows it. */
  const waitForReply = async (isRunning: boolean) => {
    await page.waitForResponse(
      async (response) =>
        response.url().endsWith('/internal/timer') &&
        ((await response.json()).entry !== null) === isRunning,
    )
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    )
  }

  await button('Start timer').click()
  const beforeStart = waitForReply(false)
  // The page reads the timer again, because the person has logged time elsewhere.
  await ask('member', `POST ${entries}`, { duration_seconds: 60 })
  await beforeStart
  assert.ok(await button('Stop timer').isVisible())

  await button('Stop timer').click()
  const beforeStop = waitForReply(true)
  start.resolve()
  await beforeStop
  assert.ok(await button('Start timer').isVisible())

  const stopped = page.waitForResponse('**/api/v1/time-entries/*')
  stop.resolve()
  assert.equal((await stopped).status(), 200)
  await expect(button('Start timer')).toBeVisible()
})

browserTest('logs time from words, edits the entry, and undoes its deletion', async (fixture) => {
  const { as, team, ask } = fixture
  const [task] = await seedTasks(fixture, 1, () => ({ title: 'One', estimate_seconds: 3_600 }))
  assert.ok(task)
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/t/${task.short_id}`)
  await page.getByRole('button', { name: 'Log time' }).click()
  const field = page.getByRole('textbox', { name: 'Log time' })
  await expect(field).toBeFocused()
  await field.fill('soon')
  await field.press('Enter')
  await expect(page.getByRole('alert')).toContainText('1h 30m yesterday')
  await field.fill('25h')
  await field.press('Enter')
  await expect(page.getByRole('alert')).toContainText('at most 24 hours')
  await field.fill('1h 30m yesterday call with Mei')
  await field.press('Enter')
  await expect(field).toHaveValue('')
  const entry = page.getByRole('listitem').filter({ hasText: 'call with Mei' })
  await expect(entry).toContainText('1h 30m')
  await expect(page.locator('.props').getByText('30m over')).toBeVisible()

  await entry.getByRole('button', { name: /^Edit/ }).click()
  await page.getByRole('textbox', { name: /^Edit/ }).fill('45m today')
  await page.keyboard.press('Enter')
  await expect(page.locator('.props').getByText('15m left')).toBeVisible()

  await page.getByRole('button', { name: /^Delete 45m/ }).click()
  await expect(page.getByRole('button', { name: /^Delete 45m/ })).toBeHidden()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByRole('button', { name: /^Delete 45m/ })).toBeVisible()
  const { time_spent_seconds } = await ask<Record<string, number>>(
    'owner',
    `GET /api/v1/tasks/${task.id}`,
  )
  assert.equal(time_spent_seconds, 2_700)
})

browserTest('editing a time entry sends only what was changed in it', async (fixture) => {
  const { as, team, ask } = fixture
  const [task] = await seedTasks(fixture, 1)
  const path = `/api/v1/tasks/${task?.id}/time-entries`
  await ask('member', `POST ${path}`, {
    duration_seconds: 3_725,
    spent_on: '2026-03-12',
    note: 'Call with Mei\nand notes',
  })
  const page = await as('member')
  const bodies: unknown[] = []
  page.on('request', (request) => {
    if (request.method() === 'PATCH') bodies.push(request.postDataJSON())
  })
  await page.goto(`/w/${team.workspace}/t/${task?.short_id}`)
  const entry = page.getByRole('listitem').filter({ hasText: 'Call with Mei' })
  const field = page.getByRole('textbox', { name: /^Edit/ })
  const openEntry = async () => {
    await entry.getByRole('button', { name: /^Edit/ }).click()
    await expect(field).toHaveValue('1h 2m 2026-03-12 Call with Mei and notes')
  }
  await openEntry()
  await page.keyboard.press('Enter')
  await expect(field).toBeHidden()

  await openEntry()
  await page.getByRole('form', { name: /^Edit/ }).getByLabel('Billable').check()
  await field.press('Enter')
  await expect(entry).toContainText('Billable')

  await openEntry()
  await field.fill('1h 2m 2026-03-12 Call with Mei, notes')
  await page.keyboard.press('Enter')
  const read = async () => (await ask<{ data: object[] }>('member', `GET ${path}`)).data
  const saved = { duration_seconds: 3_725, note: 'Call with Mei, notes', billable: true }
  await expect.poll(read).toMatchObject([saved])
  assert.deepEqual(bodies, [{ billable: true }, { note: saved.note }])
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
