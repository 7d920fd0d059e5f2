import assert from 'node:assert/strict'
import { browse } from './support/browse.ts'
import { expect } from './support/expect.ts'
import { seedTasks } from './support/seed.ts'

/** The first and one of the last to see a day; and one with half an hour. */
const ZONES = ['Pacific/Kiritimati', 'America/St_Johns', 'Pacific/Pago_Pago']

browse('a date is the same day everywhere, and a time the same moment', async (scene) => {
  const { as, team, ask } = scene
  const year = new Date().getUTCFullYear() + 1
  const [day, timed] = await seedTasks(scene, 2)
  assert.ok(day && timed)
  await ask('owner', `PATCH /api/v1/tasks/${day.id}`, { due_date: `${year}-03-12` })
  await ask('owner', `PATCH /api/v1/tasks/${timed.id}`, { due_at: `${year}-03-12T11:30:00Z` })
  const LOCAL = ['13 Mar', '12 Mar', '12 Mar']
  const TIMES = ['01:30', '08:00', '00:30']
  for (const [at, timezoneId] of ZONES.entries()) {
    const page = await as('member', { timezoneId })
    await page.goto(`/w/${team.workspace}/t/${day.short_id}`)
    // The profile says where the person is; the clock of the device is moved along.
    const moved = await page.evaluate(async (timezone) => {
      const headers = { 'content-type': 'application/json' }
      const body = JSON.stringify({ timezone })
      return (await fetch('/internal/account', { method: 'PATCH', headers, body })).status
    }, timezoneId)
    assert.equal(moved, 200)
    await page.reload()
    await expect(page.getByRole('button', { name: /^Due: / })).toContainText(`12 Mar ${year}`)

    // Typed, and chosen in the calendar: the day that is meant is the day that is kept.
    await page.getByRole('button', { name: /^Due: / }).click()
    await page.keyboard.type(`${year}-03-${20 + at}`)
    await page.keyboard.press('Enter')
    await expect(page.getByRole('button', { name: /^Due: / })).toContainText(`${20 + at} Mar`)
    const saved = () => ask<{ due_date: string }>('owner', `GET /api/v1/tasks/${day.id}`)
    await expect.poll(async () => (await saved()).due_date).toBe(`${year}-03-${20 + at}`)
    await ask('owner', `PATCH /api/v1/tasks/${day.id}`, { due_date: `${year}-03-12` })

    await page.goto(`/w/${team.workspace}/t/${timed.short_id}`)
    const due = page.getByRole('button', { name: /^Due: / })
    await expect(due).toContainText(LOCAL[at] ?? '')
    await expect(due).toContainText(TIMES[at] ?? '')
    await page.close()
  }
})
