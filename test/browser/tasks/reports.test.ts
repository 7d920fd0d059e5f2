import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { Page, Request } from '@playwright/test'
import { parse } from 'csv-parse/sync'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { backdateTask } from '../../support/world/task-history.ts'
import { assertAccessible, OPEN_DIALOG } from '../support/accessibility.ts'
import type { BrowserFixture } from '../support/browser-test.ts'
import { browserTest, expect } from '../support/browser-test.ts'
import { pressSequence } from '../support/page-actions.ts'
import { holdRequests } from '../support/route-requests.ts'
import { archiveOpenProject, seedTasks } from '../support/seed.ts'

const TABS = ['progress', 'time', 'cycle', 'throughput', 'estimates'] as const
const ZONE = 'Europe/Zurich'
const dayOf = (at: string) => Temporal.Instant.from(at).toZonedDateTimeISO(ZONE).toPlainDate()
const mondayOf = (at: string) => {
  const day = dayOf(at)
  return day.subtract({ days: day.dayOfWeek - 1 }).toString()
}

/** The texts of the rows of a report's table, the header row first. */
const tableIn = (page: Page, n: number) =>
  page
    .locator('.report')
    .nth(n)
    .locator('table tr')
    .evaluateAll((rows) =>
      rows.map((row) => [...row.children].map((cell) => cell.textContent ?? '')),
    )

async function downloadCsv(page: Page, n: number, name = /as CSV/): Promise<string[][]> {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.locator('.report').nth(n).getByRole('button', { name }).first().click(),
  ])
  assert.match(file.suggestedFilename(), /^[a-z-]+-\d{4}-\d\d-\d\d-\d{4}-\d\d-\d\d\.csv$/)
  return parse(readFileSync(await file.path()), { bom: true })
}

/** Moves through the points of a chart by keyboard and reads them; of daily charts every tenth. */
async function readChart(page: Page, n: number, ofDays: boolean): Promise<string[]> {
  const chart = page.locator('.report').nth(n).getByRole('slider')
  await chart.focus()
  await page.keyboard.press('Home')
  const points: string[] = []
  const count = Number(await chart.getAttribute('aria-valuemax'))
  for (let at = 0; at < count; at += ofDays ? 10 : 1) {
    points[at] = (await chart.getAttribute('aria-valuetext')) ?? ''
    await page.keyboard.press(ofDays ? 'PageUp' : 'ArrowRight')
  }
  assert.equal(await chart.getAttribute('aria-valuenow'), String(count))
  points.length = count
  return points
}

const burnUpText = ([, scope, done]: string[]) => new RegExp(`: scope ${scope}, done ${done}$`)
const flowText = ([, backlog, unstarted, started, completed]: string[]) =>
  new RegExp(
    `: Done ${completed}, In progress ${started}, To do ${unstarted} and Backlog ${backlog}$`,
  )

