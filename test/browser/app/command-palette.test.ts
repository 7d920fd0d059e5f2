import type { Locator, Page } from '@playwright/test'
import { type BrowserFixture, browserTest } from '../support/browser-test.ts'
import { expect } from '../support/expect.ts'
import { routeRequests } from '../support/route-requests.ts'
import { seedTasks } from '../support/seed.ts'

const TITLES = ['Write the chapter', 'Chapter of ENG-2', 'Chapters to cut']

/** Opens the command palette by its shortcut over My work. */
async function openPalette({ as, team }: BrowserFixture): Promise<{ page: Page; field: Locator }> {
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/my`)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('My work')
  await page.keyboard.press('Control+k')
  const field = page.getByRole('combobox', { name: 'Search or run a command' })
  await expect(field).toBeFocused()
  return { page, field }
}

const selectedOption = (page: Page) => page.getByRole('option', { selected: true })

browserTest('the palette selects the exact task number first', async (fixture) => {
  await seedTasks(fixture, 3, (n) => ({ title: TITLES[n] }))
  const { page, field } = await openPalette(fixture)
  await field.fill('eng-2')
  // It is selected before the server has responded, and stays selected.
  await expect(selectedOption(page)).toContainText('ENG-2')
  await expect(selectedOption(page)).toContainText('Chapter of ENG-2')
  await expect(page.getByRole('option').first()).toHaveAttribute('aria-selected', 'true')
})

browserTest('the palette keeps its selection when search results arrive', async (fixture) => {
  await seedTasks(fixture, 3, (n) => ({ title: TITLES[n] }))
  const { page, field } = await openPalette(fixture)
  const release = Promise.withResolvers<void>()
  await routeRequests(page, '**/api/v1/tasks?q=chapter&*', async (route) => {
    await release.promise
    await route.continue()
  })
  const requested = page.waitForRequest('**/api/v1/tasks?q=chapter&*')
  await field.fill('chapter')
  await page.keyboard.press('ArrowDown')
  await expect(selectedOption(page)).toContainText('Search all for “chapter”')
  await requested
  release.resolve()
  await expect(page.getByRole('option', { name: /Write the chapter/ })).toBeVisible()
  await expect(selectedOption(page)).toContainText('Search all for “chapter”')
  await page.keyboard.press('Escape')
  await expect(field).toBeHidden()
})

browserTest(
  'the palette opens a task, runs a command and searches by keyboard',
  async (fixture) => {
    const [first] = await seedTasks(fixture, 12, (n) => ({ title: TITLES[n] ?? `Case ${n + 1}` }))
    const { page, field } = await openPalette(fixture)
    await field.fill(first?.short_id ?? '')
    await expect(selectedOption(page)).toContainText('Write the chapter')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/t/${first?.short_id}`)
    await expect(page.getByRole('heading', { level: 1 })).toContainText('Write the chapter')

    await page.keyboard.press('Control+k')
    await expect(page.getByRole('group', { name: 'Recently opened' })).toContainText(
      TITLES[0] ?? '',
    )
    await field.fill('dark theme')
    await expect(selectedOption(page)).toContainText(/dark theme/i)
    await page.keyboard.press('Enter')
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')

    await page.keyboard.press('Control+k')
    await field.fill('chapter')
    await page.keyboard.press('Tab')
    await page.waitForURL('**/search?q=chapter')
    await expect(page.getByRole('listitem').filter({ hasText: 'hapter' })).toHaveCount(3)
  },
)

browserTest('the palette keeps the commands of the screen while data changes', async (fixture) => {
  const { as, ask, team } = fixture
  const assignee_ids = [team.people.member.id]
  const [, second] = await seedTasks(fixture, 2, (n) => ({
    title: `Errand ${n + 1}`,
    assignee_ids: n === 0 ? assignee_ids : [],
  }))
  const page = await as('member')
  await page.goto(`/w/${team.workspace}/my`)
  await page.locator('main').getByRole('link', { name: 'Errand 1' }).focus()
  await page.keyboard.press('Control+k')
  const field = page.getByRole('combobox', { name: 'Search or run a command' })
  await field.fill('assignee')
  await expect(selectedOption(page)).toContainText('AssigneeTask list')
  // Keys of an input method are not for the list.
  await field.dispatchEvent('keydown', { key: 'ArrowDown', isComposing: true })
  const inbox = page.locator('a[href$="/inbox"]').first()
  await expect(inbox).toHaveText(/1$/)
  await ask('owner', `PATCH /api/v1/tasks/${second?.id}`, { assignee_ids })
  await expect(inbox).toHaveText(/2$/)
  await expect(selectedOption(page)).toContainText('AssigneeTask list')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('listbox', { name: 'Assignees of ENG-1' })).toBeVisible()
})

browserTest('the palette cancels a stale search and ignores its results', async (fixture) => {
  await seedTasks(fixture, 2, (n) => ({ title: n === 0 ? 'Alpha one' : 'Alphabet two' }))
  const { page, field } = await openPalette(fixture)
  const one = page.getByRole('option', { name: /Alpha one/ })
  const two = page.getByRole('option', { name: /Alphabet two/ })
  // The request never completes, so the page has to abort it.
  await routeRequests(page, '**/api/v1/tasks?q=alpha&*', () => undefined)
  const requested = page.waitForRequest('**/api/v1/tasks?q=alpha&*')
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
  await routeRequests(page, '**/api/v1/tasks?q=alphabets&*', () => undefined)
  await field.fill('alphabets')
  await expect(one).toHaveCount(0)
})

