import type { Locator, Page } from '@playwright/test'
import { type BrowserFixture, browserTest, expect } from '../support/browser-test.ts'
import { holdRequests, routeRequests } from '../support/route-requests.ts'
import { seedTasks } from '../support/seed.ts'

const TITLES = ['Write the chapter', 'Chapter of ENG-2', 'Chapters to cut']

/** Opens the command palette by its shortcut over My work. */
async function openPalette({ openAs }: BrowserFixture): Promise<{ page: Page; field: Locator }> {
  const page = await openAs('member', 'my')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('My work')
  await page.keyboard.press('Control+k')
  const field = page.getByRole('combobox', { name: 'Search or run a command' })
  await expect(field).toBeFocused()
  return { page, field }
}

const selectedOption = (page: Page) => page.getByRole('option', { selected: true })

browserTest('opens tasks and screens, runs commands and searches by keyboard', async (fixture) => {
  const { team } = fixture
  await seedTasks(fixture, 12, (n) => ({ title: TITLES[n] ?? `Case ${n + 1}` }))
  const { page, field } = await openPalette(fixture)
  await field.fill('eng-2')
  // It is selected before the server has responded, and stays selected.
  await expect(selectedOption(page)).toContainText('Chapter of ENG-2')
  await expect(page.getByRole('option').first()).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/t/ENG-2')
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Chapter of ENG-2')
  await page.keyboard.press('Control+k')
  const recent = page.getByRole('group', { name: 'Recently opened' })
  await expect(recent).toContainText('Chapter of ENG-2')
  await field.fill('dark theme')
  await expect(selectedOption(page)).toContainText(/dark theme/i)
  await page.keyboard.press('Enter')
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
  await page.keyboard.press('Control+k')
  await field.fill('chapter')
  await page.keyboard.press('Tab')
  await page.waitForURL('**/all?f=chapter')
  await expect(page.getByRole('row', { name: /chapter/i })).toHaveCount(3)

  // A new task in a project, on any screen.
  await page.keyboard.press('Control+k')
  await field.fill('New task in Eng')
  await expect(selectedOption(page)).toContainText('New task in Engineering')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('combobox', { name: 'Title' })).toBeFocused()
  const dialog = page.getByRole('dialog', { name: 'New task' })
  await expect(dialog.getByLabel('Project')).toHaveValue(team.project)
  await expect(page).toHaveURL(/all\?f=chapter$/)
  await page.keyboard.press('Escape')
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await page.getByText('Case 4').waitFor()
  for (const typed of ['group by assignee', 'sort updated']) {
    await page.keyboard.press('Control+k')
    await field.fill(typed)
    await page.keyboard.press('Enter')
    await expect(field).toBeHidden()
  }
  await expect(page.getByRole('button', { name: 'Collapse Unassigned' })).toBeVisible()
  await expect(page).toHaveURL(/group=assignee.*sort=-updated_at|sort=-updated_at.*group=assignee/)
})

browserTest('ignores the response to a stale search, keeps the selection', async (fixture) => {
  const { team } = fixture
  const assignee_ids = [team.people.member.id]
  await seedTasks(fixture, 3, (n) => ({
    title: ['Alpha one', 'Alphabet two', 'Errand'][n],
    assignee_ids: n === 0 ? assignee_ids : [],
  }))
  const { page, field } = await openPalette(fixture)
  const one = page.getByRole('option', { name: /Alpha one/ })
  const two = page.getByRole('option', { name: /Alphabet two/ })
  const searches = (words: string) => `**/api/v1/tasks?q=${words}&*`
  // The request never completes, so the page has to abort it.
  await routeRequests(page, searches('alpha'), () => undefined)
  const requested = page.waitForRequest(searches('alpha'))
  const canceled = page.waitForEvent('requestfailed', (request) =>
    request.url().includes('q=alpha&'),
  )
  await field.fill('alpha')
  const stale = await requested
  await field.fill('alphabet')
  await expect(two).toBeVisible()
  expect(await canceled).toBe(stale)
  await expect(one).toHaveCount(0)
  // Results of the previous words disappear at once, not only when newer ones arrive.
  await field.fill('alph')
  await expect(one).toBeVisible()
  await routeRequests(page, searches('alphabets'), () => undefined)
  await field.fill('alphabets')
  await expect(one).toHaveCount(0)

  // Results that arrive do not move the selection.
  const release = await holdRequests(page, searches('errand'))
  const asked = page.waitForRequest(searches('errand'))
  await field.fill('errand')
  await page.keyboard.press('ArrowDown')
  await expect(selectedOption(page)).toContainText('Search all for “errand”')
  await asked
  release()
  await expect(page.getByRole('option', { name: /Errand/ })).toBeVisible()
  await expect(selectedOption(page)).toContainText('Search all for “errand”')
  await page.keyboard.press('Escape')
  await expect(field).toBeHidden()
})