browserTest('the chart, table and CSV file of a report match the API', async (fixture) => {
  const { openAs, list, team } = fixture
  await seedTaskHistory(fixture, 60)
  const data = await list<{ created_at: string; completed_at: string | null }>(
    'GET /api/v1/tasks?limit=200',
  )
  const page = await openAs('owner', 'my')
  await expect(page.getByRole('heading', { level: 1, name: 'My work' })).toBeVisible()
  await pressSequence(page, 'gr')
  await expect(page.getByRole('heading', { level: 1, name: 'Reports' })).toBeVisible()
  await expect(page.getByRole('heading', { name: /^Scope grew/ })).toBeVisible()
  for (const tab of TABS) {
    await page.goto(`/w/${team.workspace}/reports?tab=${tab}`)
    await expect(page.locator('.report h2').first()).toBeVisible()
    const reports = tab === 'progress' ? 2 : 1
    await expect(page.locator('.report')).toHaveCount(reports)
    // The walk through every screen looks at this tab.
    if (tab !== 'progress') await assertAccessible(page)
    for (let n = 0; n < reports; n += 1) {
      const report = page.locator('.report').nth(n)
      const points = tab === 'time' ? [] : await readChart(page, n, tab === 'progress')
      const toggle = report.getByRole('button', { name: 'Table' })
      await toggle.click()
      await expect(toggle).toHaveAttribute('aria-pressed', 'true')
      const [headers = [], ...rows] = await tableIn(page, n)
      const [fileHeaders, ...fileRows] = await downloadCsv(page, n)
      assert.deepEqual(fileHeaders, headers)
      await toggle.click()
      await expect(report.locator('table')).toHaveCount(0)
      await expect(report.locator(tab === 'time' ? '.spent' : '[role=slider]')).toBeVisible()
      const plain = rows.map((row) => row.map((cell) => cell.replace(/^=/, "'=")))
      assert.deepEqual(fileRows, plain, tab)
      if (tab === 'time') {
        const [, ...lines] = await downloadCsv(page, n, /time entries as CSV/)
        const entries = await list<{ duration_seconds: number }>('GET /api/v1/time-entries')
        const seconds = entries.map(({ duration_seconds }) => duration_seconds)
        assert.deepEqual(lines.map((line) => Number(line[7])).toSorted(), seconds.toSorted())
      }
      if (tab !== 'time') assert.equal(points.length, rows.length, tab)
      if (tab === 'progress') {
        for (const [at, text] of Object.entries(points)) {
          assert.match(text, (n === 0 ? burnUpText : flowText)(rows[Number(at)] ?? []))
        }
      }
      if (tab === 'cycle') {
        assert.ok(plain.some(([, title]) => title === "'=2+3 is a formula"))
        rows.forEach(([id = '', title = ''], at) => {
          const begin = `${id} ${title}: `
          assert.ok((points[at] ?? '').startsWith(begin), `${begin} in ${points[at]}`)
        })
      }
      if (tab === 'throughput') {
        const weeks = rows.map(([week = '', completed, created], at) => {
          const both = `: ${completed} completed, ${created} created`
          assert.ok((points[at] ?? '').includes(both), `${both} in ${points[at]}`)
          return [week, Number(completed), Number(created)]
        })
        const count = (field: 'completed_at' | 'created_at', week: unknown) =>
          data.filter((task) => task[field] !== null && mondayOf(task[field]) === week).length
        for (const [week, completed, created] of weeks) {
          assert.equal(completed, count('completed_at', week), `completed in ${week}`)
          assert.equal(created, count('created_at', week), `created in ${week}`)
        }
        const sum = weeks.reduce((all, [, , created]) => all + Number(created), 0)
        assert.equal(sum, 60)
      }
    }
  }
})

browserTest('uses charts and ranges by keyboard, with filters in the address', async (fixture) => {
  const { openAs, list, team } = fixture
  await seedTaskHistory(fixture, 40)
  const page = await openAs('member', 'reports')
  const data = await list<{ completed_at: string | null }>('GET /api/v1/tasks?limit=200')
  const done = data.filter(({ completed_at }) => completed_at !== null).length
  const figures = page.locator('.figures')
  await expect(figures).toContainText(`Done${done} of ${data.length}`)
  await expect(figures).toContainText(/Median cycle time\d[\d.]* [dh] 85 % take/)
  await expect(figures).toContainText(/spent vs. estimated\d+ h of \d+ h/)
  const range = page.getByRole('button', { name: /^Range/ })
  await range.focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('menuitemcheckbox', { name: '16 weeks' })).toBeVisible()
  await page.keyboard.press('End')
  await expect(page.getByRole('menuitemcheckbox', { name: 'Custom range' })).toBeFocused()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Custom range' })
  const [from, to] = [dialog.getByLabel('From'), dialog.getByLabel('To', { exact: true })]
  await expect(from).toBeFocused()
  await to.fill('2026-03-31')
  await from.fill('2026-04-01')
  await expect(dialog).toContainText('The end date is before the start date.')
  await assertAccessible(page, { within: OPEN_DIALOG })
  await from.fill('2026-03-01')
  await expect(dialog).toContainText('31 days; up to 1,096.')
  await from.press('Enter')
  await expect(dialog).toHaveCount(0)
  await expect(range).toBeFocused()
  await expect(page).toHaveURL(/after=2026-03-01&before=2026-04-01/)
  await page.reload()
  await expect(page.getByRole('button', { name: 'Range 31 days' })).toBeVisible()
  await expect(page.getByText(/1 Mar\w*( \d+)? to .*31 Mar/)).toBeVisible()

  // Filters are in the address, too; too little of anything says so instead of a chart.
  await page.getByRole('button', { name: 'Range 31 days' }).click()
  await page.getByRole('menuitemcheckbox', { name: '4 weeks', exact: true }).click()
  await page.getByRole('button', { name: 'People Everyone' }).click()
  await page.getByRole('option', { name: 'The admin' }).click()
  await page.keyboard.press('Escape')
  await expect(page).toHaveURL(/weeks=4/)
  await expect(page).toHaveURL(new RegExp(`who=${team.people.admin.id}`))
  await expect(page.getByText('No data in this range.').first()).toBeVisible()
  await page.reload()
  await expect(page.getByRole('button', { name: 'People The admin' })).toBeVisible()
  await expect(page.getByRole('slider')).toHaveCount(0)

  // A point of a chart opens its tasks, on a phone in the dark as well.
  await page.setViewportSize({ width: 360, height: 740 })
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.goto(`/w/${team.workspace}/p/ENG/reports?tab=throughput`)
  const chart = page.getByRole('slider')
  await chart.focus()
  await page.keyboard.press('Home')
  const weeks = Number(await chart.getAttribute('aria-valuemax'))
  let text = ''
  for (let at = 0; at < weeks && !/: [1-9]\d* completed/.test(text); at += 1) {
    await page.keyboard.press('ArrowRight')
    text = (await chart.getAttribute('aria-valuetext')) ?? ''
  }
  const [, count = ''] = /: (\d+) completed/.exec(text) ?? []
  await expect(page.getByText(text)).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(page.locator('.behind li')).toHaveCount(Number(count))
  await page.locator('.behind li a').first().click()
  await expect(page).toHaveURL(/task=ENG-\d+/)
  await expect(page.getByRole('button', { name: 'Reopen' })).toBeVisible()
  const wide = await page.evaluate(() => document.documentElement.scrollWidth)
  assert.equal(wide, 360)
})

