import assert from 'node:assert/strict'
import { type BrowserFixture, browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { typeInFocusedField } from '../support/keyboard/type-in-focused-field.ts'
import { openScreen } from '../support/open-screen.ts'
import { seedTasks } from '../support/seed.ts'

/** The extremes of the time zones, and one with an offset of half an hour. */
const ZONES = ['Pacific/Kiritimati', 'America/St_Johns', 'Pacific/Pago_Pago']

/** A page of the member, whose device and profile are in a time zone. */
async function openInZone({ as, docket }: BrowserFixture, timezoneId: string) {
  const page = await as('member', { timezoneId })
  // The time zone of the profile follows that of the device.
  const change = { headers: { origin: docket.url }, data: { timezone: timezoneId } }
  assert.equal((await page.request.patch('/internal/account', change)).status(), 200)
  return page
}

browserTest(
  'shows a date as the same day and a time as the same instant in every time zone',
  async (fixture) => {
    const { team, ask } = fixture
    // The year after the next: on 31 December the next has begun in some zones, where it is not shown.
    const year = new Date().getUTCFullYear() + 2
    const [day, timed] = await seedTasks(fixture, 2)
    assert.ok(day && timed)
    await ask('owner', `PATCH /api/v1/tasks/${day.id}`, { due_date: `${year}-02-12` })
    await ask('owner', `PATCH /api/v1/tasks/${timed.id}`, { due_at: `${year}-02-12T11:30:00Z` })
    const LOCAL = ['13 Feb', '12 Feb', '12 Feb']
    const TIMES = ['01:30', '08:00', '00:30']
    for (const [at, timezoneId] of ZONES.entries()) {
      const page = await openInZone(fixture, timezoneId)
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

      await openScreen(page, `/w/${team.workspace}/t/${timed.short_id}`)
      const due = page.getByRole('button', { name: /^Due date: / })
      await expect(due).toContainText(LOCAL[at] ?? '')
      await expect(due).toContainText(TIMES[at] ?? '')
      await page.close()
    }
  },
)

/** Creates a task that is due at a time; its workspace is in Zurich, and its member in Los Angeles. */
async function seedTimedTask(fixture: BrowserFixture, due_at: string) {
  const { ask } = fixture
  const [task] = await seedTasks(fixture, 1, () => ({ title: 'Timed', due_at }))
  assert.ok(task)
  const page = await openInZone(fixture, 'America/Los_Angeles')
  const readDue = async () => {
    const path = `GET /api/v1/tasks/${task.id}`
    const { due_date, due_at: at } = await ask<{ due_date: string; due_at: string }>('owner', path)
    return [due_date, at]
  }
  return { page, readDue }
}

browserTest(
  'a due time that is set in a list is saved as the instant and with the day of the workspace',
  async (fixture) => {
    const year = new Date().getUTCFullYear() + 1
    // 06:30 on 12 February in Zurich, 21:30 on the day before in Los Angeles.
    const { page, readDue } = await seedTimedTask(fixture, `${year}-02-12T05:30:00Z`)
    await page.goto(`/w/${fixture.team.workspace}/p/ENG`)
    await page.getByText('Timed', { exact: true }).waitFor()
    await expect(page.locator('time.due')).toHaveAttribute('title', /11 February/)
    await page.keyboard.press('j')
    await page.keyboard.press('d')
    const selected = page.getByRole('gridcell', { selected: true })
    await expect(selected).toHaveText('11')
    await page.getByLabel('Time', { exact: true }).fill('22:00')
    await page.keyboard.press('Escape')
    await expect.poll(readDue).toEqual([`${year}-02-12`, `${year}-02-12T06:00:00.000Z`])
  },
)

browserTest(
  'moving a due date over a clock change keeps its time of day in the workspace',
  async (fixture) => {
    const march = Temporal.PlainDate.from({
      year: new Date().getUTCFullYear() + 1,
      month: 3,
      day: 8,
    })
    // In Los Angeles, the clocks change on the second Sunday of March.
    const sunday = march.add({ days: 7 - march.dayOfWeek })
    const zoned = { timeZone: 'Europe/Zurich', plainTime: '00:30' }
    const toTimestamp = (day: Temporal.PlainDate) =>
      new Date(day.toZonedDateTime(zoned).epochMilliseconds).toISOString()
    const { page, readDue } = await seedTimedTask(fixture, toTimestamp(sunday))
    await page.goto(`/w/${fixture.team.workspace}/p/ENG?view=timeline`)
    await page.locator('.plan-row[data-number="1"]').focus()
    await page.keyboard.press('Alt+ArrowRight')
    const monday = sunday.add({ days: 1 })
    await expect.poll(readDue).toEqual([monday.toString(), toTimestamp(monday)])
  },
)