/** What people type, the command that they mean, and where it leads. */
const FIRST_COMMANDS = {
  en: [
    ['invite', 'Invite people', 'Settings › Members'],
    ['import', 'Import tasks', 'Settings › Import and export'],
    ['export', 'Export workspace', 'Settings › Import and export'],
    ['language', 'Change language', 'Settings › Profile'],
    ['passkey', 'Change password', 'Settings › Profile'],
    ['integrations', 'Go to API keys', 'Settings › API keys'],
    ['workflow', 'Settings of Engineering', 'Engineering › Settings'],
    ['deadline', 'Due date', 'Task list'],
    ['group', 'Group Status', 'View'],
    ['sort by due', 'Sort Due date', 'View'],
    ['new workspace', 'New workspace', ''],
    ['log out', 'Sign out', ''],
  ],
  de: [
    ['einladen', 'Personen einladen', 'Einstellungen › Mitglieder'],
    ['invite', 'Personen einladen', 'Einstellungen › Mitglieder'],
    ['export', 'Workspace exportieren', 'Einstellungen › Import und Export'],
    ['language', 'Sprache ändern', 'Einstellungen › Profil'],
    ['theme', 'Zum hellen Design wechseln', ''],
    ['zuweisen', 'Zuständig', 'Aufgabenliste'],
    ['nach Priorität sortieren', 'Sortieren Priorität', 'Ansicht'],
    ['group', 'Gruppieren Status', 'Ansicht'],
  ],
} as const

browserTest('finds commands by other words, in each language', async (fixture) => {
  const { as, team, docket } = fixture
  await seedTasks(fixture, 1)
  const page = await as('owner')
  for (const locale of ['en', 'de'] as const) {
    const change = { headers: { origin: docket.url }, data: { locale } }
    expect((await page.request.patch('/internal/account', change)).status()).toBe(200)
    await page.goto(`/w/${team.workspace}/p/ENG`)
    const row = page.locator('[data-number="1"]')
    await row.waitFor()
    const field = page.getByRole('combobox')
    const title = locale === 'en' ? 'Commands' : 'Befehle'
    const commands = page.getByRole('group', { name: title }).getByRole('option')
    await page.keyboard.press('Control+k')
    await field.fill(locale === 'en' ? 'assignee' : 'zuweisen')
    const waiting = commands.filter({ hasText: locale === 'en' ? 'task first' : 'zuerst' })
    await expect(waiting.first()).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(field).toHaveCount(0)
    await row.focus()
    await page.keyboard.press('Control+k')
    await expect(field).toBeFocused()
    for (const [typed, label, place] of FIRST_COMMANDS[locale]) {
      await field.fill(typed)
      await expect(commands.first().locator('.clip')).toHaveText(label)
      await expect(commands.first().locator(':scope > span').last()).toHaveText(place)
    }
  }
})

browserTest('sets any property of the task, and forgives typing errors', async (fixture) => {
  const { team, openAs, ask } = fixture
  const [task] = await seedTasks(fixture, 2, (n) => ({ title: `Case ${n + 1}` }))
  const page = await openAs('member', 'p/ENG')
  await page.getByText('Case 1').waitFor()
  await page.keyboard.press('j')
  const field = page.getByRole('combobox', { name: 'Search or run a command' })
  for (const [typed, label] of [
    ['stayus', 'Status'],
    ['assigne', 'Assignee'],
    ['priorty', 'Priority'],
    ['strat date', 'Start date'],
    ['dedline', 'Due date'],
    ['move to projcet', 'Move to project'],
    ['tiemline', 'Timeline'],
    ['sihn out', 'Sign out'],
    ['webhoks', 'Go to Webhooks'],
  ]) {
    await page.keyboard.press('Control+k')
    await field.fill(typed ?? '')
    await expect(selectedOption(page)).toContainText(label ?? '')
    await page.keyboard.press('Escape')
    await expect(field).toBeHidden()
  }
  await page.keyboard.press('Control+k')
  await field.fill('estimte')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Estimate of ENG-1' }).waitFor()
  await page.keyboard.type('90m')
  await page.keyboard.press('Enter')
  const read = () =>
    ask<{ estimate_seconds: number | null; recurrence: { rrule: string } | null }>(
      'owner',
      `GET /api/v1/tasks/${task?.id}`,
    )
  await expect.poll(async () => (await read()).estimate_seconds).toBe(5_400)
  await page.keyboard.press('Control+k')
  await field.fill('repaet')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Repeat of ENG-1' }).waitFor()
  await page.keyboard.type('every 2 weeks')
  await page.keyboard.press('Enter')
  await expect.poll(async () => (await read()).recurrence?.rrule).toContain('INTERVAL=2')
  await expect(page).toHaveURL(`${new URL(page.url()).origin}/w/${team.workspace}/p/ENG`)
})