browserTest('fills a week as a timesheet by keyboard, and undoes a change', async (fixture) => {
  const { openAs, ask, list } = fixture
  const [one, two] = await seedTasks(fixture, 2, (n) => ({ title: `Timesheet task ${n}` }))
  assert.ok(one && two)
  const spent_on = '2026-03-10'
  const path = `POST /api/v1/tasks/${one.id}/time-entries`
  await ask('member', path, { duration_seconds: 3_600, spent_on, note: 'Kept', billable: true })
  await ask('owner', path, { duration_seconds: 7_200, spent_on })
  const page = await openAs('member', 'reports?tab=timesheet&week=2026-03-11')
  const cell = (id: string, day: RegExp) =>
    page.getByRole('textbox', { name: new RegExp(`^${id}, .*${day.source}`) })
  const [first, second] = [cell(one.short_id, /\b10\b/), cell(one.short_id, /\b11\b/)]
  await expect(first).toHaveValue('1:00')
  await assertAccessible(page)

  // A wrong text is kept, and says what is accepted.
  await first.focus()
  await page.keyboard.type('soon')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('alert')).toContainText('Type 1h 30m, 1:30 or 90m.')
  await first.fill('25h')
  await first.press('Enter')
  await expect(page.getByRole('alert')).toContainText('at most 24 hours')
  await first.press('Escape')
  await expect(first).toHaveValue('1:00')

  await first.fill('1h 30m')
  await first.press('ArrowRight')
  await expect(second).toBeFocused()
  await page.keyboard.type('90m')
  await page.keyboard.press('Enter')
  await expect(second).toHaveValue('1:30')

  // Another task gets a row, whose time is deleted again.
  await page.getByRole('button', { name: 'Add task' }).click()
  await page.keyboard.type('Timesheet task 1')
  await page.getByRole('option', { name: two.title }).click()
  const third = cell(two.short_id, /\b12\b/)
  await third.fill('2:15')
  await third.press('ArrowUp')
  await expect(cell(one.short_id, /\b12\b/)).toBeFocused()
  await expect(third).toHaveValue('2:15')
  await expect(page.getByRole('heading', { name: '5h 15m in this week' })).toBeVisible()
  const read = async () =>
    (await list<Record<string, unknown>>('GET /api/v1/time-entries?spent_before=2026-03-16'))
      .filter(({ user_id }) => user_id === fixture.team.people.member.id)
      .map((entry) => [entry.task_id, entry.spent_on, entry.duration_seconds, entry.note])
      .toSorted()
  const saved = [
    [one.id, '2026-03-10', 5_400, 'Kept'],
    [one.id, '2026-03-11', 5_400, null],
    [two.id, '2026-03-12', 8_100, null],
  ].toSorted()
  await expect.poll(read).toEqual(saved)
  await page.reload()
  await expect(third).toHaveValue('2:15')
  await expect(page.getByRole('heading', { name: '5h 15m in this week' })).toBeVisible()

  // Undo by key in a field in which nothing is typed, and of a deletion by its toast.
  await second.fill('4h')
  await second.press('Enter')
  await expect(page.getByText('11 Mar: 4h').first()).toBeVisible()
  await second.press('ControlOrMeta+z')
  await expect(second).toHaveValue('1:30')
  await third.fill('')
  await third.press('Enter')
  await expect(third).toHaveValue('')
  await expect(page.getByRole('heading', { name: '3h in this week' })).toBeVisible()
  await page.getByRole('button', { name: 'Undo' }).first().click()
  await expect(third).toHaveValue('2:15')
  await expect.poll(read).toEqual(saved)
})

