import type { Page } from '@playwright/test'
import type { Role } from '#core/actor.ts'
import type { BrowserFixture } from '#test/browser/support/browser-test.ts'
import { typeInFocusedField } from '#test/browser/support/keyboard/type-in-focused-field.ts'
import { waitForPageFocus } from '#test/browser/support/keyboard/wait-for-page-focus.ts'

const STATUSES = ['To do', 'In progress', 'In review', 'Done']
const PRIORITIES = ['Low', 'Medium', 'High', 'Urgent']
const MAX_TASKS = 45
/** All rows are rendered, so that a page can be compared as a whole. */
const VIEWPORT = { width: 1_400, height: 4_000 }

/** A person in a browser who acts at random. */
export interface RandomWorker {
  page: Page
  name: string
  created: string[]
  deleted: Set<string>
}

/** Signs a person in, opens the list, and adds a first task. */
export async function openRandomWorker(
  { as, team }: BrowserFixture,
  role: Role,
): Promise<RandomWorker> {
  const page = await as(role, { viewport: VIEWPORT })
  page.on('dialog', (dialog) => dialog.accept())
  await page.goto(`/w/${team.workspace}/p/ENG`)
  await page.getByText('seed0', { exact: true }).waitFor()
  // What is loaded at first use, e.g. the pickers, is loaded before the first cut.
  for (const key of ['p', 's']) {
    await page.getByRole('row', { name: /seed0/ }).press(key)
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
  }
  await addTask(page, `${role}-first`)
  return { page, name: role, created: [`${role}-first`], deleted: new Set() }
}

/**
 * Waits until no dialog is open any more. Until then, and for some milliseconds after its last key, no row can
 * take the focus: the next key would meet the row of the cursor instead.
 */
async function waitForPage(page: Page): Promise<void> {
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  await waitForPageFocus(page)
}

async function addTask(page: Page, title: string): Promise<void> {
  await page.keyboard.press('Escape')
  await waitForPage(page)
  await page.keyboard.press('n')
  const field = page.getByRole('textbox', { name: /new task/i })
  await field.fill(title)
  await field.press('Enter')
  await page.keyboard.press('Escape')
}

/** Adds, renames, changes or deletes a task, or undoes something, as a person does. */
export async function actAtRandom(worker: RandomWorker, random: () => number): Promise<void> {
  const { page, name, created, deleted } = worker
  const titles = await readTitles(page)
  const kind = random()
  if (kind < 0.25 && titles.length < MAX_TASKS) {
    const title = `${name}-${created.length}`
    created.push(title)
    return addTask(page, title)
  }
  const title = pick(titles, random)
  if (title === undefined) return
  const row = page
    .getByRole('row')
    .filter({ has: page.getByText(title, { exact: true }) })
    .first()
  // Somebody else may have changed or deleted the task in the meantime. A row that does not take the focus
  // leaves the key to that of the cursor.
  const press = async (key: string) => {
    const hasFocus = await row
      .evaluate(
        (element) => {
          if (element instanceof HTMLElement) element.focus()
          return element.contains(document.activeElement)
        },
        undefined,
        { timeout: 1_000 },
      )
      .catch(() => false)
    if (hasFocus) await page.keyboard.press(key)
    return hasFocus
  }
  if (kind < 0.5) {
    if (!(await press('e'))) return
    const field = page.getByRole('textbox', { name: 'Title' })
    if (!(await isShown(field))) return
    // A person sees whose title it is: if somebody has just deleted the row, the key meets the next one.
    const isExpected = await field.inputValue({ timeout: 2_000 }).then(
      (text) => text === title,
      () => false,
    )
    if (!isExpected) {
      await page.keyboard.press('Escape')
      return
    }
    const renamed = `${title.split(' ')[0]} ${Math.floor(random() * 1_000)}`
    // The field ends with its row, if that is deleted or goes to another group.
    const isFilled = await field.fill(renamed, { timeout: 2_000 }).then(
      () => true,
      () => false,
    )
    if (isFilled) await page.keyboard.press('Enter')
  } else if (kind < 0.9) {
    const [key, names] = kind < 0.7 ? (['p', PRIORITIES] as const) : (['s', STATUSES] as const)
    if (!(await press(key)) || !(await isShown(page.getByRole('dialog')))) return
    await typeInFocusedField(page, pick(names, random) ?? '')
    await page.keyboard.press('Enter')
    await waitForPage(page)
  } else if (kind < 0.95) {
    if (await press('#')) deleted.add(title.split(' ')[0] ?? '')
  } else await page.keyboard.press('ControlOrMeta+z')
}

/** Whether something appears soon. */
export const isShown = (of: ReturnType<Page['getByRole']>): Promise<boolean> =>
  of.waitFor({ timeout: 2_000 }).then(
    () => true,
    () => false,
  )

const pick = <T>(from: readonly T[], random: () => number): T | undefined =>
  from[Math.floor(random() * from.length)]

const readTitles = async (page: Page): Promise<string[]> =>
  (await readListRows(page)).map(({ title }) => title)

/** The rows that a page shows, as a person reads them. */
export const readListRows = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('[role=row]')].flatMap((row) => {
      const button = row.querySelector('button[aria-label*="Complete or reopen"]')
      const links = [...row.querySelectorAll('a')].map((link) => link.textContent)
      const [, status = '', short_id = ''] =
        /^(.*)\. Complete or reopen (\S+)/.exec(button?.getAttribute('aria-label') ?? '') ?? []
      const priority = row.querySelector('svg.pr')?.getAttribute('aria-label')?.split(' ')[0] ?? ''
      return short_id === '' ? [] : [{ short_id, title: links.at(-1) ?? '', status, priority }]
    }),
  )
