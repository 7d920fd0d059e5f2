import assert from 'node:assert/strict'
import { browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { typeInFocusedField } from '../support/keyboard/type-in-focused-field.ts'
import { seedTasks } from '../support/seed.ts'

/** The extremes of the time zones, and one with an offset of half an hour. */
const ZONES = ['Pacific/Kiritimati', 'America/St_Johns', 'Pacific/Pago_Pago']

browserTest(
  'shows a date as the same day and a time as the same instant in every time zone',
  async (fixture) => {
    const { as, team, ask, docket } = fixture
    const year = new Date().getUTCFullYear() + 1
    const [day, timed] = await seedTasks(fixture, 2)
    assert.ok(day && timed)
    await ask('owner', `PATCH /api/v1/tasks/${day.id}`, { due_date: `${year}-02-12` })
    await ask('owner', `PATCH /api/v1/tasks/${timed.id}`, { due_at: `${year}-02-12T11:30:00Z` })
    const LOCAL = ['13 Feb', '12 Feb', '12 Feb']
    const TIMES = ['01:30', '08:00', '00:30']
    for (const [at, timezoneId] of ZONES.entries()) {
      const page = await as('member', { timezoneId })
      // The time zone of the profile follows that of the device.
      const change = { headers: { origin: docket.url }, data: { timezone: timezoneId } }
      assert.equal((await page.request.patch('/internal/account', change)).status(), 200)
      await page.goto(`/w/${team.workspace}/t/${day.short_id}`)
      await expect(page.getByRole('button', { name: /^Due date: / })).toContainText(
        `12 Feb ${year}`,
      )

      // The day that is typed is the day that is saved.
      await page.getByRole('button', { name: /^Due date: / }).click()
      await typeInFocusedField(page, `${year}-02-${20 + at}`)
      await page.keyboard.press('Enter')
      await expect(page.getByRole('button', { name: /^Due date: / })).toContainText(
        `${20 + at} Feb`,
      )
      const saved = () => ask<{ due_date: string }>('owner', `GET /api/v1/tasks/${day.id}`)
      await expect.poll(async () => (await saved()).due_date).toBe(`${year}-02-${20 + at}`)
      await ask('owner', `PATCH /api/v1/tasks/${day.id}`, { due_date: `${year}-02-12` })

      await page.goto(`/w/${team.workspace}/t/${timed.short_id}`)
      const due = page.getByRole('button', { name: /^Due date: / })
      await expect(due).toContainText(LOCAL[at] ?? '')
      await expect(due).toContainText(TIMES[at] ?? '')
      await page.close()
    }
  },
)