browserTest('an undo in the timesheet deletes nothing that was logged since', async (fixture) => {
  const { openAs, ask, list, team } = fixture
  const [one] = await seedTasks(fixture, 1)
  assert.ok(one)
  const log = (duration_seconds: number, note: string, spent_on: string) =>
    ask('member', `POST /api/v1/tasks/${one.id}/time-entries`, { duration_seconds, spent_on, note })
  const read = async (spent_on: string) =>
    (await list<Record<string, unknown>>('GET /api/v1/time-entries?spent_before=2026-03-16'))
      .filter((entry) => entry.user_id === team.people.member.id && entry.spent_on === spent_on)
      .map(({ duration_seconds, note }) => `${duration_seconds} ${note}`)
      .toSorted()
  await log(3_600, 'A', '2026-03-10')
  await log(3_600, 'A', '2026-03-11')
  await log(3_600, 'B', '2026-03-11')
  const page = await openAs('member', 'reports?tab=timesheet&week=2026-03-11')
  const cell = (day: number) =>
    page.getByRole('textbox', { name: new RegExp(`^${one.short_id}, .*\\b${day}\\b`) })
  await cell(10).fill('2h')
  await cell(10).press('Enter')
  await expect.poll(() => read('2026-03-10')).toEqual(['7200 A'])
  await log(1_800, 'Later', '2026-03-10')
  await expect(cell(10)).toHaveValue('2:30')
  await cell(10).press('ControlOrMeta+z')
  // The undo takes back the own change alone.
  await expect(cell(10)).toHaveValue('1:30')
  await expect.poll(() => read('2026-03-10')).toEqual(['1800 Later', '3600 A'])

  // One undo takes back the deletion and the edit of one change; so does one redo.
  await cell(11).fill('30m')
  await cell(11).press('Enter')
  await expect.poll(() => read('2026-03-11')).toEqual(['1800 A'])
  await cell(11).press('ControlOrMeta+z')
  await expect(cell(11)).toHaveValue('2:00')
  await expect.poll(() => read('2026-03-11')).toEqual(['3600 A', '3600 B'])
  await cell(11).press('ControlOrMeta+Shift+z')
  await expect(cell(11)).toHaveValue('0:30')
  await expect.poll(() => read('2026-03-11')).toEqual(['1800 A'])

  // Going away in the history takes the field away without a blur.
  await page.getByRole('link', { name: 'My work' }).first().click()
  await expect(page).toHaveURL(/\/my\b/)
  await page.goBack()
  await cell(12).fill('45m')
  await page.goForward()
  await expect(page).toHaveURL(/\/my\b/)
  await expect.poll(() => read('2026-03-12')).toEqual(['2700 null'])
})

