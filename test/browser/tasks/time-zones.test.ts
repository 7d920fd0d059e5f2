import assert from 'node:assert/strict'
import { type BrowserFixture, browserTest, expect } from '../support/browser-test.ts'
import {
  CONNECTION_ERRORS,
  openScreen,
  openWholeMyWork,
  press,
  typeInFocusedField,
} from '../support/page-actions.ts'
import { beforeMidnight, dateFromToday, seedTasks } from '../support/seed.ts'

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

browserTest('shows the same day and the same instant in every time zone', async (fixture) => {
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
    await expect(page.getByRole('button', { name: /^Due date: / })).toContainText(`12 Feb ${year}`)

    // The day that is typed is the day that is saved.
    await page.getByRole('button', { name: /^Due date: / }).click()
    await typeInFocusedField(page, `${year}-02-${20 + at}`)
    await page.keyboard.press('Enter')
    await expect(page.getByRole('button', { name: /^Due date: / })).toContainText(`${20 + at} Feb`)
    const saved = () => ask<{ due_date: string }>('owner', `GET /api/v1/tasks/${day.id}`)
    await expect.poll(async () => (await saved()).due_date).toBe(`${year}-02-${20 + at}`)
    await ask('owner', `PATCH /api/v1/tasks/${day.id}`, { due_date: `${year}-02-12` })

    await openScreen(page, `/w/${team.workspace}/t/${timed.short_id}`)
    const due = page.getByRole('button', { name: /^Due date: / })
    await expect(due).toContainText(LOCAL[at] ?? '')
    await expect(due).toContainText(TIMES[at] ?? '')
    await page.close()
  }
})

browserTest('a due time keeps its instant and its day in the workspace', async (fixture) => {
  const { ask, team } = fixture
  const year = new Date().getUTCFullYear() + 1
  // 06:30 on 12 February in Zurich, 21:30 on the day before in Los Angeles.
  const due_at = `${year}-02-12T05:30:00Z`
  await seedTasks(fixture, 1, () => ({ title: 'Timed', due_at }))
  const read = () => ask('owner', 'GET /api/v1/tasks/ENG-1')
  const page = await openInZone(fixture, 'America/Los_Angeles')
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await page.getByText('Timed', { exact: true }).waitFor()
  await expect(page.locator('time.due')).toHaveAttribute('title', /11 February/)
  await press(page, 'j', 'd')
  await expect(page.getByRole('gridcell', { selected: true })).toHaveText('11')
  await page.getByLabel('Time', { exact: true }).fill('22:00')
  await page.keyboard.press('Escape')
  const saved = { due_date: `${year}-02-12`, due_at: `${year}-02-12T06:00:00.000Z` }
  await expect.poll(read).toMatchObject(saved)

  // A move over a clock change keeps the time of day: on the second Sunday of March in Los Angeles.
  const march = Temporal.PlainDate.from({ year, month: 3, day: 8 })
  const sunday = march.add({ days: 7 - march.dayOfWeek })
  const zoned = { timeZone: 'Europe/Zurich', plainTime: '00:30' }
  const toTimestamp = (day: Temporal.PlainDate) =>
    new Date(day.toZonedDateTime(zoned).epochMilliseconds).toISOString()
  await ask('owner', 'PATCH /api/v1/tasks/ENG-1', { due_at: toTimestamp(sunday) })
  await page.goto(`/w/${team.workspace}/p/ENG?view=timeline`)
  // The page opens with what it has stored, before it knows of the change.
  await page.getByRole('gridcell', { name: `due ${sunday.day} Mar` }).waitFor()
  await page.locator('.plan-row[data-number="1"]').focus()
  await page.keyboard.press('Alt+ArrowRight')
  const monday = sunday.add({ days: 1 })
  const moved = { due_date: monday.toString(), due_at: toTimestamp(monday) }
  await expect.poll(read).toMatchObject(moved)
})

browserTest('the timeline moves dates over a clock change in any zone', async (fixture) => {
  const { as, ask, team } = fixture
  // In St John's, the clocks change on this Sunday.
  const dates = { start_date: '2026-11-01', due_date: '2026-11-01' }
  await seedTasks(fixture, 1, () => ({ title: 'Dated', ...dates }))
  const read = () => ask('owner', 'GET /api/v1/tasks/ENG-1')
  for (const timezoneId of ['Pacific/Kiritimati', 'America/St_Johns']) {
    const page = await as('member', { timezoneId })
    // Dates of another year than this are shown with it.
    await page.clock.setFixedTime('2026-10-30T12:00:00Z')
    await page.goto(`/w/${team.workspace}/p/ENG?view=timeline`)
    const row = page.locator('.plan-row[data-number="1"]')
    await row.focus()
    await expect(row).toContainText('Sun 1 Nov to Sun 1 Nov')
    await page.keyboard.press('Alt+ArrowRight')
    await expect.poll(read).toMatchObject({ start_date: '2026-11-02', due_date: '2026-11-02' })
    await page.keyboard.press('Alt+ArrowLeft')
    await expect.poll(read).toMatchObject(dates)
  }
})

browserTest('a page that stays open follows a new day and a time that passes', async (fixture) => {
  const { as, team, allow } = fixture
  allow(CONNECTION_ERRORS)
  const assignee_ids = [team.people.member.id]
  const dueAt = beforeMidnight() - 3_600_000
  await seedTasks(fixture, 2, (n) => ({
    title: n === 0 ? 'Report' : 'Call',
    assignee_ids,
    ...(n === 0 ? { due_date: dateFromToday(0) } : { due_at: new Date(dueAt).toISOString() }),
  }))
  const page = await as('member')
  await page.clock.install({ time: dueAt - 300_000 })
  await openWholeMyWork(page, team.workspace)
  const rowOf = (title: string) => page.getByRole('row').filter({ hasText: title })
  await expect(rowOf('Call')).toContainText('Today 22:59')
  await expect(page.getByRole('rowgroup', { name: 'Today' })).toContainText('Report')
  // Whatever the page read again would render the row, too.
  await page.context().setOffline(true)
  await page.clock.fastForward('00:08:00')
  await expect(rowOf('Call')).toContainText(/\d min overdue/)
  await page.clock.fastForward('01:01:00')
  await expect(page.getByRole('rowgroup', { name: 'Overdue' })).toContainText('Report')
  await expect(rowOf('Report').getByText('1 day overdue')).toBeVisible()
})