browserTest('the palette begins a new task in a project on any screen', async (fixture) => {
  const { as, team } = fixture
  const page = await as('owner')
  await page.goto(`/w/${team.workspace}/p/HID`)
  await page.getByText('No tasks yet. Create one, or press C.').waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search or run a command' }).fill('New task in Eng')
  await expect(selectedOption(page)).toContainText('New task in Engineering')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('combobox', { name: 'Title' })).toBeFocused()
  await expect(page.getByLabel('Project')).toHaveValue(team.project)
  await expect(page).toHaveURL(/\/p\/HID$/)
})

browserTest('the palette groups and sorts the tasks of the open project', async (fixture) => {
  await seedTasks(fixture, 2, (n) => ({ title: `Errand ${n + 1}` }))
  const page = await fixture.as('member')
  await page.goto(`/w/${fixture.team.workspace}/p/ENG`)
  await page.getByText('Errand 1').waitFor()
  const run = async (typed: string) => {
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search or run a command' }).fill(typed)
    await page.keyboard.press('Enter')
  }
  await run('group by assignee')
  await expect(page.getByRole('button', { name: 'Collapse Unassigned' })).toBeVisible()
  await run('sort updated')
  await expect(page).toHaveURL(/group=assignee.*sort=-updated_at|sort=-updated_at.*group=assignee/)
})

/** What people type, the command that they mean, and where it leads. */
const FIRST_COMMANDS = {
  en: [
    ['invite', 'Invite people', 'Settings › Members'],
    ['add member', 'Invite people', 'Settings › Members'],
    ['import', 'Import tasks', 'Settings › Import and export'],
    ['trello', 'Import tasks', 'Settings › Import and export'],
    ['export', 'Export workspace', 'Settings › Import and export'],
    ['backup', 'Export workspace', 'Settings › Import and export'],
    ['language', 'Change language', 'Settings › Profile'],
    ['theme', 'Switch to light theme', ''],
    ['night', 'Switch to light theme', ''],
    ['passkey', 'Change password', 'Settings › Profile'],
    ['token', 'Create API key', 'Settings › API keys'],
    ['integrations', 'Go to API keys', 'Settings › API keys'],
    ['archive', 'Settings of Engineering', 'Engineering › Settings'],
    ['workflow', 'Settings of Engineering', 'Engineering › Settings'],
    ['assign', 'Assignee', 'Task list'],
    ['deadline', 'Due date', 'Task list'],
    ['delete', 'Delete', 'Task list'],
    ['group', 'Group Status', 'View'],
    ['sort by due', 'Sort Due date', 'View'],
    ['print', 'Print', ''],
    ['create project', 'New project', 'Projects'],
    ['new workspace', 'New workspace', ''],
    ['quota', 'Go to Usage', 'Settings › Usage'],
    ['log out', 'Sign out', ''],
    ['hotkeys', 'Keyboard shortcuts', ''],
  ],
  de: [
    ['einladen', 'Personen einladen', 'Einstellungen › Mitglieder'],
    ['invite', 'Personen einladen', 'Einstellungen › Mitglieder'],
    ['import', 'Aufgaben importieren', 'Einstellungen › Import und Export'],
    ['export', 'Workspace exportieren', 'Einstellungen › Import und Export'],
    ['sprache', 'Sprache ändern', 'Einstellungen › Profil'],
    ['language', 'Sprache ändern', 'Einstellungen › Profil'],
    ['design', 'Zum hellen Design wechseln', ''],
    ['theme', 'Zum hellen Design wechseln', ''],
    ['archivieren', 'Einstellungen von Engineering', 'Engineering › Einstellungen'],
    ['zuweisen', 'Zuständig', 'Aufgabenliste'],
    ['thema', 'Zum hellen Design wechseln', ''],
    ['nach Priorität sortieren', 'Sortieren Priorität', 'Ansicht'],
    ['group', 'Gruppieren Status', 'Ansicht'],
    ['drucken', 'Drucken', ''],
    ['frist', 'Fälligkeit', 'Aufgabenliste'],
    ['ausloggen', 'Abmelden', ''],
  ],
} as const

for (const locale of ['en', 'de'] as const) {
  browserTest(`the palette finds commands by other words (${locale})`, async (fixture) => {
    const { as, team } = fixture
    await seedTasks(fixture, 1)
    const page = await as('owner')
    await page.goto(`/w/${team.workspace}/settings/profile`)
    await page.getByLabel('Language and date format').selectOption(locale)
    if (locale === 'de') {
      await page
        .getByRole('form', { name: 'Account' })
        .getByRole('button', { name: 'Save' })
        .click()
      await page.getByRole('heading', { level: 1, name: 'Profil', exact: true }).waitFor()
    }
    await page.goto(`/w/${team.workspace}/p/ENG`)
    const row = page.locator('[data-number="1"]')
    await row.waitFor()
    const field = page.getByRole('combobox')
    const title = locale === 'en' ? 'Commands' : 'Befehle'
    const commands = page.getByRole('group', { name: title }).getByRole('option')
    const first = commands.first()
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
      await expect(first.locator('.clip')).toHaveText(label)
      await expect(first.locator(':scope > span').last()).toHaveText(place)
    }
  })
}