browserTest(
  'a time that waits for an earlier one of its cell outlives a reload',
  async (fixture) => {
    const { openAs, list } = fixture
    const [one] = await seedTasks(fixture, 1, () => ({ title: 'Timesheet task' }))
    assert.ok(one)
    const page = await openAs('member', 'reports?tab=timesheet&week=2026-03-11')
    page.on('dialog', (dialog) => dialog.accept())
    const cell = page.getByRole('textbox', { name: new RegExp(`^${one.short_id}, .*\\b12\\b`) })
    await page.getByRole('button', { name: 'Add task' }).click()
    await page.keyboard.type('Timesheet')
    await page.getByRole('option', { name: one.title }).click()
    const isLogged = (request: Request) =>
      request.method() === 'POST' && request.url().endsWith('/time-entries')
    const release = await holdRequests(page, '**/time-entries', 'POST')
    const sent = page.waitForRequest(isLogged)
    await cell.fill('1h')
    await cell.press('Enter')
    await sent
    await cell.fill('2h')
    await cell.press('Enter')

    const isSentAgain = page.waitForRequest(isLogged)
    await page.reload()
    await expect(cell).toHaveValue('2h')
    await expect(page.getByRole('alert')).toContainText('is not saved yet')
    await assertAccessible(page)
    await isSentAgain
    await cell.press('Enter')
    release()
    await expect(cell).toHaveValue('2:00')
    await expect(page.getByRole('alert')).toHaveCount(0)
    const read = async () =>
      (await list<{ duration_seconds: number }>('GET /api/v1/time-entries')).map(
        ({ duration_seconds }) => duration_seconds,
      )
    await expect.poll(read).toEqual([7_200])
    await page.reload()
    await expect(cell).toHaveValue('2:00')
  },
)

browserTest('arrow keys skip the rows of archived projects in the timesheet', async (fixture) => {
  const { openAs, ask, team } = fixture
  const tasks = await seedTasks(fixture, 3, (n) => ({
    title: `Timesheet task ${n}`,
    ...(n !== 1 && { project_id: team.hidden }),
  }))
  for (const [n, { id }] of tasks.entries()) {
    const entry = { duration_seconds: 3_600, spent_on: `2026-03-1${n}` }
    await ask('owner', `POST /api/v1/tasks/${id}/time-entries`, entry)
  }
  await archiveOpenProject(fixture)
  const page = await openAs('owner', 'reports?tab=timesheet&week=2026-03-11')
  const [first, archived, last] = tasks.map(({ short_id }) =>
    page.getByRole('textbox', { name: new RegExp(`^${short_id}, .*\\b12\\b`) }),
  )
  assert.ok(first && archived && last)
  await expect(archived).toBeDisabled()
  await first.press('ArrowDown')
  await expect(last).toBeFocused()
  await last.press('Shift+Enter')
  await expect(first).toBeFocused()
})

const DAY_MS = 86_400_000

/**
 * Creates tasks with a history of 80 days: most are completed, some have estimates and time
 * entries.
 */
async function seedTaskHistory(fixture: BrowserFixture, count: number) {
  const { docket, team, ask } = fixture
  const statusOf = (n: number) => (n % 5 < 3 ? 'done' : n % 5 === 3 ? 'in_progress' : 'todo')
  const tasks = await seedTasks(fixture, count, (n, { people }) => ({
    title: n === 1 ? '=2+3 is a formula' : `Task ${n}, "quoted"`,
    status: statusOf(n),
    assignee_ids: [n % 2 ? people.member.id : people.owner.id],
    ...(n % 2 === 0 && { estimate_seconds: 3_600 * (1 + (n % 5)) }),
  }))
  const actor = { ...ANONYMOUS_ACTOR, workspace_id: team.workspace }
  const now = Date.now()
  for (const [n, { id, status_category }] of tasks.entries()) {
    const created = now - 80 * DAY_MS + ((n * 7) % count) * ((60 * DAY_MS) / count)
    const started = created + (1 + (n % 4)) * DAY_MS
    const completed = started + (1 + ((n * 13) % 12)) * DAY_MS
    await docket.storage.write(actor, (tx) =>
      backdateTask(tx, {
        id,
        created,
        ...(status_category !== 'unstarted' && { started }),
        ...(status_category === 'completed' && { completed }),
      }),
    )
    if (n % 3 > 0) continue
    const spent = { duration_seconds: 1_800 * (1 + (n % 7)), billable: n % 2 === 0 }
    await ask(n % 2 ? 'member' : 'owner', `POST /api/v1/tasks/${id}/time-entries`, spent)
  }
  return tasks
}
